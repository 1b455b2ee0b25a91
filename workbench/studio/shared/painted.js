import { Brush } from "studio/brush.js";
import { tr } from "studio/texts.js";

// A ruleset's drawing to paint: a stroke puts the chosen piece or a mark on squares, or removes it. The whole stroke is
// sent when the mouse or finger is lifted; until then its squares are `pending`.
export const Painted = {
  mixins: [Brush],
  props: ["board", "title"],
  template: `
    <div class="painted">
      <p v-if="board.problem" class="clash">{{ board.problem }}</p>
      <template v-else>
        <p class="quiet">{{ board.palette.length ? tr("Choose a piece, then touch squares; touch again to remove it.") : tr("Touch squares or draw over them to mark or unmark them.") }} <span class="keys">{{ tr("Board: arrow keys move, Space paints.") }}</span></p>
        <div v-if="board.palette.length" class="palette" role="group" :aria-label="tr('Piece')">
          <button v-for="piece in board.palette" type="button" :aria-pressed="brushed === piece.sign" :data-brush="piece.sign"
                  :aria-label="piece.symbol + ' ' + piece.sign" @click="brush = piece.sign"><span aria-hidden="true">{{ piece.symbol }}</span></button>
          <button type="button" :aria-pressed="brushed === ''" data-brush="" :aria-label="tr('Nothing (removes pieces)')" @click="brush = ''">✕</button>
        </div>
        <div class="tools"><button v-for="action in board.actions" type="button" :data-paint="action.name" @click="$emit('paint', { action: action.name })">{{ action.text }}</button></div>
        <div class="stage">
          <div class="picture" aria-hidden="true" v-html="board.picture"></div>
          <svg class="touch" tabindex="0" role="application" :viewBox="view" :aria-label="title + ' – ' + tr('Board: arrow keys move, Space paints.')"
               @keydown="key" @blur="keyed = false" @focus="keyed = $event.target.matches(':focus-visible')">
            <rect v-for="(cell, place) in board.cells" :key="cell.name" :x="cell.x * board.size[2]" :y="cell.y * board.size[2]" :width="board.size[2]" :height="board.size[2]"
                  class="cell origin" :class="{ at: keyed && place === at, pending: cell.name in pending }" :data-cell="cell.name" @pointerdown="press($event, cell)" @click="click(cell)" @pointerenter="drag($event, cell)"><title>{{ cell.name }}</title></rect>
          </svg>
          <span class="unseen" aria-live="assertive">{{ keyed ? spoken : "" }}</span>
        </div>
        <p class="quiet counted" role="status">{{ board.count }}</p>
      </template>
    </div>`,
  data: () => ({ at: 0, keyed: false, pending: {}, unsent: [], fingers: true }),
  computed: {
    view() {
      const [rows, columns, cell, edge] = this.board.size;
      return `${-edge} ${-edge} ${columns * cell + 2 * edge} ${rows * cell + 2 * edge}`;
    },
    spoken() {
      const { name, sign } = this.board.cells[this.at];
      if (!this.board.palette.length) return (sign ? tr("{square} marked", { square: name }) : tr("{square} not marked", { square: name }));
      const symbol = this.board.palette.find((piece) => piece.sign === sign)?.symbol;
      return sign ? tr("{square}: {piece}", { square: name, piece: `${symbol} ${sign}` }) : tr("{square} empty", { square: name });
    },
  },
  watch: {
    board() {
      this.pending = {};
    },
  },
  mounted() {
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, this.flush);
  },
  unmounted() {
    for (const end of ["pointerup", "pointercancel"]) removeEventListener(end, this.flush);
  },
  methods: {
    tr,
    on: (cell) => cell.sign,
    // A map has a single sign, the mark.
    sign() {
      return this.board.palette.length ? this.brushed : "x";
    },
    put(cell) {
      this.pending = { ...this.pending, [cell.name]: cell };
      this.unsent.push([cell.y, cell.x]);
      if (!this.pressed) this.flush();
    },
    flush() {
      // The next stroke must not change a sent one.
      const cells = this.unsent.splice(0);
      if (cells.length) this.$emit("paint", { cells, sign: this.drawing });
    },
    key(event) {
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      this.keyed = true;
      this.pressed = false;
      if (step) {
        const { y, x } = this.board.cells[this.at];
        const candidates = this.board.cells.map((cell, index) => ({ index, dy: (cell.y - y) * step[0], dx: (cell.x - x) * step[1], off: step[0] ? Math.abs(cell.x - x) : Math.abs(cell.y - y) }));
        const ahead = candidates.filter((cell) => [0, 1].includes(cell.off) && cell.dy + cell.dx >= 1).sort((a, b) => a.dy + a.dx - b.dy - b.dx || a.off - b.off);
        if (ahead.length) this.at = ahead[0].index;
      } else if (event.key === "Home" || event.key === "End") {
        this.at = this.board.cells.indexOf(this.rowEnd(this.board.cells, this.board.cells[this.at].y, event.key));
      } else if (event.key === "Enter" || event.key === " ") this.stroke(this.board.cells[this.at]);
      else return;
      event.preventDefault();
    },
  },
};
