// The page of a ruleset: choices, rule book and YAML side by side. It shows the `state` from the server, and sends all
// actions to the server as events.

import { Editor, SAVE_DIALOG, UNDO_TOOLS, VERDICT, YAML_FIELD } from "studio/editor.js";
import { Painted } from "studio/painted.js";
import { hasWords, tr, trc } from "studio/texts.js";

const Position = {
  // The position of a toggle, loaded when its group is opened.
  props: ["url", "title"],
  template: `
    <figure class="position" :class="{ blank }">
      <template v-if="shown">
        <div v-if="shown.picture" class="picture" role="img" :aria-label="tr('Position for {title}', {title}) + ' ' + shown.captions[0].text" v-html="shown.picture"></div>
        <figcaption>
          <p v-for="caption in shown.captions"><i v-if="caption.mark" class="sign" :class="caption.mark" aria-hidden="true">{{ caption.mark === "open" ? "●" : "×" }}</i> {{ caption.text }}</p>
        </figcaption>
      </template>
      <p v-else-if="failed" class="quiet">{{ tr("The position could not be displayed.") }}</p>
      <p v-else-if="!blank" class="quiet drawing">{{ tr("Drawing…") }}</p>
    </figure>`,
  data: () => ({ shown: null, failed: false, blank: false }),
  watch: {
    url: { immediate: true, handler: "load" },
  },
  methods: {
    tr,
    async load() {
      const url = this.url;
      const answer = await fetch(url).catch(() => ({ ok: false }));
      const shown = answer.ok ? await answer.json() : null;
      if (url !== this.url) return; // another position was requested meanwhile
      [this.shown, this.failed, this.blank] = [shown, !answer.ok, answer.ok && !shown];
    },
  },
};

export default {
  components: { Position, Painted },
  mixins: [Editor],
  props: ["lists", "legend"],
  emits: ["choose", "switch", "draw"],
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
        <label for="title" class="quiet">{{ texts.named }}</label>
        <h1><input id="title" :value="state.title" @change="$emit('entitle', { title: $event.target.value })" @keydown.enter.prevent="$event.target.blur()" autocomplete="off" maxlength="200"></h1>
        <span class="kept quiet" role="status">{{ state.dirty ? tr("kept as a draft") : trc("state", "saved") }}</span>
      </template>
    </Teleport>

    <div id="main" class="middle" tabindex="-1">
      <div class="head">
        <div class="tools" role="toolbar" :aria-label="tr('Rules')">
          <button type="button" data-do="save" :class="{ main: state.changed }" :disabled="state.problems.length > 0" @click="openDialog" aria-keyshortcuts="Control+S">{{ tr("Save…") }}</button>
          ${UNDO_TOOLS}
          <a v-for="[name, text, url] in links.slice(0, 2)" class="button" :href="state.problems.length ? null : url" :aria-disabled="state.problems.length > 0" role="link" :data-do="name">{{ text }}</a>
          <button type="button" data-do="more" popovertarget="ways">{{ trc("menu", "More") }}</button>
          <div id="ways" popover><a v-for="[name, text, url] in links.slice(2)" :href="state.problems.length ? null : url" :aria-disabled="state.problems.length > 0" role="link" :data-do="name">{{ text }}</a></div>
        </div>
        <p class="notice" role="status">{{ notice }}</p>
        <div v-if="state.switches.length" class="switches" role="group" :aria-label="tr('Proposals')">
          <span class="quiet" aria-hidden="true">{{ tr("Proposals") }}</span>
          <button v-for="(proposal, place) in state.switches" type="button" :aria-pressed="proposal.on" :aria-label="proposal.title" :title="proposal.title" :data-switch="place" @click="flip(place)">{{ proposal.short }}</button>
        </div>
        <div class="changes" aria-live="polite">
          <span v-if="!state.untouched" class="quiet">{{ state.base }}</span>
          <a v-if="here.kind === 'file'" :href="url('rules')">{{ tr("Base new rules on it") }}</a>
          <a v-for="change in state.changes" class="chip" :href="'#toggle-' + change.toggle" @click.prevent="jump('toggle-' + change.toggle)">
            <b>{{ change.words }}</b> <small class="ident">{{ change.value }}</small></a>
        </div>
        ${VERDICT}
      </div>

      <section class="choices" :aria-label="tr('Choices')">
        <nav class="jump" :aria-label="tr('Groups of rules')">
          <a v-for="group in groups" :href="'#' + group.id" @click.prevent="jump(group.id)">{{ group.title }}<b v-if="group.changed">{{ group.changed }}</b></a>
          <a href="#book" class="narrow">{{ tr("Rule book") }}</a>
        </nav>
        <p v-if="legend" class="quiet">{{ legend }}</p>
        <details v-for="group in groups" :key="group.id" :id="group.id" class="bundle" :open="!folded.includes(group.id)" @toggle.self="fold(group, !$event.target.open)">
        <summary><h2>{{ group.title || tr("Choices") }}</h2> <span class="now">{{ group.now }}</span></summary>
        <article v-for="toggle in folded.includes(group.id) ? [] : group.toggles" :key="toggle.name" :id="'toggle-' + toggle.name" class="toggle"
                 :class="{ changed: toggle.changed, clashing: toggle.clashes.length }">
          <div class="said">
            <fieldset>
              <legend>{{ toggle.title }} <code class="ident">{{ toggle.name }}</code>
                <span v-if="toggle.changed" class="mark">{{ tr("changed") }}</span>
                <span v-if="toggle.idle" class="mark idle">{{ toggle.idle }}</span></legend>
              <label v-for="option in toggle.options" class="option" :class="{ chosen: option.chosen }">
                <input type="radio" :name="toggle.name" :checked="option.chosen && !painted(toggle)" :data-on="option.chosen && !painted(toggle)"
                       :aria-describedby="option.clash ? 'clash-' + toggle.name + option.place : null"
                       @change="choose(toggle, { place: option.place }); painted(toggle) && draw(toggle)">
                <span class="words"><span class="sentence">{{ option.sentence }}</span>
                  <span class="value"><code class="ident">{{ option.label }}</code>
                  <i v-if="option.base">{{ tr("base") }}</i></span>
                  <span v-if="option.clash" class="clash" :id="'clash-' + toggle.name + option.place">{{ tr("Not possible together: {why}", { why: option.clash }) }}</span>
                </span>
              </label>
              <div v-if="toggle.span" class="option" :class="{ chosen: toggle.span.chosen }">
                <input v-if="toggle.options.length" type="radio" :id="'number-' + toggle.name" :name="toggle.name" :checked="toggle.span.chosen" :data-on="toggle.span.chosen"
                       @change="choose(toggle, { other: toggle.span.value })">
                <span class="words"><label class="sentence" :for="toggle.options.length ? 'number-' + toggle.name : null">{{ toggle.span.sentence }}</label>
                  <span class="value">
                  <input type="number" :min="toggle.span.low" :max="toggle.span.high" :step="toggle.span.step" :value="toggle.span.value" :data-is="toggle.span.value"
                         :aria-label="toggle.title + ' – ' + toggle.span.limits" @change="number(toggle, $event)">
                  <i>{{ toggle.span.limits }}</i></span>
                  <span v-if="toggle.span.clash" class="clash">{{ tr("Not possible together: {why}", { why: toggle.span.clash }) }}</span></span>
              </div>
              <details v-if="toggle.prices" class="prices" :open="toggle.prices.listed">
                <summary>{{ tr("Custom prices") }}</summary>
                <p v-if="toggle.prices.listed" class="sentence chosen">{{ toggle.prices.sentence }}</p>
                <div v-for="group in toggle.prices.groups" class="group"><b>{{ group.name }}</b>
                  <span v-for="unit in group.units" class="unit" :class="{ changed: unit.changed }"><bdi lang="ja">{{ unit.name }}</bdi>
                    <template v-for="number in unit.numbers"><i v-if="number.what === 'free'">{{ tr("free") }}</i>
                    <input type="number" :min="number.low" :max="number.high" :value="number.value" :data-is="number.value"
                           :aria-label="number.what === 'free' ? tr('Number of free {name}', { name: unit.name }) : tr('Points for each {name}', { name: unit.name })"
                           @change="choose(toggle, { unit: unit.name, what: number.what, other: $event.target.value === '' ? null : Number($event.target.value) })"></template></span>
                </div>
              </details>
              <template v-if="toggle.drawable">
                <label class="option" :class="{ chosen: toggle.drawn }">
                  <input type="radio" :name="toggle.name" :checked="!!toggle.drawn || painted(toggle)" :data-on="!!toggle.drawn || painted(toggle)" :data-draw="toggle.name" @click="painted(toggle) || draw(toggle)">
                  <span class="words"><span class="sentence">{{ toggle.drawn ? toggle.drawn.sentence : tr("A custom drawing: {sentence}", { sentence: toggle.drawable }) }}</span>
                    <span class="value"><i>{{ toggle.drawn ? toggle.drawn.words : "" }}</i></span></span>
                </label>
                <div v-if="toggle.drawn || painted(toggle)" class="tools"><button type="button" :data-board="toggle.name" :aria-expanded="painted(toggle)" @click="draw(toggle)">{{ painted(toggle) ? tr("Close the board") : tr("Draw it on the board") }}</button></div>
                <Painted v-if="painted(toggle)" :board="state.boards[toggle.name]" :title="toggle.title" @paint="choose(toggle, $event)" />
              </template>
              <div v-else-if="toggle.drawn" class="option chosen">
                <input type="radio" :name="toggle.name" checked :data-on="true" :aria-label="tr('A custom drawing')">
                <span class="words"><span class="sentence">{{ toggle.drawn.sentence }}</span><span class="value"><code>{{ toggle.drawn.words }}</code></span></span>
              </div>
              <label v-if="toggle.files" class="option chosen">
                <span class="words"><span class="sentence">{{ toggle.files.sentence }}</span>
                  <span class="value"><select :aria-label="toggle.title" :value="toggle.files.value" @change="choose(toggle, { other: $event.target.value })">
                    <option v-for="name in toggle.files.names" :value="name">{{ name }}</option>
                  </select> <i>{{ toggle.files.limits }}</i></span></span>
              </label>
            </fieldset>
            <p v-for="clash in toggle.clashes" class="clash now" role="alert">{{ tr("Not possible together: {why}", { why: clash }) }}</p>
            <p class="source"><b>{{ tr("Source") }}</b> {{ toggle.source }}</p>
          </div>
          <Position v-if="toggle.position && !painted(toggle)" :url="position(toggle)" :title="toggle.title" />
          <figure v-else-if="toggle.drawn && toggle.drawn.picture && !painted(toggle)" class="position">
            <div class="picture" role="img" :aria-label="toggle.title + ' – ' + toggle.drawn.words" v-html="toggle.drawn.picture"></div>
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
      <details class="yaml" :open="unfolded" @toggle="unfold($event.target.open)">
        <summary><h2>{{ texts.yaml }}</h2></summary>
        <div class="filters"><code>{{ here.kind === "file" ? here.name : here.base }}</code>
          <label class="filter"><input type="checkbox" v-model="named"> {{ tr("Names used in files") }}</label>
          <a v-if="here.new" :href="url('edit')">{{ tr("Edit the original (advanced)") }}</a></div>
        ${YAML_FIELD}
      </details>
    </aside>

    ${SAVE_DIALOG}
  </div>`,
  data() {
    return {
      sought: "",
      bar: null,
      // Ids of groups without a change, except the first group if there are no changes.
      folded: this.state.groups.flatMap(({ toggles }, place) => (toggles.some((toggle) => toggle.changed) || (!place && !this.state.changes.length) ? [] : `group-${place}`)),
      named: false, // true to show the names of toggles and values
      acted: "", // the last changed toggle, which must not move while the page changes
      fresh: "",
      wide: matchMedia("(min-width: 64rem)").matches,
    };
  },
  computed: {
    texts() {
      return {
        yaml: tr("The ruleset file as YAML"), save: tr("Save the proposal"), named: tr("Name of the proposal"),
        shipped: tr("This ruleset is shipped with the workbench, and others extend it. Replace it?"),
      };
    },
    links() {
      return [
        ["play", trc("words", "Play"), this.page("play")],
        ["ask", tr("Ask"), this.page("ask")],
        ["compare", tr("Compare…"), `/compare?${new URLSearchParams([["ruleset", this.here.base], ["ruleset", this.here.kind === "new" ? `new/${this.here.name}` : this.here.name]])}`],
        ["book", tr("Rule book"), this.page("book")],
        ["idea", tr("An idea in words"), `/?${new URLSearchParams({ game: this.here.base })}`],
      ];
    },
    groups() {
      return this.state.groups.map((group, place) => ({ ...group, id: `group-${place}`, changed: group.toggles.filter((toggle) => toggle.changed).length }));
    },
    // Returns the lists beside the page, or all that match what is sought: those first that have this name.
    shelves() {
      const { mine, official, proposals, combined } = this.lists.rulesets;
      const isDraft = this.state.changed && (this.here.new || this.here.shipped);
      const present = isDraft ? [{ title: this.state.title, short: this.state.title, url: location.pathname, here: true }] : [];
      const kinds = [[...present, ...mine], official, proposals].map((kind) => kind.map((ruleset) => ({ ...ruleset, here: isDraft ? ruleset === present[0] : ruleset.here })));
      const sought = this.sought.trim().toLowerCase();
      if (!sought) {
        const titles = [tr("Yours"), tr("Official"), tr("Proposals and variants")];
        return kinds.map((rulesets, place) => ({ title: titles[place], rulesets })).filter((shelf) => shelf.rulesets.length);
      }
      const rank = ({ short, title }) => (short.toLowerCase() === sought ? 0 : title.toLowerCase().startsWith(sought) ? 1 : 2);
      const rulesets = [...kinds.flat(), ...combined].filter((ruleset) => hasWords(sought, ruleset.title));
      return rulesets.length ? [{ title: "", rulesets: rulesets.sort((one, other) => rank(one) - rank(other)) }] : [];
    },
  },
  watch: {
    state(now, before) {
      document.title = `${now.untouched ? this.heading : now.title} – ${tr("Rule studio")}`;
      const was = new Map(before.book.map((sentence) => [sentence.toggle, sentence.text]));
      const changed = now.book.find((sentence) => sentence.toggle && was.get(sentence.toggle) !== sentence.text);
      this.fresh = changed ? changed.toggle : "";
      if (this.fresh) this.notice = "";
      const touched = now.groups.findIndex((group) => group.toggles.some((toggle) => toggle.name === this.fresh));
      if (touched >= 0) this.folded = this.folded.filter((id) => id !== `group-${touched}`);
      const acted = document.getElementById(this.acted);
      const anchor = acted?.querySelector(".stage") ?? acted;
      const top = anchor?.getBoundingClientRect().top;
      const held = document.activeElement.closest(".toggle");
      this.$nextTick(() => {
        this.resetInputs();
        if (anchor?.isConnected) scrollBy(0, anchor.getBoundingClientRect().top - top);
        if (changed) this.bring(changed.toggle);
        // What had the focus may be gone.
        if (document.activeElement === document.body) (held?.querySelector("input:checked") ?? held?.querySelector("input, select, button") ?? document.querySelector("[data-do=undo]")).focus({ preventScroll: true });
      });
    },
  },
  mounted() {
    if (location.hash.startsWith("#toggle-")) this.jump(location.hash.slice(1));
    // The title stands in the proposal's bar.
    this.bar = document.querySelector(".proposal b");
    this.bar.textContent = "";
    for (const list of [".shelf", ".games"]) this.$el.querySelector(`${list} [aria-current]`)?.scrollIntoView({ block: "nearest", inline: "center" });
  },
  methods: {
    trc,
    url(area) {
      return `/${area}/${this.here.base.split("/").map(encodeURIComponent).join("/")}`;
    },
    page(area) {
      return `/${area}/${this.here.kind}/${this.here.name.split("/").map(encodeURIComponent).join("/")}`;
    },
    position(toggle) {
      return `/position/${this.here.game}/${toggle.name}?${new URLSearchParams(toggle.position)}`;
    },
    // Scrolls to a group or a toggle, and focuses it.
    async jump(id) {
      const toggle = id.replace("toggle-", "");
      const group = this.groups.find((group) => group.id === id || group.toggles.some(({ name }) => name === toggle))?.id;
      this.folded = this.folded.filter((folded) => folded !== group);
      await this.$nextTick();
      const target = document.getElementById(id);
      history.replaceState(null, "", `#${id}`);
      target?.scrollIntoView();
      (target?.querySelector("summary, input:checked") ?? target?.querySelector("input, select, button"))?.focus({ preventScroll: true });
    },
    fold(group, folded) {
      this.folded = this.folded.filter((id) => id !== group.id).concat(folded ? [group.id] : []);
    },
    painted(toggle) {
      return toggle.name in this.state.boards;
    },
    draw(toggle) {
      this.acted = `toggle-${toggle.name}`;
      this.$emit("draw", toggle.name);
    },
    choose(toggle, choice) {
      this.acted = `toggle-${toggle.name}`;
      this.send();
      this.sendEvent("choose", { toggle: toggle.name, ...choice });
    },
    flip(place) {
      this.send();
      this.sendEvent("switch", { place });
    },
    number(toggle, event) {
      this.choose(toggle, { other: event.target.value === "" ? null : Number(event.target.value) });
    },
    // Scrolls the rule book to a sentence without moving the page.
    bring(toggle) {
      const book = this.$refs.book;
      const item = book.querySelector(`[data-toggle="${toggle}"]`);
      if (!item || book.scrollHeight <= book.clientHeight) return;
      const top = item.offsetTop - book.offsetTop;
      if (top < book.scrollTop || top + item.offsetHeight > book.scrollTop + book.clientHeight)
        book.scrollTop = top - book.clientHeight / 3;
    },
  },
};
