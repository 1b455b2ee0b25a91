// A board that is touched square by square, by mouse, finger or keyboard: squares over a picture. `board` has the
// `pictures`, as they are and turned, and the `grid` of the squares; each of the `cells` has what is shown and said of it. The
// `balance` is the share of the side below.
export const Board = {
  props: ["board", "cells", "label", "turned", "arrows", "balance"],
  emits: ["press", "drag", "touch"],
  template: `
    <div class="stage">
      <div class="picture" aria-hidden="true" v-html="board.pictures[turned ? 1 : 0]"></div>
      <svg class="touch" role="group" :viewBox="view" :aria-label="label" @keydown="key">
        <g v-for="cell in cells" :key="cell.name" :transform="'translate(' + corner(cell).join(' ') + ')'">
          <path :d="'M0 0' + board.grid.shape" class="cell" :class="cell.marks" role="button" :tabindex="cell === here ? 0 : -1" :aria-label="cell.spoken" :aria-pressed="cell.pressed" :data-cell="cell.name"
                @focus="at = cell.name" @pointerdown="$emit('press', $event, cell)" @pointerenter="$emit('drag', $event, cell)" @click="$emit('touch', cell)"><title>{{ cell.name }}</title></path>
          <text v-if="cell.number" class="number" :x="half" :y="half" aria-hidden="true">{{ cell.name }}</text>
          <circle v-if="cell.target" :cx="half" :cy="half" :r="half * (cell.full ? 0.88 : 0.32)" class="target" :class="{ full: cell.full }"/>
        </g>
        <template v-if="balance">
          <rect :x="-board.grid.edge" y="0" width="1.2" :height="board.grid.height" class="bar" :class="{ dark: balance.above.dark }"/>
          <rect :x="-board.grid.edge" :y="board.grid.height * (1 - balance.share)" width="1.2" :height="board.grid.height * balance.share" class="bar" :class="{ dark: balance.below.dark }"/>
        </template>
        <path v-for="{ kind, from, to } in arrows" :d="arrow(from ?? to, to)" class="arrow" :class="[kind, { ring: !from }]"/>
      </svg>
    </div>`,
  data: () => ({ at: "" }),
  computed: {
    half() {
      return this.board.grid.cell / 2;
    },
    view() {
      const { edge, width, height } = this.board.grid;
      return `${-edge} ${-edge} ${width + 2 * edge} ${height + 2 * edge}`;
    },
    // Returns the square that has the focus or gets it: one that can be used, if possible.
    here() {
      return this.cells.find(({ name }) => name === this.at) ?? this.cells.find(({ marks, target }) => marks.ready || target) ?? this.cells[0];
    },
  },
  methods: {
    // Returns the upper left corner of a square's piece.
    corner({ y, x }) {
      const { shift, pitch, width, height, cell } = this.board.grid;
      const [left, top] = [x * cell + y * shift, y * pitch];
      return this.turned ? [width - left - cell, height - top - cell] : [left, top];
    },
    // Returns an arrow between two squares; a ring on one.
    arrow(from, to) {
      const [[ox, oy], [tx, ty]] = [from, to].map((cell) => this.corner(cell).map((edge) => edge + this.half));
      const length = Math.hypot(tx - ox, ty - oy);
      if (!length) return `M${tx - 4.5} ${ty}a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0`;
      const [dx, dy] = [(tx - ox) / length, (ty - oy) / length];
      const [x, y, baseX, baseY] = [tx - 2 * dx, ty - 2 * dy, tx - 5 * dx, ty - 5 * dy];
      return `M${ox} ${oy}L${baseX} ${baseY}L${baseX - 1.5 * dy} ${baseY + 1.5 * dx}L${x} ${y}L${baseX + 1.5 * dy} ${baseY - 1.5 * dx}L${baseX} ${baseY}`;
    },
    key(event) {
      const [here, sign] = [this.here, this.turned ? -1 : 1];
      if (event.key === "Enter" || event.key === " ") this.$emit("touch", here, true);
      const row = this.cells.filter(({ y }) => y === here.y).sort((a, b) => sign * (a.x - b.x));
      const place = row.indexOf(here);
      // Boards that use every second square are crossed row by row, near the column.
      const side = here.y % 2 ? 0.1 : -0.1;
      const far = ({ y, x }) => Math.abs(y - here.y) + Math.abs(x - here.x - side) / 2;
      const nearest = (step) => this.cells.filter(({ y, x }) => (y - here.y) * step > 0 && Math.abs(x - here.x) < 2).sort((a, b) => far(a) - far(b))[0];
      const next = {
        ArrowLeft: row[place - 1], ArrowRight: row[place + 1], ArrowUp: nearest(-sign), ArrowDown: nearest(sign),
        Home: row[0], End: row.at(-1),
      };
      if (next[event.key]) this.$el.querySelector(`[data-cell="${next[event.key].name}"]`).focus();
      if (event.key in next || event.key === "Enter" || event.key === " ") event.preventDefault();
    },
  },
};
