// A game in progress. The server applies the rules: it sends the position with the touchable squares.

import { Brush } from "studio/brush.js";
import { tr, trc } from "studio/texts.js";

const LEAVING = {
  fresh: { event: "fresh", asked: tr("Discard this game?"), told: (n) => tr("{n} moves have been played. They cannot be restored.", { n }), act: tr("Start a new game") },
  resign: { event: "resign", asked: tr("Resign this game?"), told: () => tr("The other side wins. “Take back” restores the game."), act: tr("Resign") },
};
const WAITS = { thinking: tr("thinking…"), judging: tr("judging the moves…"), compiling: tr("Compiling machine code, once for each game; this takes up to a minute…") };
// The most squares that are listed by name; more are counted.
const NAMED = 12;
const same = (a, b) => (a === null || b === null ? a === b : a[0] === b[0] && a[1] === b[1]);

export default {
  mixins: [Brush],
  props: ["heading", "others", "rules", "state", "told", "format", "painted"],
  emits: ["play", "attempt", "undo", "redo", "fresh", "resign", "seat", "record", "setup", "hint", "visit", "continue"],
  template: `
  <div><div id="main" class="play" tabindex="-1" @click.capture="act">
    <h1 class="unseen">{{ heading }}</h1>
    <div class="status">
      <p v-for="[address, text, words] in others" class="quiet">{{ text }} <a class="button" :href="address">{{ words }}</a></p>
      <p class="you">{{ state.you.before }}<template v-if="state.you.seat !== null"><span v-html="state.seats[state.you.seat].sign"></span> <b>{{ state.seats[state.you.seat].name }}</b></template>{{ state.you.after }}</p>
      <p class="turn" v-if="painted"><b>{{ tr("Set up a position") }}</b></p>
      <template v-else-if="state.looking">
        <p class="turn"><b>{{ state.looking.text }}</b></p>
        <div class="tools">
          <button type="button" data-do="back" @click="visit(null)">{{ tr("Back to the game") }}</button>
          <button type="button" data-do="continue" @click="$emit('continue')">{{ tr("Continue from here") }}</button>
        </div>
        <p class="quiet">{{ tr("Later moves are taken back; “Redo” restores them.") }}</p>
      </template>
      <template v-else>
        <p class="turn" :class="{ over: state.result }"><span v-if="state.to_move !== null" v-html="state.seats[state.to_move].sign"></span> <b>{{ state.result ? state.result.text : state.turn }}</b>
          <b v-if="state.check && !state.result" class="check">{{ state.check }}</b> <span v-if="state.waiting" class="quiet">{{ WAITS[state.waiting] }}</span></p>
        <p v-for="note in state.notes" class="quiet">{{ note }}</p>
        <p v-if="state.result && state.result.why" :title="state.result.name">{{ state.result.why }}</p>
      </template>
      <p class="standing"><span v-if="balance && !state.result"><span class="quiet">{{ tr("Evaluation") }}</span> <span :title="balance.by">{{ balance.text }}</span></span></p>
      <p id="spoken" class="unseen" role="status" aria-live="polite">{{ painted ? "" : said || state.spoken }}</p>
    </div>
    <div class="table">
      <div class="at-hand">
        <div class="told"><p class="why" role="alert">{{ wrong }}</p><p v-if="!wrong" class="prompt">{{ prompt }}</p></div>
        <div class="hand" v-if="shownHands.length || unplaced.length" role="group" :aria-label="tr('From the hand')">
          <span v-if="shownHands.length" class="quiet">{{ tr("From the hand") }}</span>
          <button v-for="[hand, symbol, piece] in shownHands" type="button" :title="piece" :disabled="!hands.includes(hand)" :aria-pressed="chosen !== null && chosen.hand === hand" :data-hand="hand" @click="take(hand)">{{ symbol }}</button>
          <button v-for="move in unplaced" type="button" :data-move="move.text" @click="play(move)">{{ move.text === "pass" ? tr("Pass") : move.text }}</button>
        </div>
      </div>
      <div class="beside-bar" :style="edges">
      <div v-if="balance" class="balance" :class="{ dark: balance.dark[0], flipped: turned !== (state.below === 1) }" role="img" :aria-label="tr('Evaluation') + ' ' + balance.text"><span :class="{ dark: balance.dark[1] }" :style="{ '--share': 100 - 100 * balance.share + '%' }"></span></div>
      <div class="stage" v-if="state.pictures.length">
        <div class="picture" aria-hidden="true" v-html="(painted ?? state).pictures[Number(turned)]"></div>
        <svg class="touch" ref="touch" role="group" :viewBox="view" :aria-label="painted ? tr('Board: arrow keys move, Space paints.') : tr('Board: arrow keys move, Enter plays, Escape deselects.')" @keydown="key">
          <g v-for="cell in cells" :key="cell.y + '-' + cell.x" :transform="'translate(' + corner(cell.y, cell.x).join(' ') + ')'">
            <path :d="'M0 0' + state.grid.shape" class="cell" :class="{ chosen: cell.chosen, origin: cell.origin, ready: cell.ready, empty: !cell.full }" role="button" :tabindex="cell.at ? 0 : -1" :aria-label="spoken(cell)" :aria-pressed="cell.origin && !painted ? cell.chosen : null"
                  :data-cell="cell.name" @focus="cursor = [cell.y, cell.x]" @pointerdown="painted && press($event, cell)" @click="point(cell)" @pointerenter="painted && drag($event, cell)"><title>{{ cell.name }}</title></path>
            <text v-if="numbered && !cell.full && !cell.target" class="number" :x="size[2] / 2" :y="size[2] / 2" aria-hidden="true">{{ cell.name }}</text>
            <circle v-if="cell.target" :cx="size[2] / 2" :cy="size[2] / 2" :r="cell.full ? size[2] * 0.44 : size[2] * 0.16" class="target" :class="{ full: cell.full }"/>
          </g>
          <path v-for="arrow in arrows" :d="arrow.path" class="arrow" :class="arrow.kind"/>
        </svg>
      </div>
      <p v-else class="quiet">{{ tr("Drawing…") }}</p>
      </div>
    </div>
    <aside class="side">
      <div v-if="painted" class="painting">
        <p class="quiet">{{ tr("Choose a piece, then touch squares; touch again to remove it.") }} <span class="keys">{{ tr("Board: arrow keys move, Space paints.") }}</span></p>
        <div aria-hidden="true" v-html="painted.definitions"></div>
        <div class="palette" role="group" :aria-label="tr('Piece')">
          <button v-for="piece in painted.palette" type="button" :aria-pressed="brushed === piece.sign" :data-brush="piece.sign"
                  :aria-label="piece.title" @click="brush = piece.sign" v-html="piece.picture"></button>
          <button type="button" :aria-pressed="brushed === ''" data-brush="" :aria-label="tr('Nothing (removes pieces)')" @click="brush = ''">✕</button>
        </div>
        <div class="tools">
          <label>{{ tr("To move") }}
            <select :value="painted.side" data-do="side" @change="paint({ side: Number($event.target.value) })">
              <option v-for="(seat, place) in state.sides" :value="place">{{ seat }}</option>
            </select></label>
          <button type="button" data-do="empty" @click="paint({ empty: true })">{{ tr("Empty board") }}</button>
        </div>
      </div>
      <template v-if="!painted">
      <div class="tools">
        <button v-if="swap" type="button" data-move="swap" @click="play(swap)">{{ tr("Swap sides") }}</button>
        <button type="button" data-do="undo" :aria-disabled="!state.undo" :tabindex="state.undo ? null : -1" @click="state.undo && $emit('undo')">{{ tr("Take back") }}</button>
        <button type="button" data-do="redo" :aria-disabled="!state.redo" :tabindex="state.redo ? null : -1" @click="state.redo && $emit('redo')">{{ trc("words", "Redo") }}</button>
        <button type="button" data-do="resign" :aria-disabled="!state.mine" :tabindex="state.mine ? null : -1" @click="state.mine && leave('resign')">{{ tr("Resign") }}</button>
        <button type="button" data-do="hint" :aria-disabled="!state.mine" :tabindex="state.mine ? null : -1" @click="ask">{{ tr("Hint") }}</button>
        <button type="button" data-do="fresh" @click="fresh">{{ tr("New game") }}</button>
        <button type="button" data-do="turn" aria-keyshortcuts="f" @click="flip">{{ tr("Flip") }}</button>
      </div>
      <p class="hinted" role="status"><template v-if="state.hint"><b>{{ tr("Hint") }}</b> {{ state.hint.text }}</template><span v-else-if="asking" class="unseen">{{ WAITS[state.waiting] }}</span></p>
      <h2>{{ trc("words", "Moves") }}</h2>
      <ol class="moves" @keydown="walk"><li v-for="(text, place) in state.texts" :key="place"><button type="button" :aria-current="place + 1 === at ? 'true' : null" :data-ply="place + 1" :title="state.steps[place] || null" @click="visit(place + 1)">{{ text }}</button></li></ol>
      <p class="step quiet"><template v-if="state.steps[at - 1]"><b>{{ state.texts[at - 1] }}</b> {{ state.steps[at - 1] }}</template></p>
      <div v-if="curve" class="course">
        <svg role="img" :aria-label="tr('Evaluation after each move, for {seat}', { seat: state.sides[0] })" :viewBox="'0 0 ' + curve.last + ' 100'" preserveAspectRatio="none" @click="visit(Math.round(($event.offsetX / $event.currentTarget.clientWidth) * curve.last))">
          <path :d="curve.path + curve.close" class="area"/><path :d="'M0 50H' + curve.last" class="level"/><path :d="'M' + at + ' 0V100'" class="here"/><path :d="curve.path" class="line"/>
        </svg>
        <span>{{ state.sides[0] }} 100 %</span><span>0 %</span><b v-if="curve.share">{{ curve.share }}</b>
      </div>
      <div class="tools">
        <button v-for="[sign, name, ply] in steps" type="button" :data-do="sign" :aria-label="name" :title="name" :disabled="ply === at" @click="visit(ply)">{{ sign }}</button>
        <button type="button" data-do="link" :disabled="!state.texts.length" @click="copy">{{ copied ? tr("Copied.") : tr("Copy the link") }}</button>
        <button v-if="format && !state.start" type="button" data-do="record" :disabled="!state.texts.length" @click="$emit('record')">{{ tr("Save as {format}", { format: format.toUpperCase() }) }}</button>
      </div>
      <h2>{{ tr("Who plays") }}</h2>
      <div v-for="(seat, place) in state.seats" class="seat"><label :for="'seat-' + place"><span v-html="seat.sign"></span> {{ seat.name }}</label>
        <select :id="'seat-' + place" :value="state.players[place]" :data-seat="place" :title="state.reads[place] || null" @change="$emit('seat', { place, player: $event.target.value })">
          <option :value="state.human.name">{{ state.human.title }}</option>
          <option v-for="level in state.levels" :value="level.player">{{ level.title }}</option>
        </select>
        <p v-if="state.measured[place] || state.reads[place]" class="quiet">{{ state.measured[place] || state.reads[place] }}</p>
      </div>
      </template>
      <details class="setup" :open="state.start !== '' || painted !== null" ref="setup">
        <summary>{{ tr("Set up a position") }}</summary>
        <div class="tools">
          <button v-if="painted" type="button" data-do="paint-end" @click="$emit('paint', { end: true })">{{ tr("Back to the game") }}</button>
          <button v-else type="button" data-do="paint" @click="begin">{{ tr("Paint it on the board") }}</button>
        </div>
        <details class="setup" :open="written !== null || state.trouble !== ''"><summary>{{ tr("As text") }}</summary>
          <textarea rows="4" spellcheck="false" :aria-label="tr('The position as text')" :value="written ?? (painted ? painted.text : state.start)" ref="position" @input="typed"></textarea>
          <p class="quiet">{{ state.position }}</p>
        </details>
        <div class="tools"><button type="button" data-do="setup" @click="$emit('setup', $refs.position.value)">{{ tr("Start from here") }}</button></div>
      </details>
      <details class="setup differs"><summary>{{ rules.changes ? rules.against : tr("Rule book") }}</summary>
        <ol class="book-of"><template v-for="one in rules.book"><li v-if="one.heading" class="part"><b>{{ one.heading }}</b></li><li :class="{ changed: one.was }">{{ one.text }} <span v-if="one.picture" class="picture" aria-hidden="true" v-html="one.picture"></span></li></template></ol>
      </details>
    </aside>
    <dialog ref="leaving" class="save" :aria-label="leaving.asked">
      <h2>{{ leaving.asked }}</h2>
      <p>{{ leaving.told(state.texts.length) }}</p>
      <div class="tools"><button type="button" data-do="keep" @click="$refs.leaving.close()">{{ tr("Cancel") }}</button>
        <button type="button" data-do="leave" @click="$refs.leaving.close(); $emit(leaving.event)">{{ leaving.act }}</button></div>
    </dialog>
    <dialog ref="dialog" class="save" :aria-label="tr('Which move?')">
      <h2>{{ tr("Which move?") }}</h2>
      <div class="tools"><button v-for="move in several" type="button" :data-move="move.text" @click="$refs.dialog.close(); play(move)">{{ move.text }}</button></div>
      <div class="tools"><button type="button" @click="$refs.dialog.close()">{{ tr("Cancel") }}</button></div>
    </dialog>
  </div></div>`,
  data: () => ({ chosen: null, cursor: null, several: [], why: "", said: "", asked: null, asking: false, leaving: LEAVING.fresh, held: [], written: null, flipped: localStorage.getItem(`flipped ${location.pathname}`) === "true", copied: false, WAITS }),
  computed: {
    size() {
      return this.state.size;
    },
    // The reader's own side is below unless the reader turns the board.
    turned() {
      return this.state.turned !== this.flipped;
    },
    view() {
      const [edge, { width, height }] = [this.size[3], this.state.grid];
      return `${-edge} ${-edge} ${width + 2 * edge} ${height + 2 * edge}`;
    },
    // Returns how far the board's squares are from the sides of its picture.
    edges() {
      const [edge, { width, height }] = [this.size[3], this.state.grid];
      const part = (length) => `${(100 * edge) / (length + 2 * edge)}%`;
      return { "--across": part(width), "--down": part(height) };
    },
    moves() {
      return this.state.mine && !this.painted ? this.state.moves : [];
    },
    // Returns arrows of the last and the best move; a ring if the piece was placed.
    arrows() {
      if (this.painted) return [];
      const [from, to] = (this.state.last ?? []).map((name) => this.state.names.find((square) => square[2] === name));
      const { origin, target } = this.moves.find((move) => move.move === this.state.hint?.move) ?? {};
      const moves = [{ kind: "last", from, to }, { kind: "best", from: origin, to: target }];
      return moves.filter((move) => move.to).map(({ kind, from, to }) => ({ kind: from ? kind : `ring ${kind}`, path: from ? this.arrow(from, to) : this.ring(to) }));
    },
    // Returns the evaluations as a path over the plies, or null if there are none.
    curve() {
      const known = this.state.curve.map((share, ply) => [ply, share]).filter(([, share]) => share !== null);
      if (!known.length) return null;
      const [path, last] = [`M${known.map(([ply, share]) => `${ply} ${100 - 100 * share}`).join("L")}`, this.state.texts.length];
      const share = this.state.curve[this.at];
      return { path, last, close: `V50H${known[0][0]}z`, share: typeof share === "number" ? `${Math.round(100 * share)} %` : "" };
    },
    steps() {
      const last = this.state.texts.length;
      return [
        ["«", tr("To the start"), 0], ["‹", tr("Previous move"), Math.max(this.at - 1, 0)],
        ["›", tr("Next move"), Math.min(this.at + 1, last)], ["»", tr("To the end"), last],
      ];
    },
    unplaced() {
      return this.moves.filter((move) => move.target === null && move !== this.swap);
    },
    swap() {
      return this.moves.find((move) => move.text === "swap");
    },
    hands() {
      return [...new Set(this.moves.filter((move) => move.target && !move.origin).map((move) => move.hand))];
    },
    pieces() {
      return Object.fromEntries(this.state.hands.map(([hand, , piece]) => [hand, piece]));
    },
    // The hand remains during other turns, so that the board does not move.
    shownHands() {
      if (this.painted) return [];
      return !this.state.mine ? this.held : this.holding ? this.state.hands : [];
    },
    wrong() {
      return this.painted ? this.painted.problem : this.why || this.state.trouble;
    },
    balance() {
      return this.state.looking || this.painted ? null : this.state.standing;
    },
    // Tells the player what to touch next.
    prompt() {
      if (!this.moves.length) return "";
      const hand = this.chosen ? this.chosen.hand : this.hands[0];
      const moving = this.moves.some((move) => move.origin);
      if (this.chosen?.origin) return tr("Choose the square to move to.");
      if (this.chosen || (this.hands.length === 1 && !moving)) return tr("Choose a square: {piece}.", { piece: this.pieces[hand] });
      if (moving && this.hands.length === 1) return tr("Choose a piece to move, or an empty square to place one there: {piece}.", { piece: this.pieces[hand] });
      if (moving) return this.hands.length ? tr("Choose a piece to move, or one from the hand to place.") : tr("Choose a piece to move.");
      return this.hands.length ? tr("Choose what to place.") : "";
    },
    // Returns true if a piece in hand must be chosen before a square.
    holding() {
      return this.hands.length > 1 || (this.hands.length === 1 && this.moves.some((move) => move.origin));
    },
    shownMoves() {
      if (this.chosen) return this.moves.filter((move) => this.fits(move));
      const unclear = this.hands.length > 1 || (!this.hands.length && this.moves.some((move) => move.origin));
      return unclear ? [] : this.moves.filter((move) => !move.origin);
    },
    // Returns true if squares have numbers, which coordinates do not show.
    numbered() {
      return this.state.names.every(([, , name]) => /^\d+$/.test(name));
    },
    // Returns the first square to focus: that of a movable piece, or a target.
    first() {
      const { origin, target } = this.moves.find((move) => move.target) ?? {};
      return origin ?? target ?? this.state.names[0].slice(0, 2);
    },
    titles() {
      return Object.fromEntries(this.painted.palette.map((piece) => [piece.sign, piece.title]));
    },
    cells() {
      const targets = new Set(this.shownMoves.filter((move) => move.target).map((move) => move.target.join()));
      const origins = new Set(this.moves.filter((move) => move.origin).map((move) => move.origin.join()));
      return this.state.names.map(([y, x, name]) => ({
        y, x, name,
        chosen: this.chosen !== null && same(this.chosen.origin, [y, x]),
        at: same(this.cursor ?? this.first, [y, x]),
        origin: this.painted !== null || origins.has(`${y},${x}`),
        ready: this.chosen === null && origins.has(`${y},${x}`),
        target: targets.has(`${y},${x}`),
        full: this.state.cells[y][x] !== "",
      }));
    },
    // Returns the number of plies before the displayed position.
    at() {
      return this.state.looking ? this.state.looking.plies : this.state.texts.length;
    },
  },
  watch: {
    // Typed text survives updates until another position is painted or set up.
    "painted.text"() {
      this.written = null;
    },
    "state.start"() {
      this.written = null;
    },
    // The focus moves to the painted board, and back to the button that opened it.
    async painted(now, before) {
      if (!now === !before) return;
      await this.$nextTick();
      (now ? this.$refs.touch.querySelector("[tabindex='0']") : this.$refs.setup.querySelector("summary")).focus();
    },
    shownHands(now) {
      if (this.state.mine) this.held = now;
    },
    state(now, before) {
      this.asking &&= !now.hint && (now.waiting !== "" || before.waiting === "");
      if (now.texts.join() === before.texts.join() && now.mine === before.mine && now.start === before.start && now.looking?.plies === before.looking?.plies) return;
      this.chosen = null;
      this.copied = false;
      this.said = "";
      this.refuse("");
      if (this.$refs.dialog?.open) this.$refs.dialog.close();
    },
    // Updates repeat the last answer, which may be late; only the answer to the last request counts.
    told(answer) {
      if (answer && answer.count === this.asked) this.refuse(answer.why);
    },
  },
  mounted() {
    addEventListener("keydown", this.shortcut);
  },
  unmounted() {
    removeEventListener("keydown", this.shortcut);
  },
  methods: {
    tr,
    trc,
    // Returns the upper left corner of a square's piece.
    corner(y, x) {
      const [{ shift, pitch, width, height }, size] = [this.state.grid, this.size[2]];
      const [left, top] = [x * size + y * shift, y * pitch];
      return this.turned ? [width - left - size, height - top - size] : [left, top];
    },
    arrow(from, to) {
      const [[ox, oy], [tx, ty]] = [from, to].map((cell) => this.corner(cell[0], cell[1]).map((edge) => edge + this.size[2] / 2));
      const length = Math.hypot(tx - ox, ty - oy);
      const [dx, dy] = [(tx - ox) / length, (ty - oy) / length];
      const [x, y, baseX, baseY] = [tx - 2 * dx, ty - 2 * dy, tx - 5 * dx, ty - 5 * dy];
      return `M${ox} ${oy}L${baseX} ${baseY}L${baseX - 1.5 * dy} ${baseY + 1.5 * dx}L${x} ${y}L${baseX + 1.5 * dy} ${baseY - 1.5 * dx}L${baseX} ${baseY}`;
    },
    ring(cell) {
      const [left, top] = this.corner(cell[0], cell[1]);
      return `M${left + 0.5} ${top + 5}a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0`;
    },
    async copy() {
      const query = new URLSearchParams(location.search);
      query.set("moves", this.state.texts.slice(0, this.at).join(" "));
      query.set("start", this.state.start);
      const link = `${location.origin}${location.pathname}?${query}`;
      // Browsers give the clipboard to secure addresses only.
      this.copied = await navigator.clipboard?.writeText(link).then(() => true, () => false);
      if (!this.copied) prompt(tr("Link to this position"), link);
    },
    shortcut(event) {
      if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select, dialog")) return;
      if (event.key === "f") this.flip();
      const step = this.steps[{ ArrowLeft: 1, ArrowRight: 2 }[event.key]];
      if (step && !this.painted && !event.target.closest(".touch, .moves")) this.visit(step[2]);
    },
    flip() {
      this.flipped = !this.flipped;
      localStorage.setItem(`flipped ${location.pathname}`, this.flipped);
    },
    fits(move) {
      return this.chosen.origin ? same(move.origin, this.chosen.origin) : !move.origin && move.hand === this.chosen.hand;
    },
    play(move) {
      this.chosen = null;
      this.$emit("play", move.move);
    },
    // A refusal concerns the last action only.
    act(event) {
      if (event.target.closest("button, summary")) this.refuse("");
    },
    ask() {
      this.asking = this.state.mine;
      if (this.asking) this.$emit("hint");
    },
    begin() {
      this.chosen = null;
      this.refuse("");
      this.paint({});
    },
    // Sends a change of the painted position to the server, which redraws it.
    paint(change) {
      this.$emit("paint", change);
    },
    on({ y, x }) {
      return this.painted.cells[y][x];
    },
    typed(event) {
      clearTimeout(this.timer);
      const text = (this.written = event.target.value);
      if (this.painted) this.timer = setTimeout(() => this.paint({ text }), 200);
    },
    take(hand) {
      this.refuse("");
      this.chosen = this.chosen && this.chosen.hand === hand ? null : { origin: null, hand };
    },
    refuse(why) {
      [this.why, this.asked] = [why, null];
    },
    touch(cell) {
      // The piece remains picked up after a refused square.
      const refused = this.why !== "";
      this.refuse("");
      if (!this.state.mine) return;
      const chosen = this.chosen;
      const piece = `${this.state.names.find((square) => same(square, cell))[2]}, ${this.state.cells[cell[0]][cell[1]]}`;
      if (chosen && same(chosen.origin, cell) && !refused) {
        this.chosen = null;
        this.said = tr("{piece}: put back", { piece });
        return;
      }
      const ending = this.moves.filter((move) => same(move.target, cell));
      const matching = chosen ? ending.filter((move) => this.fits(move)) : ending.filter((move) => !move.origin);
      const begins = this.moves.some((move) => same(move.origin, cell));
      if (begins && (chosen ? !matching.length : true)) {
        this.chosen = { origin: cell, hand: null };
        const targets = new Set(this.shownMoves.map((move) => this.state.names.find((square) => same(square, move.target))?.[2]).filter(Boolean));
        this.said = tr("{piece}: picked up. Target squares: {squares}", { piece, squares: targets.size > NAMED ? targets.size : [...targets].join(", ") });
      } else if (matching.length === 1) this.play(matching[0]);
      else if (matching.length) {
        this.several = matching;
        this.$refs.dialog.showModal();
      } else {
        const hand = chosen && !chosen.origin ? chosen.hand : (this.hands[0] ?? "");
        this.asked = Math.random();
        this.$emit("attempt", { origin: chosen?.origin ?? null, target: cell, hand, count: this.asked });
      }
    },
    // Returns a square's text for screen readers: its name, its piece, and a note if it can move or is a target.
    spoken(cell) {
      const piece = this.painted ? this.titles[this.painted.cells[cell.y][cell.x]] : this.state.cells[cell.y][cell.x];
      return [cell.name, piece, cell.ready && tr("can move"), cell.target && (this.chosen?.origin ? tr("may be moved to") : tr("may be placed on"))].filter(Boolean).join(", ");
    },
    fresh() {
      if (this.state.in_play) this.leave("fresh");
      else this.$emit("fresh");
    },
    // Asks for confirmation.
    leave(action) {
      this.leaving = LEAVING[action];
      this.$refs.leaving.showModal();
    },
    // Shows an earlier position, or the current one if `plies` is null.
    visit(plies) {
      this.chosen = null;
      this.refuse("");
      this.$emit("visit", plies ?? -1);
    },
    walk(event) {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      const next = by && event.target.closest("li")?.[by < 0 ? "previousElementSibling" : "nextElementSibling"];
      if (!next) return;
      next.firstElementChild.focus();
      next.firstElementChild.click();
      event.preventDefault();
    },
    point(cell) {
      [this.cursor, this.column] = [[cell.y, cell.x], cell.x];
      if (this.painted) this.click(cell);
      else this.touch(this.cursor);
    },
    stand(cell) {
      this.$refs.touch.querySelector(`[data-cell="${cell.name}"]`).focus();
    },
    key(event) {
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      if (step) {
        if (this.turned) step.forEach((by, axis) => (step[axis] = -by));
        const [y, x] = this.cursor;
        const squares = new Set(this.state.names.map(([row, column]) => `${row},${column}`));
        const [rows, columns] = this.size;
        const column = this.column ?? x;
        for (let n = 1; n < Math.max(rows, columns); n += 1) {
          const next = [y + n * step[0], x + n * step[1]];
          // Boards that use every second square are crossed row by row, near the original column.
          const near = step[1] ? [next] : [next, [next[0], x - 1], [next[0], x + 1]].sort((a, b) => Math.abs(a[1] - column) - Math.abs(b[1] - column));
          const target = near.find((cell) => squares.has(cell.join()));
          if (target) {
            this.stand(this.cells.find((cell) => same([cell.y, cell.x], target)));
            this.column = step[1] ? target[1] : column;
            break;
          }
        }
      } else if (event.key === "Home" || event.key === "End") this.stand(this.rowEnd(this.cells, this.cursor[0], this.turned === (event.key === "Home") ? "End" : "Home"));
      else if (event.key === "Enter" || event.key === " ") {
        if (this.painted) this.stroke({ y: this.cursor[0], x: this.cursor[1] });
        else this.touch(this.cursor);
      } else if (event.key === "Escape") [this.chosen, this.said] = [null, ""];
      else return;
      event.preventDefault();
    },
  },
};
