// An experiment: its question, its run and answer, and behind "More" its rulesets, players, measure and file.

import { RunAnswer } from "studio/answer.js";
import { Editor, FILE_PANE, FORM_HEAD, FileForm } from "studio/editor.js";
import { hasWords, tr, trc } from "studio/texts.js";

export default {
  mixins: [FileForm],
  components: { RunAnswer },
  props: ["outlook"],
  emits: ["tick", "untick", "strong", "set", "report"],
  template: `
  <div><div id="main" class="asking" :class="{ folded: !editing }" tabindex="-1">
    <div class="form">
      <p class="kind"><a href="/answers">← {{ tr("Answers") }}</a> <span>{{ heading }}</span></p>
      ${FORM_HEAD}
      <p v-if="state.rulesets.length > 1" class="quiet">{{ proposals.map(rulesetTitle).join(trc("enumeration", ", ")) }} – {{ tr("Compared with") }} {{ rulesetTitle(state.baseline) }}</p>
      <run-answer :run="run" :page="run?.page" @report="$emit('report')"></run-answer>

      <div v-show="editing" class="parts" ref="form">
      <section class="card"><fieldset>
        <legend>{{ tr("Which rulesets are compared?") }}</legend>
        <p v-if="state.rulesets.length < 2" class="quiet">{{ tr("Tick two or more rulesets to compare.") }}</p>
        <div v-if="state.rulesets.length" class="chosen-ones"><span v-for="name in state.rulesets" :key="name" class="chip">{{ rulesetTitle(name) }}
          <button type="button" :aria-label="tr('Leave out:') + ' ' + rulesetTitle(name)" :data-leave="name" @click="tick('rulesets', name)">×</button></span>
          <button v-if="state.base" type="button" class="small" data-do="add-base" @click="tick('rulesets', state.base)">+ {{ tr("Add their base: {name}", { name: rulesetTitle(state.base) }) }}</button></div>
        <div class="games" role="group" :aria-label="tr('Games')">
          <button v-for="game in choices.games" type="button" :aria-pressed="shelf === game.name" :data-game="game.name" @click="shelf = game.name">{{ game.title }}</button>
          <input type="search" v-model="sought" :placeholder="tr('Find a ruleset')" :aria-label="tr('Find a ruleset')">
        </div>
        <div class="ticks">
          <label v-for="each in listed" :key="each.name" class="option" :class="{ chosen: state.rulesets.includes(each.name) }">
            <input type="checkbox" :checked="state.rulesets.includes(each.name)" :data-on="state.rulesets.includes(each.name)" :data-ruleset="each.name" @change="tick('rulesets', each.name)">
            <span class="words"><b>{{ each.title }}</b></span></label>
        </div>
        <p v-if="!listed.length" class="quiet">{{ tr("No ruleset matches.") }}</p>
        <label v-if="state.rulesets.length > 1" class="line">{{ tr("Compared with") }}
          <select :value="state.baseline" :data-is="state.baseline" data-do="baseline" @change="set('baseline', $event)">
            <option v-for="name in state.rulesets" :value="name">{{ rulesetTitle(name) }}</option></select></label>
      </fieldset></section>

      <section class="card"><fieldset>
        <legend>{{ tr("Who plays?") }}</legend>
        <p class="quiet">{{ tr("Players of equal strength play each other. Results depend on strength: choose two or more.") }}</p>
        <div class="ticks">
          <label v-for="each in choices.players" :key="each.label" class="option" :class="{ chosen: playing.has(each.label) }">
            <input type="checkbox" :checked="playing.has(each.label)" :data-on="playing.has(each.label)" :data-player="each.label" @change="tick('agents', each.label)">
            <span class="words"><b>{{ each.sentence }}</b></span></label>
          <label v-for="each in others" :key="each.place + each.label" class="option chosen">
            <input type="checkbox" checked data-on="true" @change="sendEvent('untick', { key: 'agents', place: each.place })">
            <span class="words"><code>{{ each.label }}</code></span></label>
        </div>
        <button type="button" class="small" data-do="strong" @click="sendEvent('strong')">{{ tr("Strong players who learn each ruleset (takes longer)") }}</button>
      </fieldset></section>

      <section class="card" ref="question"><fieldset>
        <legend>{{ tr("What is measured?") }}</legend>
        <label class="line">{{ tr("Measure") }}
          <select :value="state.question" :data-is="state.question" data-do="question" @change="set('question', $event)">
            <option v-for="each in state.questions" :value="each.name">{{ each.title }}</option></select></label>
        <label class="line">{{ tr("Games for each ruleset and player") }}
          <input type="number" min="1" max="10000000" step="1" data-do="games" :value="games ?? state.games" @input="games = $event.target.value" @change="number('games', $event)"></label>
        <label class="line">{{ tr("Random plies at the start") }}
          <input type="number" min="0" max="40" step="1" data-do="plies" :value="state.plies" :data-is="state.plies" @change="number('plies', $event)"></label>
        <p v-if="state.size" class="quiet size">{{ state.size }}</p>
        <p v-if="refused" class="quiet">{{ tr("It starts external programs, which can be allowed only in the terminal (workbench studio --allow-programs).") }}</p>
      </fieldset></section></div>
    </div>

    ${FILE_PANE}
  </div></div>`,
  data() {
    const first = this.state.rulesets[0]?.split("/")[0];
    const names = this.choices.games.map((game) => game.name);
    return {
      shelf: names.includes(first) ? first : names[0],
      sought: "",
      games: null, // the number being typed
    };
  },
  computed: {
    proposals() {
      return this.state.rulesets.filter((name) => name !== this.state.baseline);
    },
    moreProblems() {
      return this.outlook?.problems ?? [];
    },
    refused() {
      return this.outlook?.programs;
    },
    playing() {
      return new Set(this.state.agents.map((agent) => agent.label));
    },
    others() {
      const known = new Set(this.choices.players.map((player) => player.label));
      return this.state.agents.filter((agent) => !known.has(agent.label));
    },
    listed() {
      return this.choices.rulesets.filter((ruleset) => (this.sought.trim() ? hasWords(this.sought, `${ruleset.name} ${ruleset.title}`) : ruleset.game === this.shelf));
    },
    texts() {
      return {
        title: tr("Experiment title"), tools: tr("Experiments"), change: trc("words", "More"), yaml: tr("The experiment file as YAML"), save: tr("Save as an experiment"), name: tr("Name, such as my-question"),
        shipped: tr("This experiment is shipped with the workbench. Choose another name unless you want to replace it."),
        resumed: tr("This is your unfinished experiment; “{revert}” starts an empty one.", { revert: tr("Discard") }),
      };
    },
  },
  mounted() {
    if (location.hash === "#games") this.change();
  },
  methods: {
    trc,
    rulesetTitle(name) {
      return this.state.labels[name] ?? this.choices.rulesets.find((ruleset) => ruleset.name === name)?.title ?? name;
    },
    // Opens the form and scrolls to it, or closes it.
    async change() {
      this.opened = !this.editing;
      await this.$nextTick();
      if (!this.opened) return;
      this.$refs.form.scrollIntoView();
      this.$refs.form.querySelector("button, input").focus({ preventScroll: true });
    },
    set(key, event) {
      this.sendEvent("set", { key, value: event.target.value });
    },
    number(key, event) {
      this.games = null;
      this.sendEvent("set", { key, value: event.target.value === "" ? null : Number(event.target.value) });
    },
    tick(key, word) {
      this.send();
      this.notice = "";
      this.sendEvent("tick", { key, word });
    },
    resetInputs() {
      Editor.methods.resetInputs.call(this);
      if (this.waiting === null && this.games === null) this.$el.querySelector("[data-do=games]").value = this.state.games ?? "";
    },
  },
};
