// A game in progress. The server applies the rules: it sends the position with the touchable squares.

import { Board } from "studio/board.js";
import { Painted } from "studio/painted.js";
import { tr, trc } from "studio/texts.js";

// The most squares that are listed by name; more are counted.
const NAMED = 12;
const same = (a, b) => (a && b ? a[0] === b[0] && a[1] === b[1] : a === b);

export default {
  components: { Board, Painted },
  props: ["heading", "others", "rules", "asking", "state", "told", "format", "painted"],
  emits: ["act", "attempt", "record", "paint", "visit"],
  template: `
  <div><div id="main" class="play" tabindex="-1" @click.capture="attempt = null">
    <h1 class="unseen">{{ heading }}</h1>
    <div class="status">
      <p v-for="[address, text, words] in others" class="quiet">{{ text }} <a class="button" :href="address">{{ words }}</a></p>
      <p v-if="painted" class="turn"><b>{{ tr("Set up a position") }}</b></p>
      <template v-else>
      <p v-if="state.you" class="you">{{ state.you }}</p>
      <p class="turn" :class="{ over: state.over }" role="status"><span v-if="state.to_move !== null" v-html="state.seats[state.to_move].sign"></span> <b>{{ state.turn }}</b><span v-if="state.check" class="unseen">. </span>
        <b v-if="state.check" class="check">{{ state.check }}</b> <span class="quiet">{{ state.waiting }}</span></p>
      <p class="quiet notes">{{ state.notes.join(" · ") }} <a v-if="state.over" :href="asking">{{ tr("Ask about these rules") }}</a></p>
      <template v-if="state.at < state.texts.length">
        <div class="tools">
          <button type="button" data-do="back" @click="visit(state.texts.length)">{{ tr("Back to the game") }}</button>
          <button type="button" data-do="continue" @click="act('go_to', state.at)">{{ tr("Continue from here") }}</button>
        </div>
        <p class="quiet">{{ tr("Later moves are taken back; “Redo” restores them.") }}</p>
      </template>
      <p class="standing"><span v-if="state.standing" :title="state.standing.exact ? null : tr('From one search, not from games.')"><span class="quiet">{{ tr("Evaluation") }}</span> {{ state.standing.text }}</span></p>
      </template>
    </div>
    <div class="table">
      <Painted v-if="painted" :board="painted" :title="tr('Board')" :turned="turned" @paint="$emit('paint', $event)" />
      <template v-else>
      <div class="at-hand">
        <div class="told"><p class="why" role="alert">{{ why }}</p><p v-if="!why" class="prompt" :aria-live="chosen ? 'polite' : 'off'">{{ prompt }}</p></div>
        <div class="tools" v-if="holding || unplaced.length" role="group" :aria-label="tr('From the hand')">
          <template v-if="holding"><span class="quiet">{{ tr("From the hand") }}</span>
            <button v-for="[hand, symbol, piece] in state.hands" type="button" :title="piece" :aria-label="piece" :aria-pressed="chosen?.hand === hand" :data-hand="hand" @click="take(hand)">{{ symbol }}</button></template>
          <button v-for="move in unplaced" type="button" :data-move="move.text" @click="play(move)">{{ { pass: tr("Pass"), swap: tr("Swap sides") }[move.text] ?? move.text }}</button>
        </div>
      </div>
      <Board :board="state" :cells="cells" :turned="turned" :arrows="arrows" :balance="balance" :label="tr('Board: arrow keys move, Enter plays, Escape deselects.')" @touch="touch" />
      </template>
    </div>
    <aside class="side">
      <div v-if="painted" class="setup">
        <label>{{ tr("The position as text; empty for the start") }}<textarea :key="painted.text" rows="4" spellcheck="false" ref="text" @change="$emit('paint', { text: $event.target.value })">{{ painted.text }}</textarea></label>
        <div class="tools"><button type="button" class="main" data-do="setup" @click="$emit('paint', { text: $refs.text.value, begin: true })">{{ tr("Start from here") }}</button>
          <button type="button" data-do="paint-end" @click="$emit('paint', { end: true })">{{ tr("Back to the game") }}</button></div>
      </div>
      <template v-else>
      <div class="tools">
        <button v-for="[name, words, able] in tools" type="button" :data-do="name" :aria-disabled="!able" :tabindex="able ? null : -1" @click="able && act(name)">{{ words }}</button>
        <button type="button" data-do="turn" aria-keyshortcuts="f" @click="flip">{{ tr("Flip") }}</button>
      </div>
      <p class="hinted" role="status"><template v-if="state.hint"><b>{{ tr("Hint") }}</b> {{ state.hint.text }}</template></p>
      <h2>{{ trc("words", "Moves") }}</h2>
      <ol class="moves"><li v-for="(text, place) in state.texts" :key="place"><button type="button" :aria-current="place + 1 === state.at ? 'true' : null" :data-ply="place + 1" :title="state.steps[place] || null" @click="visit(place + 1)">{{ text }}</button></li></ol>
      <p class="step quiet" role="status"><template v-if="state.steps[state.at - 1]"><b>{{ state.texts[state.at - 1] }}</b> {{ state.steps[state.at - 1] }}</template></p>
      <div v-if="curve" class="course">
        <svg role="img" :aria-label="tr('Evaluation after each move, for {seat}', { seat: state.sides[0].name })" :viewBox="'0 0 ' + curve.last + ' 100'" preserveAspectRatio="none" @click="visit(Math.round(($event.offsetX / $event.currentTarget.clientWidth) * curve.last))">
          <path :d="curve.path + curve.close" class="area"/><path :d="'M0 50H' + curve.last" class="level"/><path :d="'M' + state.at + ' 0V100'" class="here"/><path :d="curve.path" class="line"/>
        </svg>
        <span>{{ state.sides[0].name }} 100 %</span><span>0 %</span><b v-if="curve.share">{{ curve.share }}</b>
      </div>
      <div class="tools">
        <button v-for="[sign, name, ply] in steps" type="button" :data-do="sign" :aria-label="name" :title="name" :disabled="ply === state.at" @click="visit(ply)">{{ sign }}</button>
        <button type="button" data-do="link" :disabled="!state.texts.length" @click="copy">{{ copied === link ? tr("Copied.") : tr("Copy the link") }}</button>
        <button v-if="format && !state.start" type="button" data-do="record" :disabled="!state.texts.length" @click="$emit('record')">{{ tr("Save as {format}", { format: format.toUpperCase() }) }}</button>
      </div>
      <h2>{{ tr("Who plays") }}</h2>
      <div v-for="(seat, place) in state.seats" class="seat"><label :for="'seat-' + place"><span v-html="seat.sign"></span> {{ seat.name }}</label>
        <select :id="'seat-' + place" :value="state.players[place]" :data-seat="place" @change="act('seat', place, $event.target.value)">
          <option v-for="level in state.levels" :value="level.player">{{ level.name }}</option>
        </select>
        <p class="quiet">{{ state.levels.find(({ player }) => player === state.players[place])?.told }}</p>
      </div>
      <div class="tools"><button type="button" data-do="paint" @click="$emit('paint', {})">{{ tr("Set up a position") }}</button></div>
      </template>
      <details class="setup book"><summary>{{ rules.some(({ was }) => was) ? tr("Rule book; changes: {n}", { n: rules.filter(({ was }) => was).length }) : tr("Rule book") }}</summary>
        <ol><template v-for="one in rules"><li v-if="one.heading" class="part"><h3>{{ one.heading }}</h3></li><li :class="{ changed: one.was }">{{ one.text }} <span v-if="one.picture" class="picture" aria-hidden="true" v-html="one.picture"></span></li></template></ol>
      </details>
    </aside>
    <dialog ref="dialog" class="save" :aria-label="asked.title">
      <h2>{{ asked.title }}</h2>
      <p>{{ asked.text }}</p>
      <div class="tools"><button v-for="[name, words, choose] in asked.choices" type="button" :data-do="name" @click="$refs.dialog.close(); choose()">{{ words }}</button>
        <button type="button" data-do="keep" @click="$refs.dialog.close()">{{ tr("Cancel") }}</button></div>
    </dialog>
  </div></div>`,
  // The piece that was picked up has an `origin` on the board, or is in the `hand`.
  data: () => ({ chosen: null, attempt: null, asked: {}, flipped: localStorage.getItem(`flipped ${location.pathname}`) === "true", copied: "" }),
  computed: {
    // The reader's own side is below unless the reader turns the board.
    turned() {
      return this.state.turned !== this.flipped;
    },
    balance() {
      if (!this.state.standing) return null;
      const { sides, standing: { share } } = this.state;
      const [below, above] = this.turned === (this.state.below === 1) ? sides : [sides[1], sides[0]];
      return { below, above, share: below === sides[0] ? share : 1 - share };
    },
    tools() {
      const { undo, redo, texts, over } = this.state;
      const isMine = this.state.moves.length > 0;
      return [
        ["undo", tr("Take back"), undo], ["redo", trc("words", "Redo"), redo], ["resign", tr("Resign"), isMine],
        ["hint", tr("Hint"), isMine], ["new", tr("New game"), true],
      ];
    },
    // Returns arrows of the last and the best move.
    arrows() {
      const best = this.state.moves.find((move) => move.move === this.state.hint?.move);
      const moves = [{ kind: "last", ...this.state.last }, { kind: "best", ...best }];
      return moves.filter((move) => move.target).map(({ kind, origin, target }) => ({ kind, from: this.cell(origin), to: this.cell(target) }));
    },
    // Returns the evaluations as a path over the plies, or null if there are none.
    curve() {
      const known = this.state.curve.map((share, ply) => [ply, share]).filter(([, share]) => share !== null);
      if (!known.length || !this.state.texts.length) return null;
      const [path, last] = [`M${known.map(([ply, share]) => `${ply} ${100 - 100 * share}`).join("L")}`, this.state.texts.length];
      const share = this.state.curve[this.state.at];
      return { path, last, close: `V50H${known[0][0]}z`, share: share === null ? "" : `${Math.round(100 * share)} %` };
    },
    steps() {
      const [at, last] = [this.state.at, this.state.texts.length];
      return [
        ["«", tr("To the start"), 0], ["‹", tr("Previous move"), Math.max(at - 1, 0)],
        ["›", tr("Next move"), Math.min(at + 1, last)], ["»", tr("To the end"), last],
      ];
    },
    // Returns the address of the position.
    link() {
      const query = new URLSearchParams(location.search);
      query.set("moves", this.state.texts.slice(0, this.state.at).join(" "));
      query.set("start", this.state.start);
      return `${location.origin}${location.pathname}?${query}`;
    },
    unplaced() {
      return this.state.moves.filter((move) => !move.target);
    },
    moving() {
      return this.state.moves.some((move) => move.origin);
    },
    // Returns true if a piece in hand must be chosen before a square.
    holding() {
      return this.state.hands.length > (this.moving ? 0 : 1);
    },
    why() {
      return (this.told && this.told.count === this.attempt && this.told.why) || this.state.trouble;
    },
    shownMoves() {
      if (this.chosen) return this.state.moves.filter((move) => this.fits(move, this.chosen));
      return this.state.hands.length > 1 || (!this.state.hands.length && this.moving) ? [] : this.state.moves.filter((move) => !move.origin);
    },
    // Tells the player what to touch next.
    prompt() {
      if (!this.state.moves.length) return "";
      const hands = this.state.hands;
      const piece = hands.find(([hand]) => hand === (this.chosen?.hand ?? hands[0][0]))?.[2];
      if (this.chosen?.origin) {
        const squares = [...new Set(this.shownMoves.map(({ target }) => this.cell(target)?.name).filter(Boolean))];
        const { name, piece } = this.cell(this.chosen.origin);
        return tr("{piece}: picked up. Target squares: {squares}", { piece: `${name}, ${piece}`, squares: squares.length > NAMED ? squares.length : squares.join(", ") });
      }
      if (this.chosen || (hands.length === 1 && !this.moving)) return tr("Choose a square: {piece}.", { piece });
      if (this.moving && hands.length === 1) return tr("Choose a piece to move, or an empty square to place one there: {piece}.", { piece });
      if (this.moving) return hands.length ? tr("Choose a piece to move, or one from the hand to place.") : tr("Choose a piece to move.");
      return hands.length ? tr("Choose what to place.") : "";
    },
    cells() {
      const targets = new Set(this.shownMoves.map((move) => String(move.target)));
      const origins = new Set(this.state.moves.map((move) => String(move.origin)));
      // Squares may have numbers, which coordinates do not show.
      const numbered = this.state.cells.every(({ name }) => /^\d+$/.test(name));
      return this.state.cells.map(({ y, x, name, piece }) => {
        const [origin, target] = [origins.has(`${y},${x}`), targets.has(`${y},${x}`)];
        const chosen = same(this.chosen?.origin, [y, x]);
        const ready = origin && !this.chosen;
        const use = target && (this.chosen?.origin ? tr("may be moved to") : tr("may be placed on"));
        return {
          y, x, name, target,
          full: piece !== "",
          number: numbered && piece === "" && !target,
          marks: { chosen, origin, ready, empty: piece === "" },
          pressed: origin ? chosen : null,
          spoken: [name, piece, ready && tr("can move"), use].filter(Boolean).join(", "),
        };
      });
    },
  },
  watch: {
    // The focus moves to the painted board, and back to the button that opened it.
    async painted(now, before) {
      if (!now === !before) return;
      await this.$nextTick();
      document.querySelector(now ? ".touch [tabindex='0']" : "[data-do=paint]").focus();
    },
  },
  mounted() {
    addEventListener("keydown", this.shortcut);
  },
  updated() {
    // What stands below does not move when there is less to say or to drop.
    const hand = this.$el.querySelector(".at-hand");
    if (hand) hand.style.minHeight = `${hand.offsetHeight}px`;
  },
  unmounted() {
    removeEventListener("keydown", this.shortcut);
  },
  methods: {
    tr,
    trc,
    cell(place) {
      return this.state.cells.find(({ y, x }) => same([y, x], place));
    },
    async copy() {
      const link = this.link;
      // Browsers give the clipboard to secure addresses only.
      if (await navigator.clipboard?.writeText(link).then(() => true, () => false)) this.copied = link;
      else prompt(tr("Link to this position"), link);
    },
    shortcut(event) {
      if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select, dialog")) return;
      if (event.key === "f") this.flip();
      if (event.key === "Escape") this.chosen = this.attempt = null;
      const step = this.steps[{ ArrowLeft: 1, ArrowRight: 2 }[event.key]];
      if (step && !this.painted && !event.target.closest(".touch")) this.visit(step[2]);
    },
    flip() {
      this.flipped = !this.flipped;
      localStorage.setItem(`flipped ${location.pathname}`, this.flipped);
    },
    fits(move, chosen) {
      return chosen !== null && (chosen.origin ? same(move.origin, chosen.origin) : !move.origin && move.hand === chosen.hand);
    },
    play(move) {
      this.act("play", move.move);
    },
    // Changes the game, after a question if something may be lost.
    act(name, ...values) {
      this.chosen = null;
      const { texts, over } = this.state;
      const act = () => this.$emit("act", [name, ...values]);
      if (name === "resign") this.ask(tr("Resign this game?"), tr("The other side wins. “Take back” restores the game."), [["leave", tr("Resign"), act]]);
      else if (name === "new" && texts.length && !over) this.ask(tr("Discard this game?"), tr("{n} moves have been played. They cannot be restored.", { n: texts.length }), [["leave", tr("Start a new game"), act]]);
      else act();
    },
    async ask(title, text, choices) {
      this.asked = { title, text, choices };
      await this.$nextTick();
      this.$refs.dialog.showModal();
      // What cannot be restored is not at hand.
      if (text) this.$refs.dialog.querySelector("[data-do=keep]").focus();
    },
    take(hand) {
      this.chosen = this.chosen?.hand === hand ? null : { origin: null, hand };
    },
    touch({ y, x }) {
      this.attempt = null;
      const [picked, cell] = [this.chosen, [y, x]];
      this.chosen = null;
      if (!this.state.moves.length || same(picked?.origin, cell)) return;
      const ending = this.state.moves.filter((move) => same(move.target, cell));
      const matching = ending.filter((move) => (picked ? this.fits(move, picked) : !move.origin));
      if (!matching.length && this.state.moves.some((move) => same(move.origin, cell))) this.chosen = { origin: cell, hand: null };
      else if (matching.length === 1) this.play(matching[0]);
      else if (matching.length) {
        const distinct = new Set(matching.map(({ becomes }) => becomes)).size === matching.length;
        this.ask(tr("Which move?"), "", matching.map((move) => [move.text, distinct ? move.becomes : move.text, () => this.play(move)]));
      }
      else {
        const hand = picked?.hand ?? this.state.hands[0]?.[0] ?? "";
        this.attempt = Math.random();
        this.$emit("attempt", { origin: picked?.origin ?? null, target: cell, hand, count: this.attempt });
      }
    },
    // Shows the position after some moves.
    visit(plies) {
      this.chosen = null;
      this.$emit("visit", plies);
    },
  },
};
