// A search for rulesets with its allowed changes and targets, its file, its run and its results.

import { FILE_PANE, FORM_HEAD, FileForm, PROGRESS, RUN_NOTES } from "studio/editor.js";
import { NumberField } from "studio/number_field.js";
import { ReportView } from "studio/report.js";
import { hasWords, tr, trc } from "studio/texts.js";

const MOST_NUMBERS = 60; // the most numbers of a range that a combination may contain

export default {
  mixins: [FileForm],
  components: { NumberField, ReportView },
  props: ["size", "found", "look"],
  emits: ["base", "vary", "choose", "range", "price", "target", "weigh", "weight", "never", "allow", "tick", "standard", "set", "look", "unlook", "open"],
  template: `
  <div><div id="main" class="asking searching" :class="{ folded: !editing }" tabindex="-1">
    <div class="form">
      <p class="kind"><a href="/answers">← {{ tr("Answers") }}</a> <span>{{ heading }}</span></p>
      ${FORM_HEAD}
      <p v-if="size?.differs" class="why">{{ tr("Another search with this name already has games: its rules, players, targets, budget or workbench version were different. Save this one under another name, or start over in a terminal with --fresh.") }}</p>

      <p class="unseen" role="status">{{ spoken }}</p>
      <section v-if="run" class="card now" :aria-label="tr('Its games')" :data-state="run.state">
        <div class="head"><span class="state" :class="run.state">{{ run.told }}</span>
          <span class="tools"><a v-if="run.report && run.page" class="button" :href="run.report">{{ tr("The search report") }}</a>
          <a v-if="run.finalists_report" class="button" :href="run.finalists_report" data-do="finalists">{{ tr("Report on the finalists") }}</a>
          <a v-if="run.finalists_games" class="button" :href="run.finalists_games" data-do="games">{{ tr("Games of the finalists") }}</a></span></div>
        ${PROGRESS}
        <p v-if="run.place" class="quiet">{{ tr("Waiting for another job to finish.") }}</p>
        <p v-if="run.stage" class="stage"><span class="quiet">{{ tr("Stage") }}</span> {{ run.stage }}</p>
        <p v-if="run.answer" class="headline">{{ run.answer }}</p>
        <template v-if="run.leaders.length"><h2>{{ tr("Currently most promising") }}</h2>
          <ol class="leaders"><li v-for="leader in run.leaders">{{ leader }}</li></ol>
          <p class="quiet">{{ tr("Interim results are not verdicts: the leaders may change until fresh games decide.") }}</p></template>
        ${RUN_NOTES}
      </section>

      <section v-if="look" ref="look" class="card look" tabindex="-1" :aria-label="tr('A ruleset from the search')" :data-look="look.place">
        <div class="head"><h2>{{ look.number ? tr("Finalist {n}: {title}", { n: look.number, title: look.title }) : look.title }}</h2>
          <button type="button" class="small" data-do="unlook" @click="unlook">{{ tr("Close") }}</button></div>
        <p class="quiet figures"><span v-for="column in columns" :key="column.name">{{ column.title }} {{ look.values[column.name] }}</span>
          <span>{{ tr("price {n}", { n: look.price }) }}</span><span>{{ tr("{games} games", { games: look.games }) }}</span><span>{{ look.chance }}</span></p>
        <p v-if="look.targets" class="quiet">{{ look.targets }}</p>
        <ul v-if="look.changes.length" class="differs"><li v-for="change in look.changes" :key="change.title">
          <h3>{{ change.title }}</h3><p><span class="quiet">{{ trc("search words", "Before") }}</span> <s>{{ change.was }}</s></p><p><span class="quiet">{{ trc("search words", "After") }}</span> {{ change.now }}</p></li></ul>
        <p v-else-if="look.opens" class="quiet">{{ tr("These are the current rules.") }}</p>
        <div v-if="look.opens" class="tools">
          <button type="button" data-do="open-rules" @click="open(look, 'rules')">{{ tr("Open its rules") }}</button>
          <button type="button" data-do="try" :disabled="!look.changes.length" @click="open(look, 'try')">{{ tr("Try this") }}</button>
          <button type="button" data-do="propose" :disabled="!look.changes.length" @click="open(look, 'save')">{{ tr("Save as a proposal…") }}</button>
          <a v-if="look.number && run?.finalists_report" class="button" :href="run.finalists_report">{{ tr("Report on the finalists") }}</a>
          <a v-if="look.number && run?.finalists_games" class="button" :href="run.finalists_games">{{ tr("Games of the finalists") }}</a></div>
        <p v-else class="quiet">{{ tr("The search file no longer allows these settings, so these rules cannot be opened.") }}</p>
      </section>

      <p v-if="run?.estimated && !found" class="quiet" role="status">{{ tr("Reading the records…") }}</p>
      <section v-if="found" v-show="!editing" class="card found" :aria-label="tr('Rulesets by score and draws')">
        <h2>{{ tr("Rulesets by score and draws") }}</h2>
        <p class="quiet" id="scatter">{{ tr("Each dot is a ruleset at its expected values from the model of all games so far. Numbered: the finalists. Dark: not dominated in score, draws and price. Shaded: the targets. Click a dot to open its ruleset.") }}</p>
        <div ref="picture" v-html="found.picture" @click="dot"></div>
        <h2 id="table-of-rulesets">{{ tr("The most promising rulesets") }}</h2>
        <p class="quiet">{{ tr("Expected values from the model of all games, with 95 % intervals, best first; for numbered finalists, from fresh games only.") }} {{ found.shown }}</p>
        <div class="scroll" tabindex="0" role="region" aria-labelledby="table-of-rulesets"><table>
          <thead><tr><th scope="col">{{ trc("shelf words", "Ruleset") }}</th><th v-for="column in columns" scope="col">{{ column.title }}</th>
            <th scope="col">{{ trc("search words", "Price") }}</th><th scope="col">{{ trc("search words", "Games") }}</th><th scope="col">{{ tr("Best") }}</th><td></td></tr></thead>
          <tbody><tr v-for="row in found.rows" :key="row.place" :data-ruleset="row.place" :class="{ chosen: look?.place === row.place, finalist: row.number }">
            <th scope="row"><template v-if="row.number">{{ row.number }}. </template>{{ row.title }}</th>
            <td v-for="column in columns" :data-text="column.title">{{ row.values[column.name] }}</td>
            <td :data-text="trc('search words', 'Price')">{{ row.price }}</td><td :data-text="trc('search words', 'Games')">{{ row.games }}</td><td :data-text="tr('Best')">{{ row.best }}</td>
            <td><span class="tools"><button type="button" class="small" data-do="look" :aria-label="trc('search words', 'Look') + ': ' + row.title" :aria-pressed="look?.place === row.place" @click="$emit('look', row.place)">{{ trc("search words", "Look") }}</button>
              <button v-if="row.number && !row.base" type="button" class="small" data-do="propose" :aria-label="tr('Save as a proposal…') + ' ' + row.title" @click="open(row, 'save')">{{ tr("Save as a proposal…") }}</button></span></td></tr></tbody></table></div>
      </section>

      <details v-if="run?.page" v-show="!editing" class="sofar" open><summary>{{ tr("The search report") }}</summary>
        <report-view :page="run.page" within></report-view></details>

      <div v-show="editing" class="parts">
      <section class="card"><fieldset>
        <legend>{{ tr("Which rules should change?") }}</legend>
        <label class="line"><span class="unseen">{{ tr("Which rules should change?") }}</span>
          <select :value="state.base" :data-is="state.base" data-do="base" @change="sendEvent('base', { name: $event.target.value })">
            <option v-if="!bases.has(state.base)" :value="state.base">{{ state.base }}</option>
            <optgroup v-for="game in choices.games" :label="game.title"><option v-for="each in of(game.name)" :value="each.name">{{ each.title }} ({{ each.own }})</option></optgroup></select></label>
        ${problemList("base")}
      </fieldset></section>

      <section class="card"><fieldset>
        <legend>{{ tr("What may be changed?") }}</legend>
        <p class="quiet">{{ tr("Choose the rules and acceptable values for each.") }}</p>
        ${problemList("space")}
        <div v-for="each in state.varied" :key="each.name" class="factor" role="group" :aria-label="each.title" :data-factor="each.name">
          <div class="head"><h3>{{ each.title }}</h3>
            <button type="button" class="small" :aria-label="tr('Leave as it is:') + ' ' + each.title" data-do="let-be" @click="sendEvent('vary', { toggle: each.name })">×</button></div>
          <p v-if="each.told" class="quiet">{{ each.told }}</p>
          <label v-for="value in each.values" :key="value.text" class="option" :class="{ chosen: value.chosen }">
            <input type="checkbox" :checked="value.chosen" :data-on="value.chosen" :data-value="value.text" @change="sendEvent('choose', { toggle: each.name, text: value.text, on: $event.target.checked })">
            <span class="words">{{ value.sentence }} <span v-if="value.base" class="quiet">({{ tr("as it is") }})</span></span></label>
          <div v-if="each.span" class="range"><p class="quiet">{{ each.span.sentence }} <template v-if="each.span.now !== null">({{ tr("as it is") }}: {{ each.span.now }})</template></p>
            <number-field :label="tr('Numbers from')" :value="each.span.from" :low="each.span.low" :high="each.span.high" :step="each.span.step" name="from" @set="range(each, 'from', $event)"></number-field>
            <number-field :label="tr('to')" :value="each.span.to" :low="each.span.low" :high="each.span.high" :step="each.span.step" name="to" @set="range(each, 'to', $event)"></number-field>
            <number-field :label="tr('in steps of')" :value="each.span.by" :low="each.span.step" :high="each.span.high" :step="each.span.step" name="by" @set="range(each, 'step', $event)"></number-field></div>
          <div v-if="!each.told" class="range"><number-field :label="tr('Price of a change')" :value="each.price" :hint="String(state.price)" low="0" name="price" @set="price(each, $event, each.by_step)"></number-field>
            <label v-if="each.span" class="option"><input type="checkbox" :checked="each.by_step" :data-on="each.by_step" :disabled="each.price === null" @change="price(each, each.price, $event.target.checked)"> {{ tr("per unit change in the number") }}</label></div>
          <ul v-if="problemsOf('space.' + each.name).length" class="problems"><li v-for="line in problemsOf('space.' + each.name)">{{ line }}</li></ul>
        </div>
        <details class="more adder" :open="adding" @toggle="adding = $event.target.open"><summary>{{ tr("Choose the rules that may change") }}</summary>
          <input type="search" v-model="sought" :placeholder="tr('Find a rule')" :aria-label="tr('Find a rule')">
          <div class="ticks"><template v-for="group in offered" :key="group.title"><h3 v-if="group.title">{{ group.title }}</h3>
            <label v-for="each in group.toggles" :key="each.name" class="option" :class="{ chosen: each.chosen }">
              <input type="checkbox" :checked="each.chosen" :data-on="each.chosen" :data-toggle="each.name" @change="sendEvent('vary', { toggle: each.name })">
              <span class="words"><b>{{ each.title }}</b> <span class="quiet">{{ each.now }}</span></span></label></template></div>
          <p v-if="!offered.length" class="quiet">{{ tr("No rule matches.") }}</p></details>
      </fieldset></section>

      <section v-if="state.varied.length" class="card"><fieldset>
        <legend>{{ tr("Which combinations are unwanted?") }}</legend>
        <p class="quiet">{{ tr("Combinations that the game's rules exclude are omitted anyway.") }}</p>
        <div v-if="state.never.length" class="chosen-ones"><span v-for="(told, place) in state.never" :key="told" class="chip">{{ told }}
          <button type="button" :aria-label="tr('Allow again:') + ' ' + told" data-do="allow" @click="sendEvent('allow', { index: place })">×</button></span></div>
        <div class="range"><label class="line">{{ tr("First choice") }} <select v-model="never[0]" data-do="never-first"><option value=""></option><optgroup v-for="each in levels" :label="each.title"><option v-for="value in each.values" :value="each.name + ' ' + value.text">{{ value.told }}</option></optgroup></select></label>
          <label class="line">{{ tr("together with") }} <select v-model="never[1]" data-do="never-second"><option value=""></option><optgroup v-for="each in levels" :label="each.title"><option v-for="value in each.values" :value="each.name + ' ' + value.text">{{ value.told }}</option></optgroup></select></label>
          <button type="button" class="small" data-do="never" :disabled="!never[0]" @click="ruleOut">{{ tr("Rule it out") }}</button></div>
        ${problemList("never")}
      </fieldset></section>

      <section class="card"><fieldset>
        <legend>{{ tr("What should the game become?") }}</legend>
        <p class="quiet">{{ tr("Targets are goals; requirements must be met for a ruleset to be considered. One end may be left empty.") }}</p>
        ${problemList("targets")}${problemList("must")}
        <div v-for="each in state.targets" :key="each.name" class="aim" role="group" :aria-label="each.title" :data-target="each.name">
          <span class="words"><b>{{ each.title }}</b> <span class="quiet">{{ each.told }}</span></span>
          <select :value="each.role" :data-is="each.role" :aria-label="tr('{measure}: what for', { measure: each.title })" data-do="role" @change="target(each, { role: $event.target.value })">
            <option value="">{{ tr("not considered") }}</option><option value="target">{{ trc("search words", "target") }}</option><option value="must">{{ tr("required") }}</option></select>
          <template v-if="each.role"><number-field :label="tr('{measure}, from', { measure: each.title })" :unseen="true" :value="each.low" low="0" name="low" @set="target(each, { low: $event })"></number-field>
            <span aria-hidden="true">–</span><number-field :label="tr('{measure}, to', { measure: each.title })" :unseen="true" :value="each.high" low="0" :unit="each.unit" name="high" @set="target(each, { high: $event })"></number-field></template>
          <ul v-if="targetProblems(each).length" class="problems"><li v-for="line in targetProblems(each)">{{ line }}</li></ul>
        </div>
        <number-field :label="indifferent" :value="state.indifferent" low="0.1" high="50" :unit="trc('search words', 'points')" name="indifferent" @set="set('indifferent', $event)"></number-field>
        ${problemList("indifferent")}
      </fieldset></section>

      <section class="card"><fieldset>
        <legend>{{ tr("What does a change cost?") }}</legend>
        <p class="quiet">{{ tr("The search prefers cheap rulesets. A price of 0 means that nobody would mind the change; each rule above may have its own price.") }}</p>
        <number-field :label="tr('Price of each change without a price of its own')" :value="state.price" low="0" name="price-usual" @set="sendEvent('price', { toggle: 'each', value: $event, by_step: false })"></number-field>
        ${problemList("price")}
        <h3>{{ tr("What counts more?") }}</h3>
        <label class="option" :class="{ chosen: !state.weights.on }"><input type="radio" name="order" :checked="!state.weights.on" :data-on="!state.weights.on" @change="sendEvent('weigh', { on: false })"> <span class="words">{{ tr("Targets first; among rulesets that meet them, the cheapest") }}</span></label>
        <label class="option" :class="{ chosen: state.weights.on }"><input type="radio" name="order" :checked="state.weights.on" :data-on="state.weights.on" data-do="weigh" @change="sendEvent('weigh', { on: true })"> <span class="words">{{ tr("Weights (points lost)") }}</span></label>
        <div v-if="state.weights.on" class="range"><number-field v-for="each in state.weights.rows" :key="each.name" :label="each.told" :value="each.value" low="0" :name="'weight-' + each.name" @set="sendEvent('weight', { name: each.name, value: $event })"></number-field></div>
        ${problemList("weights")}
      </fieldset></section>

      <section class="card"><fieldset>
        <legend>{{ tr("Strong players (their games count)") }}</legend>
        <label class="option" :class="{ chosen: !state.strong.length }"><input type="radio" name="strong" :checked="!state.strong.length" :data-on="!state.strong.length" data-do="standard" @change="sendEvent('standard', { on: true })"> <span class="words">{{ tr("Standard players: two kinds of search at two budgets each, and at the end also with trained evaluations") }}</span></label>
        <label class="option" :class="{ chosen: state.strong.length }"><input type="radio" name="strong" :checked="state.strong.length > 0" :data-on="state.strong.length > 0" data-do="chosen" @change="sendEvent('standard', { on: false })"> <span class="words">{{ tr("Custom players") }}</span></label>
        <div v-if="state.strong.length" class="ticks"><label v-for="each in players('strong')" :key="each.label" class="option" :class="{ chosen: each.on }">
          <input type="checkbox" :checked="each.on" :data-on="each.on" :data-player="each.label" @change="sendEvent('tick', { strength: 'strong', player: each.label })">
          <span class="words"><b>{{ each.sentence }}</b> <code>{{ each.label }}</code></span></label></div>
        <h3>{{ tr("Quick players (detect unplayable rulesets)") }}</h3>
        <div class="ticks"><label v-for="each in players('quick')" :key="each.label" class="option" :class="{ chosen: each.on }">
          <input type="checkbox" :checked="each.on" :data-on="each.on" :data-quick="each.label" @change="sendEvent('tick', { strength: 'quick', player: each.label })">
          <span class="words"><b>{{ each.sentence }}</b> <code>{{ each.label }}</code></span></label></div>
        ${problemList("players")}
        <h3>{{ tr("Random opening lines") }}</h3>
        <div class="range"><number-field :label="tr('Plies per line')" :value="state.openings.plies" low="1" step="1" name="line-plies" @set="set('openings', $event, 'plies')"></number-field>
          <number-field :label="tr('Lines per ruleset')" :value="state.openings.lines" low="1" step="1" name="line-count" @set="set('openings', $event, 'lines')"></number-field></div>
        ${problemList("openings")}
      </fieldset></section>

      <section class="card"><fieldset>
        <legend>{{ tr("How long may it take?") }}</legend>
        <div class="range"><label v-for="kind in ['hours', 'games']" class="option" :class="{ chosen: budget === kind }"><input type="radio" name="budget" :checked="budget === kind" :data-on="budget === kind" :data-do="'by-' + kind" @change="set('budget', { hours: 1, games: 12000 }[kind], kind)"> <span class="words">{{ budgets[kind] }}</span></label></div>
        <div class="range"><number-field :key="budget" :label="budgets[budget]" :value="state.budget[budget]" :low="budget === 'hours' ? 0.01 : 100" :name="'budget-' + budget" @set="set('budget', $event, budget)"></number-field>
          <number-field :label="tr('Share of games used to confirm the finalists')" :value="state.budget.confirm" low="10" high="90" :unit="'%'" name="confirm" @set="set('budget', $event, 'confirm')"></number-field>
          <number-field :label="tr('Finalists')" :value="state.finalists" low="1" high="12" step="1" name="finalists" @set="set('finalists', $event)"></number-field>
          <number-field :label="tr('Games are stopped after this many plies')" :value="state.max_plies" low="1" step="1" name="max-plies" @set="set('max_plies', $event)"></number-field>
          <number-field :label="trc('search words', 'Random seed')" :value="state.seed" low="0" step="1" name="seed" @set="set('seed', $event)"></number-field></div>
        ${problemList("budget")}${problemList("finalists")}${problemList("seed")}${problemList("max_plies")}
      </fieldset></section>

      <section v-if="!state.begins" class="card counted" :aria-label="tr('Number of rulesets')" aria-live="polite">
        <h2>{{ tr("Number of rulesets") }}</h2>
        <p v-if="!unready && !size" class="quiet" role="status">{{ tr("Counting the rulesets…") }}</p>
        <ul v-if="size" class="outlook"><li v-for="line in size.lines">{{ line }}</li></ul>
      </section></div>
    </div>

    ${FILE_PANE}
  </div></div>`,
  data() {
    return {
      sought: "",
      adding: !this.state.varied.length, // true while rules are being chosen
      never: ["", ""], // the levels of a combination to exclude
    };
  },
  computed: {
    texts() {
      return {
        title: tr("Search title"), tools: trc("areas", "Search"), change: tr("Change the search"), yaml: tr("The search file as YAML"), save: tr("Save as a search"), name: tr("Name, such as fair-chatra"),
        shipped: tr("This search is shipped with the workbench. Choose another name unless you want to replace it."),
        resumed: tr("This is your unfinished search; “{revert}” starts an empty one.", { revert: tr("Discard") }),
      };
    },
    moreProblems() {
      return this.size?.problems ?? [];
    },
    differs() {
      return this.size?.differs;
    },
    indifferent() {
      return tr("Largest difference in the first player's score that does not matter");
    },
    columns() {
      return [{ name: "first_score", title: tr("First player") }, { name: "draw_rate", title: trc("search words", "Draws") }, { name: "plies", title: trc("search words", "Plies") }];
    },
    bases() {
      return new Set(this.choices.rulesets.map((ruleset) => ruleset.name));
    },
    budgets() {
      return { hours: tr("Hours on this machine"), games: tr("Games of strong players") };
    },
    budget() {
      return this.state.budget.games === null ? "hours" : "games";
    },
    offered() {
      const matches = (toggle) => hasWords(this.sought, `${toggle.name} ${toggle.title} ${toggle.now}`);
      return this.state.groups.map((group) => ({ ...group, toggles: group.toggles.filter(matches) })).filter((group) => group.toggles.length);
    },
    // Returns the values that a combination may contain: the chosen values and the numbers of ranges.
    levels() {
      return this.state.varied.filter((toggle) => !toggle.told).map((toggle) => {
        const chosen = toggle.values.filter((value) => value.chosen).map((value) => ({ text: value.text, told: value.sentence }));
        const { from, to, by, step } = toggle.span ?? {};
        const numbers = [];
        if (toggle.span && (from ?? to) !== null)
          for (let n = from ?? toggle.span.low; n <= (to ?? toggle.span.high) && numbers.length < MOST_NUMBERS; n += by ?? step) numbers.push({ text: String(n), told: String(n) });
        return { ...toggle, values: [...chosen, ...numbers] };
      });
    },
    // Returns the run's text for screen readers, without numbers.
    spoken() {
      if (!this.run) return "";
      return `${this.run.state === "running" ? this.run.stage || this.run.phase : this.run.told} ${this.run.answer}`.trim();
    },
  },
  watch: {
    look(now, before) {
      if (now && now.place !== before?.place) this.$nextTick(() => {
        this.$refs.look.focus({ preventScroll: true });
        this.$refs.look.scrollIntoView({ block: "nearest", behavior: "smooth" });
      });
    },
    found: {
      immediate: true,
      handler() {
        this.$nextTick(this.nameDots);
      },
    },
  },
  methods: {
    trc,
    of(game) {
      return this.choices.rulesets.filter((ruleset) => ruleset.game === game);
    },
    players(strength) {
      const chosen = this.state[strength];
      const offered = this.choices.players.map((player) => ({ ...player, on: chosen.includes(player.label) }));
      const others = chosen.filter((label) => !offered.some((player) => player.label === label));
      return [...offered, ...others.map((label) => ({ label, sentence: "", on: true }))];
    },
    problemsOf(field) {
      return [...(this.state.at[field] ?? []), ...(this.size?.at[field] ?? [])];
    },
    targetProblems({ name }) {
      return [...this.problemsOf(`targets.${name}`), ...this.problemsOf(`must.${name}`)];
    },
    set(key, value, entry = "") {
      this.sendEvent("set", { key, entry, value });
    },
    range(toggle, end, value) {
      const { from, to, by: step } = toggle.span;
      this.sendEvent("range", { toggle: toggle.name, ...{ from, to, step }, [end]: value });
    },
    price(toggle, value, by_step) {
      this.sendEvent("price", { toggle: toggle.name, value, by_step });
    },
    target({ name, role, low, high }, changed) {
      this.sendEvent("target", { ...{ name, role, low, high }, ...changed });
    },
    ruleOut() {
      const levels = this.never.filter(Boolean).map((level) => [level.slice(0, level.indexOf(" ")), level.slice(level.indexOf(" ") + 1)]);
      this.sendEvent("never", { levels });
      this.never = ["", ""];
    },
    open({ place }, way) {
      this.$emit("open", { place, way });
    },
    unlook() {
      const button = this.$el.querySelector(`[data-ruleset="${this.look.place}"] [data-do=look]`);
      this.$emit("unlook");
      button?.focus({ preventScroll: true });
    },
    dot(event) {
      const link = event.target.closest("a");
      if (!link) return;
      event.preventDefault();
      this.$emit("look", Number(new URLSearchParams(link.getAttribute("href")).get("look")));
    },
    // Names the dots in the page's language.
    nameDots() {
      for (const link of this.$refs.picture?.querySelectorAll("a") ?? []) {
        const name = link.getAttribute(`data-${document.documentElement.lang}`);
        link.setAttribute("aria-label", name);
        link.querySelector("title").textContent = name;
      }
    },
  },
};

// Returns the template for a field's problems.
function problemList(field) {
  return `<ul v-if="problemsOf('${field}').length" class="problems" role="alert" data-at="${field}"><li v-for="line in problemsOf('${field}')">{{ line }}</li></ul>`;
}
