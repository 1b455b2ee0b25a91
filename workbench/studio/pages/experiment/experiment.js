// An experiment: its question, its run and answer, and behind "More" its rulesets, players, measure and file.

import { RunAnswer } from "studio/answer.js";
import { FILE_PANE, FORM_HEAD, FileForm } from "studio/editor.js";
import { NumberField } from "studio/number_field.js";
import { tr, trc } from "studio/texts.js";

const NUMBERS = { games: [tr("Games for each ruleset and player"), 1, 10_000_000], plies: [tr("Random plies at the start"), 0, 40] };

export default {
  mixins: [FileForm],
  components: { NumberField, RunAnswer },
  emits: ["tick", "strong", "set"],
  template: `
  <div><div id="main" class="asking" :class="{ folded: !editing }" tabindex="-1">
    <div class="form">
      <p class="kind"><a href="/answers">← {{ tr("Answers") }}</a> <span>{{ heading }}</span></p>
      ${FORM_HEAD}
      <run-answer :run="run" :page="run?.page"></run-answer>
      <section v-show="editing" class="card" ref="form"><fieldset><legend class="unseen">{{ tr("Experiments") }}</legend>
        <h2>{{ tr("Which rulesets are compared?") }}</h2>
        <div class="chosen-ones"><span v-for="name in state.rulesets" :key="name" class="chip">{{ rulesetTitle(name) }}
          <button type="button" :aria-label="tr('Leave out:') + ' ' + rulesetTitle(name)" :data-leave="name" @click="tick('rulesets', name)">×</button></span></div>
        <label class="line"><select value="" data-is="" :aria-label="tr('Add a ruleset')" data-do="add" @change="tick('rulesets', $event.target.value)"><option value="">+ {{ tr("Add a ruleset") }}</option>
          <optgroup v-for="game in choices.games" :label="game.title"><option v-for="each in unused(game.name)" :value="each.name">{{ each.title }}</option></optgroup></select></label>
        <label v-if="state.rulesets.length > 1" class="line">{{ tr("Compared with") }}
          <select :value="state.baseline" :data-is="state.baseline" data-do="baseline" @change="set('baseline', $event.target.value)">
            <option v-for="name in state.rulesets" :value="name">{{ rulesetTitle(name) }}</option></select></label>
        <h2>{{ tr("Who plays?") }}</h2>
        <div class="ticks">
          <label v-for="each in players" :key="each.label" class="option">
            <input type="checkbox" :checked="state.agents.includes(each.label)" :data-on="state.agents.includes(each.label)" :data-player="each.label" @change="tick('agents', each.label)">
            <b v-if="each.sentence">{{ each.sentence }}</b><code v-else>{{ each.label }}</code></label></div>
        <button type="button" class="small" data-do="strong" @click="sendEvent('strong')">{{ tr("Strong players who learn each ruleset (takes longer)") }}</button>
        <h2>{{ tr("What is measured?") }}</h2>
        <label class="line">{{ tr("Measure") }}
          <select :value="state.question" :data-is="state.question" data-do="question" @change="set('question', $event.target.value)">
            <option v-for="each in state.questions" :value="each.name">{{ each.title }}</option></select></label>
        <number-field v-for="[text, low, high], key in NUMBERS" :label="text" :value="state[key]" :low="low" :high="high" step="1" :name="key" @set="set(key, $event || null)"></number-field>
      </fieldset></section>
    </div>
    ${FILE_PANE}
  </div></div>`,
  data: () => ({ NUMBERS }),
  computed: {
    // Returns the players to choose from, and the others of the file.
    players() {
      const known = this.choices.players.map((player) => player.label);
      return [...this.choices.players, ...this.state.agents.filter((label) => !known.includes(label)).map((label) => ({ label }))];
    },
    texts() {
      return {
        title: tr("Experiment title"), tools: tr("Experiments"), change: trc("words", "More"), yaml: tr("The experiment file as YAML"), save: tr("Save as an experiment"),
        shipped: tr("This experiment is shipped with the workbench. Choose another name unless you want to replace it."),
        resumed: tr("This is your unfinished experiment; “{revert}” starts an empty one.", { revert: tr("Discard") }),
      };
    },
  },
  mounted() {
    if (location.hash === "#games") this.change();
  },
  methods: {
    rulesetTitle(name) {
      return this.state.labels[name] ?? this.choices.rulesets.find((ruleset) => ruleset.name === name)?.title ?? name;
    },
    unused(game) {
      return this.choices.rulesets.filter((ruleset) => ruleset.game === game && !this.state.rulesets.includes(ruleset.name));
    },
    async change() {
      this.opened = !this.editing;
      await this.$nextTick();
      if (this.opened) this.$refs.form.scrollIntoView();
    },
    set(key, value) {
      this.sendEvent("set", { key, value });
    },
    tick(key, word) {
      this.send();
      this.sendEvent("tick", { key, word });
    },
  },
};
