// A game in play. The server knows the rules: it sends the position with what may be touched, and is told what was.

function fill(pattern, fields) {
  return pattern.replace(/\{(\w+)\}/g, (whole, name) => (name in fields ? fields[name] : whole));
}

const same = (a, b) => (a === null || b === null ? a === b : a[0] === b[0] && a[1] === b[1]);

export default {
  props: ["words", "heading", "state", "back", "told", "format"],
  emits: ["play", "attempt", "undo", "redo", "fresh", "resign", "seat", "record", "setup"],
  template: `
  <div><div id="main" class="play" tabindex="-1">
    <div class="table">
      <p class="kind">{{ heading }} <a :href="back">{{ words.to_rules }}</a></p>
      <p class="turn" role="status" aria-live="polite"><b>{{ state.turn }}</b> <span v-if="state.waiting" class="quiet">{{ words[state.waiting] }}</span></p>
      <div class="stage" v-if="state.picture">
        <div class="picture" aria-hidden="true" v-html="state.picture"></div>
        <svg class="touch" ref="touch" tabindex="0" role="application" :viewBox="view" :aria-label="words.board_keys"
             aria-describedby="cursor" @keydown="key" @blur="keyed = false" @focus="focused">
          <g v-for="cell in cells" :key="cell.y + '-' + cell.x" :transform="'translate(' + cell.x * size[2] + ' ' + cell.y * size[2] + ')'">
            <rect :width="size[2]" :height="size[2]" class="cell" :class="{ chosen: cell.chosen, at: cell.at, origin: cell.origin }"
                  :data-cell="cell.name" @click="point([cell.y, cell.x])"><title>{{ cell.name }}</title></rect>
            <circle v-if="cell.target" :cx="size[2] / 2" :cy="size[2] / 2" :r="cell.full ? size[2] * 0.44 : size[2] * 0.16" class="target" :class="{ full: cell.full }"/>
          </g>
        </svg>
        <span id="cursor" class="unseen" aria-live="assertive">{{ spoken }}</span>
      </div>
      <p v-else class="quiet">{{ words.drawing }}</p>
      <p class="why" role="alert">{{ why || state.trouble }}</p>
      <div class="hand" v-if="holding" role="group" :aria-label="words.in_hand">
        <span class="quiet">{{ words.in_hand }}</span>
        <button v-for="hand in hands" type="button" :aria-pressed="chosen !== null && chosen.hand === hand" :data-hand="hand" @click="take(hand)">{{ symbols[hand] }}</button>
      </div>
      <div class="hand" v-if="others.length">
        <button v-for="move in others" type="button" :data-move="move.text" @click="play(move)">{{ move.text === "pass" ? words.pass : move.text }}</button>
      </div>
      <p v-for="note in state.notes" class="quiet">{{ note }}</p>
    </div>
    <aside class="side">
      <div class="tools">
        <button type="button" data-do="undo" :disabled="!state.undo" @click="$emit('undo')">{{ words.undo_move }}</button>
        <button type="button" data-do="redo" :disabled="!state.redo" @click="$emit('redo')">{{ words.redo_move }}</button>
        <button type="button" data-do="resign" :disabled="!state.mine" @click="$emit('resign')">{{ words.resign }}</button>
        <button type="button" data-do="fresh" class="main" @click="$emit('fresh')">{{ words.new_game }}</button>
      </div>
      <label v-for="(seat, place) in state.seats" class="seat">{{ seat }}
        <select :value="state.players[place]" :data-seat="place" @change="$emit('seat', { place, player: $event.target.value })">
          <option v-for="player in state.opponents" :value="player.name">{{ player.title }}</option>
        </select>
      </label>
      <p class="quiet">{{ words.players_note }}</p>
      <details class="setup" :open="state.start !== ''">
        <summary>{{ words.set_up }}</summary>
        <textarea rows="3" spellcheck="false" :aria-label="words.set_up_how" :placeholder="words.set_up_how" :value="state.start" ref="position"></textarea>
        <div class="tools"><button type="button" data-do="setup" @click="$emit('setup', $refs.position.value)">{{ words.set_up_now }}</button></div>
      </details>
      <h2>{{ words.moves }}</h2>
      <ol class="moves"><li v-for="(text, place) in state.texts" :key="place">{{ text }}</li></ol>
      <div class="tools">
        <button type="button" data-do="text" :disabled="!state.texts.length" @click="$emit('record', 'text')">{{ words.as_text }}</button>
        <button v-if="format && !state.start" type="button" data-do="record" :disabled="!state.texts.length" @click="$emit('record', format)">{{ fill(words.as_format, { format: format.toUpperCase() }) }}</button>
      </div>
    </aside>
    <dialog ref="dialog" class="save" :aria-label="words.which">
      <h2>{{ words.which }}</h2>
      <div class="tools"><button v-for="move in several" type="button" :data-move="move.text" @click="$refs.dialog.close(); play(move)">{{ move.text }}</button></div>
      <div class="tools"><button type="button" @click="$refs.dialog.close()">{{ words.cancel }}</button></div>
    </dialog>
  </div></div>`,
  data: () => ({ chosen: null, cursor: null, keyed: false, several: [], why: "" }),
  computed: {
    size() {
      return this.state.size;
    },
    view() {
      const [rows, columns, cell, edge] = this.size;
      return `${-edge} ${-edge} ${columns * cell + 2 * edge} ${rows * cell + 2 * edge}`;
    },
    moves() {
      return this.state.mine ? this.state.moves : [];
    },
    others() {
      return this.moves.filter((move) => move.target === null);
    },
    hands() {
      return [...new Set(this.moves.filter((move) => move.target && !move.origin).map((move) => move.hand))];
    },
    symbols() {
      return Object.fromEntries(this.state.hands);
    },
    // Whether one says what is placed, or that something is placed, before one touches the board.
    holding() {
      return this.hands.length > 1 || (this.hands.length === 1 && this.moves.some((move) => move.origin));
    },
    shownMoves() {
      if (this.chosen) return this.moves.filter((move) => this.fits(move));
      return this.holding || this.moves.some((move) => move.origin) ? [] : this.moves;
    },
    cells() {
      const targets = new Set(this.shownMoves.filter((move) => move.target).map((move) => move.target.join()));
      const origins = new Set(this.moves.filter((move) => move.origin).map((move) => move.origin.join()));
      return this.state.names.map(([y, x, name]) => ({
        y, x, name,
        chosen: this.chosen !== null && same(this.chosen.origin, [y, x]),
        at: this.keyed && same(this.cursor, [y, x]),
        origin: origins.has(`${y},${x}`),
        target: targets.has(`${y},${x}`),
        full: this.state.cells[y][x] !== "",
      }));
    },
    spoken() {
      const cell = this.keyed && this.cursor && this.cells.find((each) => same([each.y, each.x], this.cursor));
      if (!cell) return "";
      const piece = this.state.cells[cell.y][cell.x];
      return [cell.name, piece, cell.target ? this.words.legal_target : ""].filter(Boolean).join(" ");
    },
  },
  watch: {
    state(now, before) {
      if (now.texts.join() === before.texts.join() && now.mine === before.mine) return;
      this.chosen = null;
      this.why = "";
      if (this.$refs.dialog?.open) this.$refs.dialog.close();
    },
    told(answer) {
      this.why = answer.why;
    },
  },
  mounted() {
    const popup = document.querySelector("#popup span");
    if (popup) popup.textContent = this.words.reconnecting;
  },
  methods: {
    fill,
    fits(move) {
      return this.chosen.origin ? same(move.origin, this.chosen.origin) : !move.origin && move.hand === this.chosen.hand;
    },
    play(move) {
      this.chosen = null;
      this.$emit("play", move.move);
    },
    take(hand) {
      this.chosen = this.chosen && this.chosen.hand === hand ? null : { origin: null, hand };
    },
    touch(cell) {
      this.why = "";
      if (!this.state.mine) return;
      const chosen = this.chosen;
      if (chosen && same(chosen.origin, cell)) {
        this.chosen = null;
        return;
      }
      const ending = this.moves.filter((move) => same(move.target, cell));
      const matching = chosen ? ending.filter((move) => this.fits(move)) : ending.filter((move) => !move.origin);
      const begins = this.moves.some((move) => same(move.origin, cell));
      if (begins && (chosen ? !matching.length : true)) this.chosen = { origin: cell, hand: null };
      else if (matching.length === 1) this.play(matching[0]);
      else if (matching.length) {
        this.several = matching;
        this.$refs.dialog.showModal();
      } else {
        const hand = chosen && !chosen.origin ? chosen.hand : (this.hands[0] ?? "");
        this.$emit("attempt", { origin: chosen?.origin ?? null, target: cell, hand });
        this.chosen = null;
      }
    },
    focused() {
      this.cursor ??= this.state.names[0].slice(0, 2);
      this.keyed = this.$refs.touch.matches(":focus-visible");
    },
    point(cell) {
      [this.cursor, this.keyed] = [cell, false];
      this.touch(cell);
    },
    key(event) {
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      this.keyed = true;
      if (step) {
        const [y, x] = this.cursor ?? [0, 0];
        const here = new Set(this.state.names.map(([row, column]) => `${row},${column}`));
        const [rows, columns] = this.size;
        for (let n = 1; n < Math.max(rows, columns); n += 1) {
          const next = [y + n * step[0], x + n * step[1]];
          // Boards on which only every second square is played on are crossed in steps of one.
          const near = [next, [next[0] + step[1], next[1] + step[0]], [next[0] - step[1], next[1] - step[0]]];
          const found = near.find((each) => here.has(each.join()));
          if (found) {
            this.cursor = found;
            break;
          }
        }
      } else if (event.key === "Enter" || event.key === " ") {
        if (this.cursor) this.touch(this.cursor);
      } else if (event.key === "Escape") this.chosen = null;
      else return;
      event.preventDefault();
    },
  },
};
