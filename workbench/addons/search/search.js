// A search for proposals in three questions, with its file, its run and its results.

import { FILE_PANE, FORM_HEAD, FileForm, PROGRESS, RUN_NOTES } from "studio/editor.js";
import { NumberField } from "studio/number_field.js";
import { ReportView } from "studio/report.js";
import { hasWords, tr, trc } from "studio/texts.js";

export default {
  mixins: [FileForm],
  components: { NumberField, ReportView },
  props: ["bases", "size", "found", "look", "stage"],
  emits: ["base", "vary", "choose", "range", "goal", "hours", "look", "unlook", "open"],
  template: `
  <div><div id="main" class="asking searching" :class="{ folded: !editing }" tabindex="-1">
    <div class="form">
      <p class="kind"><a href="/answers">← {{ tr("Answers") }}</a> <span>{{ heading }}</span></p>
      ${FORM_HEAD}
      <p v-if="size?.differs" class="why">{{ tr("Another search with this name already has games: its rules, players, targets, budget or workbench version were different. Save this one under another name, or start over in a terminal with --fresh.") }}</p>

      <p class="unseen" role="status">{{ spoken }}</p>
      <section v-if="run" class="card now" :aria-label="tr('Its games')" :data-state="run.state">
        <div class="head"><span class="state" :class="run.state">{{ run.told }}</span>
          <span class="tools"><a v-if="found?.finalists" class="button" :href="found.finalists" data-do="finalists">{{ tr("Report on the finalists") }}</a></span></div>
        ${PROGRESS}
        <p v-if="run.place" class="quiet">{{ tr("Waiting for another job to finish.") }}</p>
        <p v-if="stage" class="stage"><span class="quiet">{{ tr("Stage") }}</span> {{ stage }}</p>
        <p v-if="run.answer" class="headline">{{ run.answer }}</p>
        <template v-if="found?.leaders.length"><h2>{{ tr("Currently most promising") }}</h2>
          <ol class="leaders"><li v-for="leader in found.leaders">{{ leader }}</li></ol></template>
        ${RUN_NOTES}
      </section>

      <section v-if="look" ref="look" class="card look" tabindex="-1" :aria-label="tr('A proposal from the search')" :data-look="look.place">
        <div class="head"><h2>{{ look.number ? tr("Finalist {n}: {title}", { n: look.number, title: look.title }) : look.title }}</h2>
          <button type="button" class="small" data-do="unlook" @click="unlook">{{ tr("Close") }}</button></div>
        <p class="quiet figures"><span v-for="column in columns" :key="column.name">{{ column.title }} {{ look.values[column.name] }}</span>
          <span>{{ tr("{games} games", { games: look.games }) }}</span><span>{{ look.chance }}</span></p>
        <p v-if="look.targets" class="quiet">{{ look.targets }}</p>
        <ul v-if="look.changes.length" class="differs"><li v-for="change in look.changes" :key="change.title">
          <h3>{{ change.title }}</h3><p><span class="quiet">{{ trc("search words", "Before") }}</span> <s>{{ change.was }}</s></p><p><span class="quiet">{{ trc("search words", "After") }}</span> {{ change.now }}</p></li></ul>
        <p v-else-if="look.opens" class="quiet">{{ tr("These are the current rules.") }}</p>
        <div v-if="look.opens" class="tools">
          <button type="button" data-do="open-rules" @click="open(look, 'rules')">{{ tr("Open its rules") }}</button>
          <button type="button" data-do="propose" :disabled="!look.changes.length" @click="open(look, 'save')">{{ tr("Save as a proposal…") }}</button></div>
        <p v-else class="quiet">{{ tr("The search file no longer allows these settings, so these rules cannot be opened.") }}</p>
      </section>

      <p v-if="run && run.state !== 'not_begun' && !found" class="quiet" role="status">{{ tr("Reading the records…") }}</p>
      <section v-if="found?.rows.length" v-show="!editing" class="card found" aria-labelledby="table-of-proposals">
        <h2 id="table-of-proposals">{{ tr("The most promising proposals") }}</h2>
        <p class="quiet">{{ tr("Expected values from all games, with 95 % intervals, best first; for numbered finalists, from fresh games only.") }} {{ found.shown }}</p>
        <div class="scroll" tabindex="0" role="region" aria-labelledby="table-of-proposals"><table>
          <thead><tr><th scope="col">{{ tr("Proposal") }}</th><th v-for="column in columns" scope="col">{{ column.title }}</th>
            <th scope="col">{{ trc("search words", "Games") }}</th><th scope="col">{{ tr("Best") }}</th><td></td></tr></thead>
          <tbody><tr v-for="row in found.rows" :key="row.place" :data-ruleset="row.place" :class="{ chosen: look?.place === row.place, finalist: row.number }">
            <th scope="row"><template v-if="row.number">{{ row.number }}. </template>{{ row.title }}</th>
            <td v-for="column in columns" :data-text="column.title">{{ row.values[column.name] }}</td>
            <td :data-text="trc('search words', 'Games')">{{ row.games }}</td><td :data-text="tr('Best')">{{ row.best }}</td>
            <td><span class="tools"><button type="button" class="small" data-do="look" :aria-label="trc('search words', 'Look') + ': ' + row.title" :aria-pressed="look?.place === row.place" @click="$emit('look', row.place)">{{ trc("search words", "Look") }}</button>
              <button v-if="row.number && !row.base" type="button" class="small" data-do="propose" :aria-label="tr('Save as a proposal…') + ' ' + row.title" @click="open(row, 'save')">{{ tr("Save as a proposal…") }}</button></span></td></tr></tbody></table></div>
      </section>

      <details v-if="run?.page" v-show="!editing" class="sofar" open><summary>{{ tr("The search report") }}</summary>
        <report-view :page="run.page" within></report-view></details>

      <div v-show="editing" class="parts">
      <section class="card"><fieldset>
        <legend>{{ tr("1. Which rules may change?") }}</legend>
        <label class="line">{{ tr("Starting from") }} <select :value="state.base" :data-is="state.base" data-do="base" @change="sendEvent('base', { name: $event.target.value })">
          <optgroup v-for="game in bases" :label="game.title"><option v-for="each in game.rulesets" :value="each.name">{{ each.title }}</option></optgroup></select></label>
        <div v-for="each in state.varied" :key="each.name" class="factor" role="group" :aria-label="each.title" :data-factor="each.name">
          <div class="head"><h3>{{ each.title }}</h3>
            <button type="button" class="small" :aria-label="tr('Leave as it is:') + ' ' + each.title" data-do="let-be" @click="sendEvent('vary', { toggle: each.name })">×</button></div>
          <p v-if="each.told" class="quiet">{{ each.told }}</p>
          <label v-for="value in each.values" :key="value.text" class="option" :class="{ chosen: value.chosen }">
            <input type="checkbox" :checked="value.chosen" :data-on="value.chosen" :data-value="value.text" @change="sendEvent('choose', { toggle: each.name, text: value.text, on: $event.target.checked })">
            <span class="words">{{ value.sentence }} <span v-if="value.base" class="quiet">({{ tr("as it is") }})</span></span></label>
          <div v-if="each.span" class="range"><p class="quiet">{{ each.span.sentence }} <template v-if="each.span.now !== null">({{ tr("as it is") }}: {{ each.span.now }})</template></p>
            <number-field :label="tr('At least')" :value="each.span.from" :low="each.span.low" :high="each.span.high" :step="each.span.step" :hint="each.span.low" name="from" @set="range(each, 'from', $event)"></number-field>
            <number-field :label="tr('At most')" :value="each.span.to" :low="each.span.low" :high="each.span.high" :step="each.span.step" :hint="each.span.high" name="to" @set="range(each, 'to', $event)"></number-field></div>
        </div>
        <details class="more adder" :open="adding" @toggle="adding = $event.target.open"><summary>{{ tr("Choose the rules that may change") }}</summary>
          <input type="search" v-model="sought" :placeholder="tr('Find a rule')" :aria-label="tr('Find a rule')">
          <div class="ticks"><template v-for="group in offered" :key="group.title"><h3 v-if="group.title">{{ group.title }}</h3>
            <label v-for="each in group.toggles" :key="each.name" class="option" :class="{ chosen: each.chosen }">
              <input type="checkbox" :checked="each.chosen" :data-on="each.chosen" :data-toggle="each.name" @change="sendEvent('vary', { toggle: each.name })">
              <span class="words"><b>{{ each.title }}</b> <span class="quiet">{{ each.now }}</span></span></label></template></div>
          <p v-if="!offered.length" class="quiet">{{ tr("No rule matches.") }}</p></details>
        <div v-if="!state.begins" class="quiet counted" aria-live="polite"><p v-if="!unready && !size">{{ tr("Counting the proposals…") }}</p>
          <p v-for="line in size?.lines">{{ line }}</p></div>
      </fieldset></section>

      <section class="card"><fieldset>
        <legend>{{ tr("2. What should the game become?") }}</legend>
        <label v-for="goal in state.goals" :key="goal.name" class="line"><span class="goal">{{ goal.title }}</span>
          <select :value="goal.chosen" :data-is="goal.chosen" :data-goal="goal.name" @change="sendEvent('goal', { measure: goal.name, value: $event.target.value })"><option v-for="each in goal.options" :value="each.value">{{ each.text }}</option></select></label>
      </fieldset></section>

      <section class="card"><fieldset>
        <legend>{{ tr("3. How long may it take?") }}</legend>
        <label v-for="(text, hours) in times" :key="hours" class="option" :class="{ chosen: time === hours }"><input type="radio" name="hours" :checked="time === hours" :data-on="time === hours" :data-hours="hours" @change="takes(hours)"> <span class="words">{{ text }}</span></label>
        <number-field v-if="time === 'own'" :label="tr('Hours on this machine')" :value="state.hours" low="0.01" name="hours" @set="sendEvent('hours', { hours: $event ?? 1 })"></number-field>
        <div class="tools"><button v-if="state.dirty" type="button" class="main" data-do="start" :disabled="unready" @click="openDialog(true)">{{ tr("Save and run") }}…</button></div>
      </fieldset></section></div>
    </div>

    ${FILE_PANE}
  </div></div>`,
  data() {
    return {
      sought: "",
      adding: !this.state.varied.length, // true while rules are being chosen
      own: false, // true if the user wants another number of hours
    };
  },
  computed: {
    texts() {
      return {
        title: tr("Search title"), tools: trc("areas", "Search"), change: tr("Change the search"), yaml: tr("More: the search file (YAML)"), save: tr("Save as a search"), name: tr("Name, such as fair-chatra"),
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
    columns() {
      return [{ name: "first_score", title: tr("First player") }, { name: "draw_rate", title: trc("search words", "Draws") }, { name: "plies", title: trc("search words", "Moves") }];
    },
    times() {
      const times = { 1: tr("1 hour"), 8: tr("A night (8 hours)"), own: tr("Another time") };
      return this.state.games === null ? times : { ...times, games: tr("as in the file: {n} games", { n: this.state.games }) };
    },
    time() {
      if (this.state.games !== null) return "games";
      return !this.own && String(this.state.hours ?? 1) in this.times ? String(this.state.hours ?? 1) : "own";
    },
    offered() {
      const matches = (toggle) => hasWords(this.sought, `${toggle.name} ${toggle.title} ${toggle.now}`);
      return this.state.groups.map((group) => ({ ...group, toggles: group.toggles.filter(matches) })).filter((group) => group.toggles.length);
    },
    // Returns the run's text for screen readers, without numbers.
    spoken() {
      if (!this.run) return "";
      return `${this.run.state === "running" ? this.stage || this.run.phase : this.run.told} ${this.run.answer}`.trim();
    },
  },
  watch: {
    look(now, before) {
      if (now && now.place !== before?.place) this.$nextTick(() => {
        this.$refs.look.focus({ preventScroll: true });
        this.$refs.look.scrollIntoView({ block: "nearest", behavior: "smooth" });
      });
    },
  },
  methods: {
    trc,
    range(toggle, end, value) {
      const { from, to, by: step } = toggle.span;
      this.sendEvent("range", { toggle: toggle.name, ...{ from, to, step }, [end]: value });
    },
    takes(hours) {
      this.own = hours === "own";
      if (hours !== "games") this.sendEvent("hours", { hours: this.own ? (this.state.hours ?? 1) : Number(hours) });
    },
    open({ place }, way) {
      this.$emit("open", { place, way });
    },
    unlook() {
      const button = this.$el.querySelector(`[data-ruleset="${this.look.place}"] [data-do=look]`);
      this.$emit("unlook");
      button?.focus({ preventScroll: true });
    },
  },
};
