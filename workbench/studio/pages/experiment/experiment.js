// An experiment with its rulesets, players and question, its file, costs and run.

import { Countdown } from "studio/countdown.js";
import { Editor, FILE_PANE, FORM_HEAD, FileForm, PROGRESS, RUN_NOTES } from "studio/editor.js";
import { ReportView } from "studio/report.js";
import { hasWords, tr, trc } from "studio/texts.js";
import { NextSteps } from "studio/next_steps.js";
import { liveResults } from "studio/run_list.js";

export default {
  mixins: [FileForm, Countdown],
  components: { ReportView, NextSteps },
  props: ["cost", "outlook", "trial", "steps"],
  emits: ["tick", "untick", "set", "foretell", "report"],
  template: `
  <div><div id="main" class="asking" :class="{ folded: !editing }" tabindex="-1">
    <div class="form">
      <p class="kind"><a href="/experiments">← {{ tr("Experiments") }}</a> <a v-if="trial" :href="trial.back">{{ tr("Show its rules") }}</a> <span>{{ heading }}</span></p>
      ${FORM_HEAD}
      <p class="unseen" role="status">{{ spoken }}</p>
      <section v-if="run" class="card now" :aria-label="tr('Its games')" :data-state="run.state">
        <div class="head"><span class="state" :class="run.state">{{ run.told }}</span>
          <span class="tools"><button v-if="run.so_far" type="button" data-do="report" @click="$emit('report')">{{ tr("Report so far") }}</button>
          <span v-if="run.writing" class="quiet" role="status">{{ tr("writing the report…") }}</span>
          <a v-if="run.report" class="button" :href="run.report">{{ tr("Report") }}</a></span></div>
        ${PROGRESS}
        <p v-if="run.answer" class="headline">{{ run.answer }}</p>
        <p v-if="tried && state.quick && run.first_in !== null" class="quiet" role="timer">{{ countdown ? tr("The first result is due in about {n} s.", { n: countdown }) : tr("The first result is due any moment now.") }}</p>
        <div v-if="run.interim" class="findings" v-html="run.interim"></div>
        <next-steps v-if="run.page" :steps="steps"></next-steps>
        <p v-else-if="tried && state.quick" class="quiet" data-part="stronger">{{ tr("Strong play may differ. Before you decide, let stronger players play, which takes longer.") }} <a :href="stronger" class="button" data-do="stronger">{{ tr("Experiment with stronger players") }}</a></p>
        ${liveResults("run", " open")}
        <details v-if="run.page" class="sofar" :open="tried || watched || run.state === 'done'"><summary>{{ tr("The report") }}</summary>
          <report-view :page="run.page" within></report-view></details>
        ${RUN_NOTES}
      </section>
      <dl v-if="!editing" class="asked">
        <dt>{{ tr("Which rulesets are compared?") }}</dt><dd v-for="name in proposals" :key="name">{{ rulesetTitle(name) }}</dd>
        <template v-if="state.rulesets.length > 1"><dt>{{ tr("Compared with") }}</dt><dd>
          <select v-if="trial" :value="trial.base" :aria-label="tr('Compare with')" data-do="against" @change="tryAgainst"><option v-for="base in trial.bases" :value="base.name">{{ base.title }}</option></select>
          <template v-else>{{ rulesetTitle(state.baseline) }}</template></dd></template>
        <dt>{{ tr("Who plays?") }}</dt><dd v-for="each in state.agents" :key="each.place">{{ each.sentence || sentence(each.label) }} <code v-if="!each.sentence">{{ each.label }}</code></dd>
        <dd v-if="state.pairs">{{ state.pairs }}</dd>
        <template v-if="state.size"><dt>{{ trc("shelf words", "How many games") }}</dt><dd>{{ state.size }}</dd></template>
      </dl>

      <div v-show="editing" class="parts" ref="form">
      <section class="card"><fieldset>
        <legend>{{ tr("Which rulesets are compared?") }}</legend>
        <p v-if="state.rulesets.length < 2" class="quiet">{{ tr("Tick two or more rulesets to compare.") }}</p>
        <div v-if="state.rulesets.length" class="chosen-ones"><span v-for="name in state.rulesets" :key="name" class="chip">{{ rulesetTitle(name) }}
          <button type="button" :aria-label="tr('Leave out:') + ' ' + rulesetTitle(name)" :data-leave="name" @click="tick('rulesets', name)">×</button></span>
          <button v-if="state.base" type="button" class="small" data-do="add-base" @click="tick('rulesets', state.base)">+ {{ tr("Add their base: {name}", { name: rulesetTitle(state.base) }) }}</button></div>
        <div class="games" role="group" :aria-label="tr('Games')">
          <button v-for="game in choices.games" type="button" :aria-pressed="shelf === game.name" :data-game="game.name" @click="shelf = game.name">{{ game.title }}<span v-if="count(game.name)" class="count">{{ count(game.name) }}</span></button>
          <input type="search" v-model="sought" :placeholder="tr('Find a ruleset')" :aria-label="tr('Find a ruleset')">
        </div>
        <div class="ticks">
          <label v-for="each in listed" :key="each.name" class="option" :class="{ chosen: ticked.has(each.name) }">
            <input type="checkbox" :checked="ticked.has(each.name)" :data-on="ticked.has(each.name)" :data-ruleset="each.name" @change="tick('rulesets', each.name)">
            <span class="words"><b>{{ each.title }}</b> <code>{{ each.own }}</code></span></label>
        </div>
        <p class="quiet">{{ listed.length > 12 ? tr("{n} rulesets (scroll for more)", { n: listed.length }) : listed.length ? "" : tr("No ruleset matches.") }}</p>
        <p v-if="state.varied" class="quiet">{{ state.varied }}</p>
        <label v-if="state.rulesets.length > 1" class="line">{{ tr("Compared with") }}
          <select :value="state.baseline" :data-is="state.baseline" data-do="baseline" @change="sendEvent('set', { key: 'baseline', value: $event.target.value })">
            <option v-for="name in state.rulesets" :value="name">{{ rulesetTitle(name) }}</option></select></label>
      </fieldset></section>

      <section class="card"><fieldset>
        <legend>{{ tr("Who plays?") }}</legend>
        <p class="quiet">{{ tr("Players of equal strength play each other. Results depend on strength: choose two or more.") }}</p>
        <div class="ticks">
          <label v-for="each in choices.players" :key="each.label" class="option" :class="{ chosen: playing.has(each.label) }">
            <input type="checkbox" :checked="playing.has(each.label)" :data-on="playing.has(each.label)" :data-player="each.label" @change="tick('agents', each.label)">
            <span class="words"><b>{{ each.sentence }}</b> <code>{{ each.label }}</code></span></label>
          <label v-for="each in others" :key="each.place + each.label" class="option chosen">
            <input type="checkbox" checked data-on="true" @change="sendEvent('untick', { key: 'agents', place: each.place })">
            <span class="words"><b v-if="each.sentence">{{ each.sentence }}</b><code v-else>{{ each.label }}</code></span></label>
        </div>
        <p v-if="state.pairs" class="quiet">{{ state.pairs }}</p>
      </fieldset></section>

      <section class="card" ref="question"><fieldset>
        <legend>{{ tr("Question") }}</legend>
        <label class="line"><span class="unseen">{{ tr("Question") }}</span>
          <select :value="state.question" :data-is="state.question" data-do="question" @change="sendEvent('set', { key: 'question', value: $event.target.value })">
            <option v-for="each in questions" :value="each.name">{{ each.title }}</option></select></label>
        <button v-if="questions.length < state.questions.length" type="button" class="small" data-do="more" @click="more = true">{{ tr("More questions…") }}</button>
        <label class="line">{{ tr("Games for each ruleset and player") }}
          <input type="number" min="1" max="10000000" step="1" data-do="games" :value="games ?? state.games" @input="games = $event.target.value" @change="number"></label>
        <p v-if="state.size" class="quiet size">{{ state.size }}</p>
        <template v-if="outlook && outlook.lines.length"><p class="quiet">{{ outlook.lines[0] }}</p>
        <details v-if="outlook.lines.length > 1" class="more"><summary>{{ tr("What else these games can show") }}</summary>
          <ul class="outlook quiet"><li v-for="line in outlook.lines.slice(1)">{{ line }}</li></ul></details></template>
      </fieldset></section>

      <section class="card cost" :aria-label="tr('Running time')">
        <div class="head"><h2>{{ tr("Running time") }}</h2>
          <button type="button" data-do="foretell" :disabled="unready || busy || (outlook && outlook.programs)" @click="$emit('foretell')">{{ tr("Estimate") }}</button></div>
        <p v-if="outlook && outlook.programs" class="quiet">{{ tr("It starts external programs, which can be allowed only in the terminal (workbench studio --allow-programs).") }}</p>
        <p v-if="!cost" class="quiet">{{ tr("A pilot of a few seconds estimates the duration and what more or fewer games would show.") }}</p>
        <p v-else-if="cost.state === 'waiting'" class="quiet" role="status">{{ tr("The pilot plays…") }}</p>
        <p v-else-if="cost.state === 'compiling'" class="quiet" role="status">{{ tr("Compiling machine code, once for each game; this takes up to a minute…") }}</p>
        <p v-else-if="cost.state === 'wrong'" class="why" role="alert">{{ cost.why }}</p>
        <template v-else>
          <p v-if="cost.text !== state.text" class="quiet">{{ tr("The experiment has changed since then.") }}</p>
          <p v-for="wish in advised" class="advice"><b>{{ wish.what }}</b> <span>{{ tr("{games} games for each ruleset and player, {time}", wish) }}</span>
            <button v-if="wish.take && wish.take !== state.games" type="button" class="small" :aria-label="tr('Use this') + ': ' + wish.what" @click="sendEvent('set', { key: 'games', value: wish.take })">{{ tr("Use this") }}</button></p>
          <details class="more"><summary>{{ tr("Other goals, speed and pilot results") }}</summary>
          <div class="scroll"><table :class="{ stale: cost.text !== state.text }">
            <thead><tr><th scope="col">{{ tr("What you get") }}</th><th scope="col">{{ tr("Games for each ruleset and player") }}</th><th scope="col">{{ cost.workers }}</th><td></td></tr></thead>
            <tbody><tr v-for="wish in cost.wishes"><th scope="row">{{ wish.what }}</th><td>{{ wish.games }}</td><td>{{ wish.time }}</td>
              <td><button v-if="wish.take && wish.take !== state.games" type="button" class="small" :aria-label="tr('Use this') + ': ' + wish.what" @click="sendEvent('set', { key: 'games', value: wish.take })">{{ tr("Use this") }}</button></td></tr></tbody>
          </table></div>
          <p class="quiet">{{ tr("All numbers of games are per ruleset and player. They allow for the draws and the games stopped at the cap in the pilot; the estimate for the question, above, does not.") }}</p>
          <div class="scroll"><table>
            <thead><tr><th scope="col">{{ tr("Players") }}</th><th scope="col">{{ tr("Games/s per core") }}</th><th scope="col">{{ tr("Draws") }}</th><th scope="col">{{ tr("Plies") }}</th></tr></thead>
            <tbody><tr v-for="pace in cost.paces"><th scope="row">{{ pace.players }}</th><td>{{ pace.speed }}</td><td>{{ pace.draws }}</td><td>{{ pace.plies }}</td></tr></tbody>
          </table></div>
          <ul class="outlook quiet"><li v-for="note in notes">{{ note }}</li></ul></details>
        </template>
      </section></div>
    </div>

    ${FILE_PANE}
  </div></div>`,
  data() {
    const first = this.state.rulesets[0]?.split("/")[0];
    const names = this.choices.games.map((game) => game.name);
    return {
      shelf: names.includes(first) ? first : names[0],
      sought: "",
      more: false, // true to offer all questions
      watched: false, // true if it ran while the page was open
      games: null, // the number being typed
    };
  },
  computed: {
    begun() {
      return this.here.begun || (this.tried && !this.here.new) || (this.run !== null && this.run.state !== "not_begun");
    },
    proposals() {
      const { rulesets, baseline } = this.state;
      return rulesets.length === 1 ? rulesets : rulesets.filter((name) => name !== baseline);
    },
    stronger() {
      return `/new-experiment?${new URLSearchParams({ like: this.here.name })}`;
    },
    moreProblems() {
      return this.outlook?.problems ?? [];
    },
    refused() {
      return this.outlook?.programs;
    },
    questions() {
      return this.state.questions.filter((question) => this.more || question.usual);
    },
    ticked() {
      return new Set(this.state.rulesets);
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
    tried() {
      return Object.keys(this.state.labels).length > 0 || this.trial !== null;
    },
    busy() {
      return this.cost !== null && ["waiting", "compiling"].includes(this.cost.state);
    },
    // Returns the text for screen readers: the phase without numbers, and the answer.
    spoken() {
      if (!this.run) return "";
      const findings = new DOMParser().parseFromString(this.run.interim, "text/html");
      for (const span of findings.querySelectorAll("span[lang]")) if (span.lang !== document.documentElement.lang) span.remove();
      const now = this.run.state === "running" ? this.run.phase.replace(/[\d.,]+\s*%/, "") : this.run.told;
      return `${now} ${this.run.answer || (findings.querySelector(".headline")?.textContent ?? "")}`.trim();
    },
    // Returns the notes that the question section does not contain.
    notes() {
      return this.cost.notes.filter((note) => !this.outlook?.lines.includes(note));
    },
    // Returns the costs of the current numbers and of the usual difference; others are folded.
    advised() {
      return this.cost.wishes.filter((wish) => wish.advised);
    },
    texts() {
      return {
        title: tr("Experiment title"), tools: tr("Experiments"), change: tr("Change the question"), yaml: tr("The experiment file as YAML"), save: tr("Save as an experiment"), name: tr("Name, such as my-question"),
        shipped: tr("This experiment is shipped with the workbench. Choose another name unless you want to replace it."),
        resumed: tr("This is your unfinished experiment; “{revert}” starts an empty one.", { revert: tr("Discard") }),
      };
    },
  },
  watch: {
    run: {
      immediate: true,
      handler(run) {
        this.watched ||= run?.state === "running";
        this.expectIn(run?.first_in ?? 0);
      },
    },
  },
  mounted() {
    addEventListener("hashchange", this.arrive);
    this.arrive();
  },
  unmounted() {
    removeEventListener("hashchange", this.arrive);
  },
  methods: {
    trc,
    // Handles links from reports for more games.
    async arrive() {
      if (location.hash !== "#games") return;
      history.replaceState(null, "", location.pathname + location.search); // the link may be used again
      this.opened = true;
      await this.$nextTick();
      this.goTo(this.$refs.question, "[data-do=games]");
    },
    rulesetTitle(name) {
      return this.state.labels[name] ?? this.choices.rulesets.find((ruleset) => ruleset.name === name)?.title ?? name;
    },
    sentence(label) {
      return this.choices.players.find((player) => player.label === label)?.sentence ?? "";
    },
    // Opens the form and scrolls to it, or closes it.
    async change() {
      this.opened = !this.editing;
      await this.$nextTick();
      if (this.opened) this.goTo(this.$refs.form, "button, input");
    },
    goTo(part, field) {
      part.scrollIntoView();
      part.querySelector(field).focus({ preventScroll: true });
    },
    tryAgainst(event) {
      location.assign(`/try/${this.trial.of}?against=${encodeURIComponent(event.target.value)}`);
    },
    count(game) {
      return this.state.rulesets.filter((name) => name.startsWith(`${game}/`)).length;
    },
    number(event) {
      this.games = null;
      this.sendEvent("set", { key: "games", value: event.target.value === "" ? null : Number(event.target.value) });
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
