// What paints a board, square by square. A component that uses it says which sign stands on a square (`on`) and, if it
// is not the one that was chosen, which sign is painted (`sign`); what is painted goes to the server as an event.
export const Brush = {
  emits: ["paint"],
  data: () => ({
    brush: null, // the sign that was chosen; at first it is that of the first piece
    drawing: "", // what the stroke puts on its squares: the same sign again takes away
    pressed: false, // whether a mouse has begun the stroke, or a finger
    fingers: false, // whether fingers draw, too; else they may mean to scroll
  }),
  computed: {
    brushed() {
      return this.brush ?? (this.painted ?? this.board)?.palette?.[0]?.sign ?? "";
    },
  },
  methods: {
    sign() {
      return this.brushed;
    },
    stroke(cell) {
      this.drawing = this.on(cell) === this.sign() ? "" : this.sign();
      if (this.on(cell) !== this.drawing) this.put(cell);
    },
    put({ y, x }) {
      this.$emit("paint", { cell: [y, x], sign: this.drawing });
    },
    // A mouse paints as it is pressed, and goes on over the squares that it is drawn to. A finger that may mean to scroll
    // paints as it taps; it enters the square and presses it, too, and none of these may paint a second time.
    press(event, cell) {
      this.pressed = (this.fingers || event.pointerType === "mouse") && event.button === 0;
      if (this.pressed) event.target.releasePointerCapture(event.pointerId); // a finger is led to other squares, too
      if (this.pressed) this.stroke(cell);
    },
    drag(event, cell) {
      if (this.pressed && event.buttons === 1 && this.on(cell) !== this.drawing) this.put(cell);
    },
    click(cell) {
      if (!this.pressed) this.stroke(cell);
      this.pressed = false;
    },
    // The first square of a row, or the last one.
    rowEnd(cells, y, key) {
      const row = cells.filter((cell) => cell.y === y).sort((a, b) => a.x - b.x);
      return row.at({ Home: 0, End: -1 }[key]);
    },
  },
};
