// Paints a board square by square. Its component defines the sign of a square (`on`) and may define the painted sign
// (`sign`); strokes are sent to the server as events.
export const Brush = {
  emits: ["paint"],
  data: () => ({
    brush: null, // the chosen sign; initially that of the first piece
    drawing: "", // the sign that the stroke puts on its squares: the same sign again removes it
    pressed: false, // true during a stroke
    fingers: false, // true if fingers draw instead of scrolling
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
    // A mouse paints while it is pressed. A finger that may scroll paints with a tap, which also causes pointer events
    // that must not paint again.
    press(event, cell) {
      this.pressed = (this.fingers || event.pointerType === "mouse") && event.button === 0;
      if (this.pressed) event.target.releasePointerCapture(event.pointerId); // a finger may enter other squares
      if (this.pressed) this.stroke(cell);
    },
    drag(event, cell) {
      if (this.pressed && event.buttons === 1 && this.on(cell) !== this.drawing) this.put(cell);
    },
    click(cell) {
      if (!this.pressed) this.stroke(cell);
      this.pressed = false;
    },
    // Returns the first or the last square of a row.
    rowEnd(cells, y, key) {
      const row = cells.filter((cell) => cell.y === y).sort((a, b) => a.x - b.x);
      return row.at({ Home: 0, End: -1 }[key]);
    },
  },
};
