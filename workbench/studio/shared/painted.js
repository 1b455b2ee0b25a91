import { Board } from "studio/board.js";
import { tr } from "studio/texts.js";

// A ruleset's drawing or a position to paint: a stroke puts the chosen piece or a mark on squares; the same one again removes
// it. The whole stroke is sent when the mouse or finger is lifted or leaves the board; until then its squares are `pending`.
export const Painted = {
  components: { Board },
  props: ["board", "title", "turned"],
  emits: ["paint"],
  template: `
    <div class="painted">
      <template v-if="board.cells">
        <p class="quiet">{{ board.palette.length ? tr("Choose a piece, then touch squares; touch again to remove it.") : tr("Touch squares or draw over them to mark or unmark them.") }} <span class="keys">{{ tr("Board: arrow keys move, Space paints.") }}</span></p>
        <div v-if="board.palette.length" class="palette" role="group" :aria-label="tr('Piece')">
          <button v-for="piece in board.palette" type="button" :aria-pressed="brushed === piece.sign" :data-brush="piece.sign" :aria-label="piece.title" @click="brush = piece.sign" v-html="piece.picture"></button>
          <button type="button" :aria-pressed="brushed === ''" data-brush="" :aria-label="tr('Nothing (removes pieces)')" @click="brush = ''">✕</button>
        </div>
        <div class="tools"><button v-for="action in board.actions" type="button" :data-paint="action.name" :aria-pressed="action.on" @click="$emit('paint', { action: action.name })">{{ action.text }}</button></div>
        <board :board="board" :cells="cells" :turned="turned" :label="title + ' – ' + tr('Board: arrow keys move, Space paints.')" @press="press" @drag="drag" @touch="touch" @pointerup="flush" @pointerleave="flush" @pointercancel="flush" />
      </template>
      <p class="counted" :class="board.problem ? 'clash' : 'quiet'" role="status">{{ board.problem || board.count }}</p>
    </div>`,
  data: () => ({
    brush: null, // the chosen sign; initially that of the first piece
    drawing: "", // the sign that the stroke puts on its squares
    pressed: false, // true during a stroke
    pending: {},
    unsent: [],
  }),
  computed: {
    // A map has a single sign, the mark.
    brushed() {
      return this.brush ?? this.board.palette[0]?.sign ?? "x";
    },
    cells() {
      const titles = Object.fromEntries(this.board.palette.map(({ sign, title }) => [sign, title]));
      return this.board.cells.map((cell) => ({
        ...cell,
        spoken: titles[cell.sign] ? `${cell.name}, ${titles[cell.sign]}` : cell.name,
        pressed: this.board.palette.length ? null : cell.sign !== "",
        marks: { origin: true, pending: cell.name in this.pending },
      }));
    },
  },
  watch: {
    board() {
      this.pending = {};
    },
  },
  methods: {
    tr,
    stroke(cell) {
      this.drawing = cell.sign === this.brushed ? "" : this.brushed;
      this.put(cell);
    },
    put(cell) {
      if (cell.sign === this.drawing) return;
      this.pending = { ...this.pending, [cell.name]: cell };
      this.unsent.push([cell.y, cell.x]);
      if (!this.pressed) this.flush();
    },
    flush() {
      // The next stroke must not change a sent one.
      const cells = this.unsent.splice(0);
      if (cells.length) this.$emit("paint", { cells, sign: this.drawing });
    },
    press(event, cell) {
      this.pressed = event.button === 0;
      if (this.pressed) event.target.releasePointerCapture(event.pointerId); // a finger may enter other squares
      if (this.pressed) this.stroke(cell);
    },
    drag(event, cell) {
      if (this.pressed && event.buttons === 1) this.put(cell);
    },
    // A stroke may end with a click; assistive technology only clicks.
    touch(cell, keyed) {
      this.pressed &&= !keyed;
      if (!this.pressed) this.stroke(cell);
      this.pressed = false;
    },
  },
};
