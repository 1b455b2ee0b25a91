// The page of a ruleset: choices, rule book and YAML beside each other. It keeps no rules of its own: what it shows is
// the `state` that the server sends, and what its user does goes to the server as an event.

import { Brush } from "studio/brush.js";
import { Editor } from "studio/editor.js";
import { fill } from "studio/fill.js";

const Position = {
  // The position of a toggle, fetched when it comes into sight.
  props: ["url", "words", "title"],
  template: `
    <figure class="position" :class="{ small: none || failed }" ref="root">
      <template v-if="shown">
        <div class="picture" role="img" :aria-label="fill(words.board, {title}) + ' ' + shown.captions[0]" v-html="shown.picture"></div>
        <figcaption>
          <p v-for="caption in shown.captions">{{ caption }}</p>
          <p class="quiet" v-if="shown.notes.length">{{ shown.notes.join(" · ") }}</p>
        </figcaption>
      </template>
      <p v-else-if="failed" class="quiet">{{ words.not_drawn }}</p>
      <p v-else-if="none" class="quiet">{{ words.no_position }}</p>
      <p v-else class="quiet drawing">{{ words.drawing }}</p>
    </figure>`,
  data: () => ({ shown: null, none: false, failed: false, near: false }),
  watch: {
    url() {
      if (this.near) this.load();
    },
  },
  mounted() {
    this.observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        this.near = true;
        this.observer.disconnect();
        this.load();
      },
      { rootMargin: "400px" },
    );
    this.observer.observe(this.$refs.root);
  },
  unmounted() {
    this.observer.disconnect();
  },
  methods: {
    fill,
    async load() {
      const url = this.url;
      let shown = null;
      let failed = false;
      try {
        const answer = await fetch(url);
        shown = await answer.json();
        failed = !answer.ok;
      } catch {
        failed = true;
      }
      if (url !== this.url) return; // another one was asked for meanwhile
      [this.shown, this.failed, this.none] = [failed ? null : shown, failed, !failed && shown === null];
    },
  },
};

const Painted = {
  // What a ruleset draws, to be painted: a click puts the chosen piece on a square, or a mark, or takes it away.
  mixins: [Brush],
  props: ["board", "words", "title"],
  template: `
    <div class="painted">
      <p v-if="board.problem" class="clash">{{ board.problem }}</p>
      <template v-else>
        <p class="quiet">{{ board.palette.length ? words.paint_how : words.paint_marks }}</p>
        <div v-if="board.palette.length" class="palette" role="group" :aria-label="words.paint_piece">
          <button v-for="piece in board.palette" type="button" :aria-pressed="brush === piece.sign" :data-brush="piece.sign"
                  :aria-label="piece.symbol + ' ' + piece.sign" @click="brush = piece.sign"><span aria-hidden="true">{{ piece.symbol }}</span></button>
          <button type="button" :aria-pressed="brush === ''" data-brush="" :aria-label="words.paint_nothing" @click="brush = ''">✕</button>
        </div>
        <div class="stage">
          <div class="picture" aria-hidden="true" v-html="board.picture"></div>
          <svg class="touch" tabindex="0" role="application" :viewBox="view" :aria-label="fill(words.board, { title }) + ' ' + words.board_keys"
               @keydown="key" @blur="keyed = false" @focus="keyed = $event.target.matches(':focus-visible')">
            <rect v-for="(cell, place) in board.cells" :key="cell.name" :x="cell.x * board.size[2]" :y="cell.y * board.size[2]" :width="board.size[2]" :height="board.size[2]"
                  class="cell origin" :class="{ at: keyed && place === at }" :data-cell="cell.name" @pointerdown="press($event, cell)" @click="click(cell)" @pointerenter="drag($event, cell)"><title>{{ cell.name }}</title></rect>
          </svg>
          <span class="unseen" aria-live="assertive">{{ keyed ? spoken : "" }}</span>
        </div>
      </template>
    </div>`,
  data: () => ({ at: 0, keyed: false }),
  computed: {
    view() {
      const [rows, columns, cell, edge] = this.board.size;
      return `${-edge} ${-edge} ${columns * cell + 2 * edge} ${rows * cell + 2 * edge}`;
    },
    spoken() {
      const cell = this.board.cells[this.at];
      return `${cell.name} ${cell.sign}`;
    },
  },
  methods: {
    fill,
    on: (cell) => cell.sign,
    // A map has one sign: its mark.
    sign() {
      return this.board.palette.length ? this.brush : "x";
    },
    key(event) {
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      this.keyed = true;
      if (step) {
        const { y, x } = this.board.cells[this.at];
        const places = this.board.cells.map((cell, place) => ({ place, dy: (cell.y - y) * step[0], dx: (cell.x - x) * step[1], off: step[0] ? Math.abs(cell.x - x) : Math.abs(cell.y - y) }));
        const ahead = places.filter((one) => [0, 1].includes(one.off) && one.dy + one.dx >= 1).sort((a, b) => a.dy + a.dx - b.dy - b.dx || a.off - b.off);
        if (ahead.length) this.at = ahead[0].place;
      } else if (event.key === "Enter" || event.key === " ") this.stroke(this.board.cells[this.at]);
      else return;
      event.preventDefault();
    },
  },
};

const WIDE = "(min-width: 64rem)";

export default {
  components: { Position, Painted },
  mixins: [Editor],
  props: ["heading", "lists", "folder"],
  emits: ["choose", "draw", "entitle"],
  template: `
  <div class="rules" :data-part="part">
    <aside class="lists" :aria-label="words.rulesets">
      <nav class="games" :aria-label="words.games">
        <a v-for="game in lists.games" :href="game.url" :aria-current="game.here ? 'true' : null">{{ game.title }}</a>
      </nav>
      <details class="shelf" :open="wide">
        <summary>{{ words.rulesets }}</summary>
        <input type="search" v-model="sought" :placeholder="words.find" :aria-label="words.find">
        <ul>
          <li v-for="ruleset in found" :key="ruleset.name">
            <a :href="ruleset.url" :aria-current="ruleset.here ? 'page' : null">
              <span class="name">{{ ruleset.own }}</span><span class="title">{{ ruleset.title }}</span>
            </a>
          </li>
        </ul>
        <p v-if="!found.length" class="quiet">{{ words.nothing_found }}</p>
      </details>
    </aside>

    <div id="main" class="middle" tabindex="-1">
      <div class="head">
        <p class="kind">{{ heading }}
          <a v-if="here.kind === 'new'" :href="url('edit')">{{ words.edit_file }}</a>
          <a v-else :href="url('rules')">{{ words.derive }}</a>
          <a :href="url('play/' + here.kind)" data-do="play">{{ words.play_these }}</a>
        </p>
        <h1><label class="unseen" for="title">{{ words.title }}</label>
          <input id="title" :value="state.title" :placeholder="words.title" @change="$emit('entitle', $event.target.value)" autocomplete="off" maxlength="200"></h1>
        <p class="base">{{ state.base }}</p>
        <div class="changes" aria-live="polite">
          <span v-if="!state.changes.length" class="quiet">{{ problems.length ? "" : words.no_changes }}</span>
          <template v-else>
            <span class="quiet">{{ words.changes }}</span>
            <a v-for="change in state.changes" class="chip" :href="'#toggle-' + change.toggle" @click="part = 'choices'">
              {{ change.title }}<b>{{ change.value }}</b></a>
          </template>
        </div>
        <div class="tools" role="toolbar" :aria-label="words.rules">
          <button type="button" data-do="undo" :disabled="!state.undo" @click="$emit('undo')" aria-keyshortcuts="Control+Z">{{ words.undo }}</button>
          <button type="button" data-do="redo" :disabled="!state.redo" @click="$emit('redo')" aria-keyshortcuts="Control+Shift+Z">{{ words.redo }}</button>
          <button type="button" data-do="revert" :disabled="!state.dirty" :title="words.revert_hint" @click="$emit('revert')">{{ words.revert }}</button>
          <button type="button" data-do="save" class="main" :disabled="state.problems.length > 0" @click="ask" aria-keyshortcuts="Control+S">{{ words.save }}</button>
          <span v-if="notice" class="notice" role="status">{{ notice }}</span>
        </div>
        <div class="verdict" role="status" :class="{ wrong: problems.length }">
          <p v-if="!problems.length">✓ {{ words.fine }}</p>
          <template v-else>
            <h2>{{ words.problems }}</h2>
            <ul class="problems"><li v-for="problem in problems">
              <a v-if="problem.line" href="#yaml" @click.prevent="part = 'yaml'; toLine(problem.line)">{{ line(problem.line) }}</a>
              <code v-if="problem.key">{{ problem.key }}</code> {{ problem.message }}
              <span v-if="problem.hint" class="hint">({{ problem.hint }})</span>
            </li></ul>
          </template>
        </div>
        <div class="parts" role="tablist">
          <button v-for="each in ['choices', 'book', 'yaml']" type="button" role="tab" :aria-selected="part === each" :data-tab="each" @click="part = each">{{ words[each] }}</button>
        </div>
      </div>

      <section class="choices" :aria-label="words.choices">
        <label class="filter"><input type="checkbox" v-model="onlyChanged"> {{ words.only_changed }}</label>
        <article v-for="toggle in toggles" :key="toggle.name" :id="'toggle-' + toggle.name" class="toggle"
                 :class="{ changed: toggle.changed, clashing: toggle.clashes.length }">
          <div class="said">
            <fieldset>
              <legend>{{ toggle.title }} <code>{{ toggle.name }}</code>
                <span v-if="toggle.changed" class="mark">{{ words.changed }}</span>
                <span v-if="toggle.idle" class="mark idle">{{ words.idle }}</span></legend>
              <label v-for="option in toggle.options" class="option" :class="{ chosen: option.chosen }">
                <input type="radio" :name="toggle.name" :checked="option.chosen" :data-on="option.chosen"
                       :aria-describedby="option.clash ? 'clash-' + toggle.name + option.place : null"
                       @change="choose(toggle, { place: option.place })">
                <span class="words"><span class="value"><b>{{ option.label }}</b>
                  <i v-if="option.base">{{ words.of_base }}</i><i v-else-if="option.default">{{ words.default }}</i></span>
                  <span class="sentence">{{ option.sentence }}</span>
                  <span v-if="option.clash" class="clash" :id="'clash-' + toggle.name + option.place">{{ fill(words.clash, { why: option.clash }) }}</span>
                </span>
              </label>
              <div v-if="toggle.span" class="option" :class="{ chosen: toggle.span.chosen }">
                <input v-if="toggle.options.length" type="radio" :name="toggle.name" :checked="toggle.span.chosen" :data-on="toggle.span.chosen"
                       :aria-label="toggle.span.limits" @change="choose(toggle, { other: toggle.span.value })">
                <span class="words"><span class="value">
                  <input type="number" :min="toggle.span.low" :max="toggle.span.high" :step="toggle.span.step" :value="toggle.span.value" :data-is="toggle.span.value"
                         :aria-label="toggle.title + ' – ' + toggle.span.limits" @change="number(toggle, $event)">
                  <i>{{ toggle.span.limits }}</i></span>
                  <span class="sentence">{{ toggle.span.sentence }}</span></span>
              </div>
              <details v-if="toggle.prices" class="prices" :open="priced" @toggle="priced = $event.target.open">
                <summary>{{ words.prices }}</summary>
                <p v-if="toggle.prices.listed" class="sentence chosen">{{ toggle.prices.sentence }}</p>
                <div v-for="group in toggle.prices.groups" class="group"><b>{{ group.name }}</b>
                  <span v-for="unit in group.units" class="unit" :class="{ changed: unit.changed }"><bdi lang="ja">{{ unit.name }}</bdi>
                    <template v-for="number in unit.numbers"><i v-if="number.what === 'free'">{{ words.free }}</i>
                    <input type="number" :min="number.low" :max="number.high" :value="number.value" :data-is="number.value"
                           :aria-label="fill(words[number.what === 'free' ? 'free_of' : 'price_of'], { name: unit.name })"
                           @change="choose(toggle, { unit: unit.name, what: number.what, other: $event.target.value === '' ? null : Number($event.target.value) })"></template></span>
                </div>
              </details>
              <div v-if="toggle.drawn" class="option chosen">
                <input type="radio" :name="toggle.name" checked :data-on="true" :aria-label="words.drawn">
                <span class="words"><span class="value"><b>{{ words.drawn }}</b></span><span class="sentence">{{ toggle.drawn }}</span></span>
              </div>
              <div v-if="toggle.drawable" class="tools"><button type="button" :data-draw="toggle.name" :aria-expanded="toggle.name in state.boards" @click="$emit('draw', toggle.name)">{{ words[toggle.name in state.boards ? "paint_done" : "paint"] }}</button></div>
              <Painted v-if="toggle.name in state.boards" :board="state.boards[toggle.name]" :words="words" :title="toggle.title" @paint="choose(toggle, $event)" />
              <label v-if="toggle.files" class="option chosen">
                <span class="words"><span class="value">
                  <select :aria-label="toggle.title" :value="toggle.files.value" @change="choose(toggle, { other: $event.target.value })">
                    <option v-for="name in toggle.files.names" :value="name">{{ name }}</option>
                  </select> <i>{{ toggle.files.limits }}</i></span>
                  <span class="sentence">{{ toggle.files.sentence }}</span></span>
              </label>
            </fieldset>
            <p v-for="clash in toggle.clashes" class="clash now" role="alert">{{ fill(words.clash, { why: clash }) }}</p>
            <p class="source"><b>{{ words.source }}</b> {{ toggle.source }}</p>
          </div>
          <Position :url="position(toggle)" :words="words" :title="toggle.title" />
        </article>
      </section>
    </div>

    <aside class="beside">
      <section class="book" :aria-label="words.book" tabindex="0" ref="book">
        <h2>{{ words.book }}</h2>
        <p v-if="state.problems.length" class="quiet">{{ words.stale }}</p>
        <ol>
          <li v-for="(sentence, place) in state.book" :key="place" :class="{ changed: sentence.was, fresh: sentence.toggle && sentence.toggle === fresh }"
              :data-toggle="sentence.toggle || null">
            {{ sentence.text }}
            <span v-if="sentence.picture" class="picture" aria-hidden="true" v-html="sentence.picture"></span>
            <span v-if="sentence.was" class="was">{{ fill(words.was, { sentence: sentence.was }) }}</span>
          </li>
        </ol>
      </section>
      <section class="yaml" :aria-label="words.yaml">
        <h2><label for="yaml">{{ words.yaml_label }}</label></h2>
        <div class="editor" :class="{ wrong: state.problems.length }">
          <ol class="numbers" aria-hidden="true" ref="numbers"><li v-for="n in lines" :class="{ wrong: wrongLines.has(n) }">{{ n }}</li></ol>
          <textarea id="yaml" ref="yaml" spellcheck="false" autocapitalize="off" autocomplete="off" wrap="off" :value="text"
                    :aria-invalid="state.problems.length > 0" @input="type" @scroll="scroll" @blur="send"></textarea>
        </div>
      </section>
    </aside>

    <dialog ref="dialog" class="save" aria-labelledby="save-title" @close="name = ''">
      <form @submit.prevent="save(false)">
        <h2 id="save-title">{{ words.save_title }}</h2>
        <label for="save-name">{{ words.save_name }}</label>
        <input id="save-name" v-model="name" autocomplete="off" spellcheck="false" maxlength="80" required @input="given = null">
        <p class="quiet">{{ fill(words.save_where, { folder }) }}</p>
        <ul v-if="given && given.problems.length" class="problems" role="alert"><li v-for="problem in given.problems">
          <code v-if="problem.key">{{ problem.key }}</code> {{ problem.message }} <span v-if="problem.hint" class="hint">({{ problem.hint }})</span></li></ul>
        <p v-if="given && given.taken" role="alert">{{ words.taken }}</p>
        <div class="tools">
          <button type="button" @click="$refs.dialog.close()">{{ words.cancel }}</button>
          <button v-if="given && given.taken" type="button" class="main danger" data-do="replace" @click="save(true)">{{ words.replace }}</button>
          <button v-else type="submit" class="main" data-do="save-now">{{ words.save_now }}</button>
        </div>
      </form>
    </dialog>
  </div>`,
  data() {
    return {
      sought: "",
      part: "choices",
      onlyChanged: false,
      fresh: "",
      wide: matchMedia(WIDE).matches,
      priced: this.state.toggles.some((toggle) => toggle.prices?.listed),
    };
  },
  computed: {
    ownName() {
      return this.here.kind === "new" ? "" : this.here.name.split("/").pop();
    },
    problems() {
      return [...this.state.wrong, ...this.state.problems];
    },
    wrongLines() {
      return new Set(this.state.problems.map((problem) => problem.line));
    },
    toggles() {
      return this.onlyChanged ? this.state.toggles.filter((toggle) => toggle.changed) : this.state.toggles;
    },
    found() {
      const asked = this.sought.toLowerCase().split(/\s+/).filter(Boolean);
      return this.lists.rulesets.filter((each) => {
        const all = `${each.own} ${each.title}`.toLowerCase();
        return asked.every((word) => all.includes(word));
      });
    },
  },
  watch: {
    state(now, before) {
      const was = new Map(before.book.map((sentence) => [sentence.toggle, sentence.text]));
      const changed = now.book.find((sentence) => sentence.toggle && was.get(sentence.toggle) !== sentence.text);
      this.fresh = changed ? changed.toggle : "";
      if (this.fresh) this.notice = "";
      this.priced ||= now.toggles.some((toggle) => toggle.prices?.listed);
      this.$nextTick(() => {
        this.settle();
        if (changed) this.bring(changed.toggle);
      });
    },
  },
  mounted() {
    this.media = matchMedia(WIDE);
    this.media.addEventListener("change", (event) => (this.wide = event.matches));
    if (location.hash.startsWith("#toggle-")) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  },
  methods: {
    url(area) {
      return `/${area}/${this.here.name.split("/").map(encodeURIComponent).join("/")}`;
    },
    line(n) {
      return fill(this.words.line, { n });
    },
    position(toggle) {
      const { was, now } = toggle.position;
      return `/position/${this.here.game}/${toggle.name}?${new URLSearchParams({ was, now })}`;
    },
    choose(toggle, choice) {
      this.send();
      this.say("choose", { toggle: toggle.name, ...choice });
    },
    number(toggle, event) {
      this.choose(toggle, { other: event.target.value === "" ? null : Number(event.target.value) });
    },
    // What the server refused must not look chosen.
    settle() {
      if (this.waiting !== null) return;
      for (const radio of this.$el.querySelectorAll("input[type=radio]")) radio.checked = radio.dataset.on === "true";
      for (const field of this.$el.querySelectorAll("input[type=number]"))
        if (field !== document.activeElement || field.validity.badInput) field.value = field.dataset.is;
    },
    // Shows a sentence of the rule book without moving the page.
    bring(toggle) {
      const book = this.$refs.book;
      const item = book.querySelector(`[data-toggle="${toggle}"]`);
      if (!item || book.scrollHeight <= book.clientHeight) return;
      const place = item.offsetTop - book.offsetTop;
      if (place < book.scrollTop || place + item.offsetHeight > book.scrollTop + book.clientHeight)
        book.scrollTop = place - book.clientHeight / 3;
    },
  },
};
