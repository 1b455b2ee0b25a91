// The page of a ruleset: choices, rule book and YAML side by side. It shows the `state` from the server, and sends all
// actions to the server as events.

import { Painted } from "studio/painted.js";
import { hasWords, tr, trc } from "studio/texts.js";

const Position = {
  // The position of a toggle, loaded when its group is opened.
  props: ["url", "title"],
  template: `
    <figure class="position" :class="{ blank: shown === null }">
      <template v-if="shown">
        <div class="picture" role="img" :aria-label="tr('Position for {title}', {title}) + ' ' + shown.captions[0].text" v-html="shown.picture"></div>
        <figcaption>
          <p v-for="caption in shown.captions"><i v-if="caption.mark" class="sign" :class="caption.mark" aria-hidden="true">{{ caption.mark === "open" ? "●" : "×" }}</i> {{ caption.text }}</p>
        </figcaption>
      </template>
      <p v-else-if="shown === undefined" class="quiet drawing">{{ tr("Drawing…") }}</p>
    </figure>`,
  data: () => ({ shown: undefined }), // null if there is nothing to show
  watch: {
    url: { immediate: true, handler: "load" },
  },
  methods: {
    tr,
    async load() {
      const url = this.url;
      const answer = await fetch(url).catch(() => null);
      const shown = answer?.ok ? await answer.json() : null;
      if (url === this.url) this.shown = shown; // else another position was requested meanwhile
    },
  },
};

export default {
  components: { Position, Painted },
  props: ["here", "links", "lists", "heading", "legend", "state", "heard", "answer"],
  emits: ["write", "undo", "redo", "revert", "switch", "choose", "draw", "entitle", "save"],
  template: `
  <div class="rules" :class="{ named }">
    <aside class="lists" :aria-label="tr('Rulesets')">
      <nav class="games" :aria-label="tr('Games')">
        <a v-for="game in lists.games" :href="game.url" :aria-current="game.here ? 'true' : null">{{ game.title }}</a>
      </nav>
      <details class="shelf" :open="wide">
        <summary>{{ tr("Rulesets") }}</summary>
        <input type="search" v-model="sought" :placeholder="tr('Find a ruleset')" :aria-label="tr('Find a ruleset')">
        <template v-for="shelf in shelves" :key="shelf.title">
          <h3 v-if="shelf.title" class="quiet">{{ shelf.title }}</h3>
          <ul><li v-for="ruleset in shelf.rulesets" :key="ruleset.url">
            <a :href="ruleset.url" :aria-current="ruleset.here ? 'page' : null" class="title">{{ ruleset.title }}</a>
          </li></ul>
        </template>
        <p v-if="!shelves.length" class="quiet">{{ tr("No ruleset matches.") }}</p>
      </details>
    </aside>

    <Teleport v-if="bar" :to="bar">
      <h1 v-if="state.untouched">{{ heading }}</h1>
      <template v-else>
        <label for="title" class="quiet">{{ tr("Name of the proposal") }}</label>
        <h1><input id="title" :value="state.title" @change="act('entitle', { title: $event.target.value })" @keydown.enter="$event.isComposing || act('entitle', { title: $event.target.value })" autocomplete="off" maxlength="200"></h1>
        <span class="kept quiet" role="status">{{ state.dirty ? tr("kept as a draft") : trc("state", "saved") }}</span>
      </template>
    </Teleport>

    <div id="main" class="middle" tabindex="-1">
      <div class="head">
        <div class="tools" role="toolbar" :aria-label="tr('Rules')">
          <button type="button" data-do="save" :class="{ main: state.changed }" :disabled="state.problems.length > 0" @click="openDialog" aria-keyshortcuts="Control+S">{{ tr("Save…") }}</button>
          <button type="button" data-do="undo" :aria-disabled="!state.undo" :tabindex="state.undo ? null : -1" @click="state.undo && act('undo')" aria-keyshortcuts="Control+Z" :aria-label="tr('Undo')">↶</button>
          <button type="button" data-do="redo" :aria-disabled="!state.redo" :tabindex="state.redo ? null : -1" @click="state.redo && act('redo')" aria-keyshortcuts="Control+Shift+Z" :aria-label="tr('Redo')">↷</button>
          <button type="button" data-do="revert" :aria-disabled="!state.changed" :tabindex="state.changed ? null : -1" :title="tr('Discard all changes; “Undo” restores them.')" @click="state.changed && act('revert')">{{ tr("Discard") }}</button>
          <a v-for="[name, text, url] in links.slice(0, 2)" class="button" :href="state.problems.length ? null : url" :aria-disabled="state.problems.length > 0" role="link" :data-do="name">{{ text }}</a>
          <button type="button" data-do="more" popovertarget="ways">{{ trc("menu", "More") }}</button>
          <div id="ways" popover><a v-for="[name, text, url] in links.slice(2)" :href="state.problems.length ? null : url" :aria-disabled="state.problems.length > 0" role="link" :data-do="name">{{ text }}</a></div>
        </div>
        <p class="notice" role="status">{{ notice }}</p>
        <div v-if="state.switches.length" class="switches" role="group" :aria-label="tr('Proposals')">
          <span class="quiet" aria-hidden="true">{{ tr("Proposals") }}</span>
          <button v-for="(proposal, place) in state.switches" type="button" :aria-pressed="proposal.on" :aria-label="proposal.title" :data-switch="place" @click="act('switch', { place })">{{ proposal.short }}</button>
        </div>
        <div v-show="!state.untouched" class="changes" aria-live="polite">
          <span class="quiet">{{ state.base }}</span>
          <a v-for="toggle in changes" class="chip" :href="'#toggle-' + toggle.name" @click.prevent="jump('toggle-' + toggle.name)">
            <b>{{ toggle.words }}</b> <small class="ident">{{ toggle.options.find((option) => option.chosen)?.setting }}</small></a>
        </div>
        <div class="verdict" role="status" :class="{ wrong: problems.length }">
          <template v-if="problems.length"><h2>{{ tr("Needs fixing") }}</h2>
            <ul class="problems"><li v-for="problem in problems">
              <a v-if="problem.line" href="#yaml" @click.prevent="toLine(problem.line)">{{ tr("line {n}", { n: problem.line }) }}</a>
              <b v-if="problem.about">{{ problem.about }}:</b><code v-else-if="problem.key">{{ problem.key }}</code> {{ problem.message }}
              <span v-if="problem.hint" class="hint">({{ problem.hint }})</span> <code v-if="problem.about" class="ident">{{ problem.key }}</code></li></ul></template>
        </div>
      </div>

      <section class="choices" :aria-label="tr('Choices')">
        <nav class="jump" :aria-label="tr('Groups of rules')">
          <a v-for="group in groups" :href="'#' + group.id" @click.prevent="jump(group.id)">{{ group.title }}<b v-if="group.changed" class="mark">{{ group.changed }}</b></a>
          <a href="#book" class="narrow">{{ tr("Rule book") }}</a>
        </nav>
        <p v-if="legend" class="quiet">{{ legend }}</p>
        <details v-for="group in groups" :key="group.id" :id="group.id" class="bundle" :open="!folded.includes(group.id)" @toggle.self="fold(group, !$event.target.open)">
        <summary><h2>{{ group.title || tr("Choices") }}</h2> <span v-if="folded.includes(group.id)" class="now">{{ group.now }}</span></summary>
        <article v-for="toggle in folded.includes(group.id) ? [] : group.toggles" :key="toggle.name" :id="'toggle-' + toggle.name" class="toggle"
                 :class="{ changed: toggle.changed, clashing: toggle.clashes.length }">
          <div class="said">
            <fieldset>
              <legend>{{ toggle.title }} <code class="ident">{{ toggle.name }}</code>
                <span v-if="toggle.changed" class="mark">{{ tr("changed") }}</span>
                <span v-if="toggle.idle" class="mark idle">{{ toggle.idle }}</span></legend>
              <template v-for="(option, place) in toggle.options"><label class="option" :class="{ chosen: option.chosen }">
                <input v-if="toggle.options.length > 1" type="radio" :name="toggle.name" :checked="isOn(toggle, option)" :data-on="isOn(toggle, option)" :data-draw="option.draw ? toggle.name : null"
                       :aria-describedby="option.clash ? 'clash-' + toggle.name + place : null" @click="option.draw && !toggle.board && draw(toggle)" @change="option.draw || choose(toggle, option.setting)">
                <span class="words"><span class="sentence">{{ option.sentence }}</span>
                  <span class="value"><code v-if="option.label" class="ident">{{ option.label }}</code>
                  <input v-if="option.number" type="number" v-bind="option.number" :value="option.setting" :data-is="option.setting" :aria-label="toggle.title + ' – ' + option.note" @change="choose(toggle, $event.target.value)">
                  <select v-if="option.names" :aria-label="toggle.title" :value="option.setting" :data-is="option.setting" @change="choose(toggle, $event.target.value)">
                    <option v-for="(title, name) in option.names" :value="name">{{ title }}</option>
                  </select>
                  <i v-if="option.note">{{ option.note }}</i><i v-if="option.base">{{ tr("base") }}</i></span>
                  <span v-if="option.clash" class="clash" :id="'clash-' + toggle.name + place">{{ tr("Not possible together: {why}", { why: option.clash }) }}</span>
                </span>
              </label>
              <div v-if="option.draw && isOn(toggle, option)" class="tools"><button type="button" :data-board="toggle.name" :aria-expanded="!!toggle.board" @click="draw(toggle)">{{ toggle.board ? tr("Close the board") : tr("Draw it on the board") }}</button></div></template>
              <Painted v-if="toggle.board" :board="toggle.board" :title="toggle.title" @paint="choose(toggle, $event)" />
              <details v-if="toggle.prices" class="prices" :open="toggle.prices.listed">
                <summary>{{ tr("Custom prices") }}</summary>
                <p v-if="toggle.prices.listed" class="sentence chosen">{{ toggle.prices.sentence }}</p>
                <div v-for="group in toggle.prices.groups" class="group"><b>{{ group.name }}</b>
                  <span v-for="unit in group.units" class="unit" :class="{ changed: unit.changed }"><bdi lang="ja">{{ unit.name }}</bdi>
                    <template v-for="number in unit.numbers"><i v-if="number.free">{{ tr("free") }}</i>
                    <input type="number" :min="number.min" :max="number.max" :value="number.value" :data-is="number.value"
                           :aria-label="number.free ? tr('Number of free {name}', { name: unit.name }) : tr('Points for each {name}', { name: unit.name })"
                           @change="choose(toggle, [unit.name, ...(number.free ? ['free'] : []), $event.target.value].join(' '))"></template></span>
                </div>
              </details>
            </fieldset>
            <p v-for="clash in toggle.clashes" class="clash now" role="alert">{{ tr("Not possible together: {why}", { why: clash }) }}</p>
            <p class="source"><b>{{ tr("Source") }}</b> {{ toggle.source }}</p>
          </div>
          <Position v-if="toggle.position && !toggle.board" :url="toggle.position" :title="toggle.title" />
          <figure v-else-if="toggle.picture && !toggle.board" class="position">
            <div class="picture" role="img" :aria-label="toggle.words" v-html="toggle.picture"></div>
          </figure>
        </article>
        </details>
      </section>
    </div>

    <aside class="beside">
      <section id="book" class="book" :aria-label="tr('Rule book')" tabindex="0" ref="book">
        <h2>{{ tr("Rule book") }}</h2>
        <p v-if="state.problems.length" class="quiet">{{ tr("The rule book covers only the part of the YAML that could be read.") }}</p>
        <ol>
          <template v-for="(sentence, place) in state.book" :key="place">
          <li v-if="sentence.heading" class="part"><h3>{{ sentence.heading }}</h3></li>
          <li :class="{ changed: sentence.was, fresh: sentence.toggle && sentence.toggle === fresh }" :data-toggle="sentence.toggle || null">
            {{ sentence.text }}
            <span v-if="sentence.picture" class="picture" aria-hidden="true" v-html="sentence.picture"></span>
            <span v-if="sentence.was" class="was">{{ tr("Base: {sentence}", { sentence: sentence.was }) }}</span>
          </li></template>
        </ol>
      </section>
      <details class="yaml" ref="yaml" @toggle="remember($event.target.open)">
        <summary><h2>{{ tr("The ruleset file as YAML") }}</h2></summary>
        <div class="filters"><code>{{ here.base }}</code>
          <label class="filter"><input type="checkbox" v-model="named"> {{ tr("Names used in files") }}</label></div>
        <div class="editor" :class="{ wrong: state.problems.length }">
          <ol class="numbers" aria-hidden="true" ref="numbers"><li v-for="n in text.split('\\n').length" :class="{ wrong: problems.some((problem) => problem.line === n) }">{{ n }}</li></ol>
          <textarea id="yaml" ref="field" :aria-label="tr('The ruleset file as YAML')" spellcheck="false" autocapitalize="off" autocomplete="off" wrap="off" :value="text"
                    :aria-invalid="state.problems.length > 0" @input="type" @scroll="$refs.numbers.scrollTop = $event.target.scrollTop" @blur="send"></textarea>
        </div>
      </details>
    </aside>

    <dialog ref="dialog" class="save" aria-labelledby="save-heading">
      <form @submit.prevent="$emit('save', { title, replace: false })">
        <h2 id="save-heading">{{ tr("Save the proposal") }}</h2>
        <label for="save-title">{{ tr("Name of the proposal") }}</label>
        <input id="save-title" v-model="title" autocomplete="off" maxlength="200" required @input="given = null">
        <p v-if="!here.folder" class="why">{{ tr("There is no folder to save in: make one with “workbench init my-rules”, and start the studio there.") }}</p>
        <ul v-if="given?.problems.length" class="problems" role="alert"><li v-for="problem in given.problems">
          <code v-if="problem.key">{{ problem.key }}</code> {{ problem.message }} <span v-if="problem.hint" class="hint">({{ problem.hint }})</span></li></ul>
        <p v-if="given?.taken" role="alert">{{ tr("A file with this name already exists, or it has changed since it was opened. Replace it?") }}</p>
        <div class="tools">
          <button type="button" @click="$refs.dialog.close()">{{ tr("Cancel") }}</button>
          <button v-if="given?.taken" type="button" class="main danger" data-do="replace" @click="$emit('save', { title, replace: true })">{{ tr("Replace the file") }}</button>
          <button v-else type="submit" class="main" data-do="save-now">{{ tr("Save") }}</button>
        </div>
      </form>
    </dialog>
  </div>`,
  data() {
    const changed = this.state.groups.map((group) => group.toggles.some((toggle) => toggle.changed));
    return {
      sought: "",
      bar: null,
      // Ids of groups without a change, except the first group if there are no changes.
      folded: changed.flatMap((has, place) => (has || (!place && !changed.includes(true)) ? [] : `group-${place}`)),
      named: false, // true to show the names of toggles and values
      acted: "", // the last changed toggle, which must not move while the page changes
      fresh: "",
      wide: matchMedia("(min-width: 64rem)").matches,
      typed: null, // YAML not yet confirmed by the server
      sent: null, // YAML sent to the server
      waiting: null, // the number of the last unconfirmed event
      title: "",
      given: null, // the server's objections to saving
      notice: "",
    };
  },
  computed: {
    text() {
      return this.typed ?? this.state.text;
    },
    problems() {
      return [...this.state.wrong, ...this.state.problems];
    },
    changes() {
      return this.state.groups.flatMap((group) => group.toggles).filter((toggle) => toggle.changed);
    },
    groups() {
      return this.state.groups.map((group, place) => ({ ...group, id: `group-${place}`, changed: group.toggles.filter((toggle) => toggle.changed).length }));
    },
    // Returns the lists beside the page, or all that match what is sought: those first that have this name.
    shelves() {
      const isDraft = this.state.changed && this.here.new;
      const present = isDraft ? [{ title: this.state.title, short: this.state.title, url: location.pathname, here: true }] : [];
      const shelves = this.lists.shelves.map(({ title, rulesets }, place) => ({
        title, rulesets: [...(place ? [] : present), ...rulesets.map((ruleset) => ({ ...ruleset, here: ruleset.here && !isDraft }))],
      }));
      const sought = this.sought.trim().toLowerCase();
      if (!sought) return shelves.filter((shelf) => shelf.title && shelf.rulesets.length);
      const rank = ({ short, title }) => (short.toLowerCase() === sought ? 0 : title.toLowerCase().startsWith(sought) ? 1 : 2);
      const rulesets = shelves.flatMap((shelf) => shelf.rulesets).filter((ruleset) => hasWords(sought, ruleset.title));
      return rulesets.length ? [{ title: "", rulesets: rulesets.sort((one, other) => rank(one) - rank(other)) }] : [];
    },
  },
  watch: {
    state(now, before) {
      if (this.heard === this.waiting) {
        this.waiting = null;
        if (this.typed === this.sent) {
          this.typed = null;
          sessionStorage.removeItem(location.pathname);
        }
        this.sent = null;
      }
      // The dialog may open before the server answers the last choice.
      if (this.title === before.proposed) this.title = now.proposed;
      document.title = `${now.untouched ? this.heading : now.title} – ${tr("Rule studio")}`;
      const was = new Map(before.book.map((sentence) => [sentence.toggle, sentence.text]));
      this.fresh = now.book.find((sentence) => sentence.toggle && was.get(sentence.toggle) !== sentence.text)?.toggle ?? "";
      if (this.fresh) {
        this.notice = "";
        this.open(this.fresh);
      }
      const acted = document.getElementById(this.acted);
      const anchor = acted?.querySelector(".stage") ?? acted;
      const top = anchor?.getBoundingClientRect().top;
      const held = document.activeElement.closest(".toggle");
      this.$nextTick(() => {
        this.resetInputs();
        if (anchor?.isConnected) scrollBy(0, anchor.getBoundingClientRect().top - top);
        if (this.fresh) this.bring(this.fresh);
        // What had the focus may be gone.
        if (document.activeElement === document.body) (held?.querySelector("input:checked") ?? held?.querySelector("input, select, button") ?? document.querySelector("[data-do=undo]")).focus({ preventScroll: true });
      });
    },
    answer(response) {
      this.given = response;
      if (response.taken) this.$nextTick(() => this.$refs.dialog.querySelector("[data-do=replace]").focus());
    },
  },
  mounted() {
    addEventListener("keydown", this.key);
    this.$refs.yaml.open = localStorage.getItem("yaml") === "unfolded";
    // The title stands in the proposal's bar.
    this.bar = document.querySelector(".proposal b");
    this.bar.textContent = "";
    for (const list of [".shelf", ".games"]) this.$el.querySelector(`${list} [aria-current]`)?.scrollIntoView({ block: "nearest", inline: "center" });
    if (location.hash.startsWith("#toggle-")) this.jump(location.hash.slice(1));
    const query = new URLSearchParams(location.search);
    if (query.has("save")) this.$nextTick(this.openDialog);
    if (query.has("saved")) {
      this.notice = tr("Saved as “{title}”", { title: this.state.title });
      setTimeout(() => (this.notice = ""), 4000);
      // The page that opens after saving restores the scroll position.
      this.$nextTick(() => {
        document.querySelector("[data-do=save]").focus({ preventScroll: true });
        scrollTo(0, Number(sessionStorage.getItem("place")));
      });
    }
    history.replaceState(null, "", location.pathname + location.hash); // the parameters are no longer needed
    // Restore text typed before the studio restarted and reloaded the page.
    this.typed = sessionStorage.getItem(location.pathname);
    this.send();
  },
  unmounted() {
    removeEventListener("keydown", this.key);
  },
  methods: {
    tr,
    trc,
    // Sends an event; its toggle's place on the page is kept. The page resets its inputs only after the last answer.
    act(event, fields, toggle) {
      if (event !== "write") this.send();
      this.acted = toggle && `toggle-${toggle.name}`;
      this.waiting = Math.random();
      this.$emit(event, { ...fields, count: this.waiting });
    },
    choose(toggle, setting) {
      this.act("choose", { toggle: toggle.name, setting }, toggle);
    },
    draw(toggle) {
      this.act("draw", { toggle: toggle.name }, toggle);
    },
    // While a board is open, the drawing is chosen.
    isOn: (toggle, option) => (option.draw ? option.chosen || !!toggle.board : option.chosen && !toggle.board),
    type(event) {
      this.typed = event.target.value;
      sessionStorage.setItem(location.pathname, this.typed);
      clearTimeout(this.timer);
      this.timer = setTimeout(this.send, 120);
    },
    send() {
      clearTimeout(this.timer);
      if (this.typed === null || this.typed === this.sent) return;
      this.sent = this.typed;
      this.act("write", { text: this.typed });
    },
    remember(open) {
      localStorage.setItem("yaml", open ? "unfolded" : "folded");
    },
    async toLine(n) {
      this.$refs.yaml.open = true;
      await this.$nextTick();
      const field = this.$refs.field;
      const lines = this.text.split("\n");
      const start = lines.slice(0, n - 1).reduce((sum, line) => sum + line.length + 1, 0);
      field.focus();
      field.setSelectionRange(start, start + (lines[n - 1] ?? "").length);
      field.scrollTop = (n - 3) * parseFloat(getComputedStyle(field).lineHeight);
    },
    openDialog() {
      sessionStorage.setItem("place", scrollY);
      this.send();
      this.given = null;
      this.title = this.state.proposed;
      // Closing the dialog returns the focus to its button, even if an address opened it.
      if (document.activeElement === document.body) document.querySelector("[data-do=save]").focus({ preventScroll: true });
      this.$refs.dialog.showModal();
      this.$refs.dialog.querySelector("input").focus();
    },
    // Resets inputs that the server refused, but keeps text being typed.
    resetInputs() {
      if (this.waiting !== null) return;
      for (const box of this.$el.querySelectorAll("[data-on]")) box.checked = box.dataset.on === "true";
      for (const field of this.$el.querySelectorAll("[data-is]"))
        if (field !== document.activeElement || field.matches("select") || field.validity.badInput) field.value = field.dataset.is;
    },
    key(event) {
      if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
      const letter = event.key.toLowerCase();
      if (letter === "s") {
        event.preventDefault();
        if (!this.state.problems.length && !this.$refs.dialog.open) this.openDialog();
        return;
      }
      // Text fields have their own undo; number fields only while a number is being typed.
      const { target } = event;
      if (target.matches("textarea, input:not([type=radio], [type=checkbox]), select") && target.dataset.is !== target.value) return;
      if (letter === "z" || letter === "y") {
        event.preventDefault();
        this.act(letter === "y" || event.shiftKey ? "redo" : "undo");
      }
    },
    // Unfolds a group, or the group of a toggle.
    open(id) {
      const group = this.groups.find((group) => group.id === id || group.toggles.some(({ name }) => name === id));
      this.folded = this.folded.filter((folded) => folded !== group?.id);
    },
    // Scrolls to a group or a toggle, and focuses it.
    async jump(id) {
      this.open(id.replace("toggle-", ""));
      await this.$nextTick();
      const target = document.getElementById(id);
      history.replaceState(null, "", `#${id}`);
      target?.scrollIntoView();
      (target?.querySelector("summary, input:checked") ?? target?.querySelector("input, select, button"))?.focus({ preventScroll: true });
    },
    fold(group, folded) {
      this.folded = this.folded.filter((id) => id !== group.id).concat(folded ? [group.id] : []);
    },
    // Scrolls the rule book to a sentence without moving the page.
    bring(toggle) {
      const { book } = this.$refs;
      if (book.scrollHeight > book.clientHeight) book.querySelector(`[data-toggle="${toggle}"]`)?.scrollIntoView({ block: "nearest" });
    },
  },
};
