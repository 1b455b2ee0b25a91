// Rulesets side by side: what reports say about them, in one table, and the differences in their rules.

import { tr, trc } from "studio/texts.js";

const MEASURES = { first_score: tr("Score of the first player"), draw_rate: tr("Draws"), plies_mean: tr("Mean length (plies)"), variety: tr("Variety (openings)") };

export default {
  props: ["choices", "alone", "shown", "chosen"],
  emits: ["base"],
  template: `
  <div><div id="main" class="sheet compare" tabindex="-1">
    <div class="head"><h1>{{ tr("Compare rulesets") }}</h1><a href="/answers">← {{ tr("Answers") }}</a></div>
    <div class="chosen-ones">
      <template v-for="(kind, key) in picked"><span v-for="(title, name) in kind" class="chip">{{ title }} <a :href="address(key, name, false)" :aria-label="tr('Remove') + ': ' + title">×</a></span></template>
      <select v-for="(offer, key) in choices" v-show="Object.keys(offer).length" :aria-label="adding[key]" :data-do="'add-' + key" @change="add(key, $event.target.value)">
        <option value="">{{ adding[key] }}</option>
        <option v-for="(title, name) in offer" :value="name" :disabled="name in picked[key]">{{ title }}</option></select>
    </div>
    <p v-if="!shown" role="status">{{ tr("Reading the records…") }}</p>
    <template v-else>
    <p v-for="report in shown.reports.filter((each) => each.trouble)" class="why" role="alert">{{ report.title }}: {{ report.trouble }}</p>
    <template v-if="whole.length">
    <div class="tools"><label>{{ tr("Compared with") }} <select data-do="base" :value="base.join('|')" @change="$emit('base', (asked = split($event.target.value)))">
      <optgroup v-for="report in whole" :label="report.title"><option v-for="each in report.rulesets" :value="report.name + '|' + each.name">{{ each.short }}</option></optgroup></select></label>
      <label v-if="weaker"><input type="checkbox" v-model="all" data-do="all"> {{ tr("Weaker players, too") }}</label></div>
    <p class="quiet">{{ tr("Small print: the 95 % interval. Below it: the difference with the same players (for the first player's score, in points closer to 50 %: plus is fairer), and its interval.") }}</p>
    <table>
      <thead><tr><th v-for="(text, key) in heads" scope="col" :class="{ number: key in measures }">{{ text }}</th></tr></thead>
      <tbody v-for="report in whole"><tr v-if="whole.length > 1" class="of"><th :colspan="Object.keys(heads).length" scope="rowgroup">{{ report.title }} <span class="small">{{ tr("compared with {base}", { base: short(report, report.baseline) }) }}</span></th></tr>
      <tr v-for="row in rows(report)" :class="{ baseline: row.ruleset === report.baseline }" :data-row="row.ruleset" :data-report="report.name">
        <th scope="row">{{ short(report, row.ruleset) }} <span v-if="row.ruleset === report.baseline" class="small">{{ trc("shelf words", "baseline") }}</span></th>
        <td data-head="players">{{ row.reading || row.players }}<span v-if="row.games !== null" class="small">{{ tr("{games} games", { games: row.games.toLocaleString() }) }}</span></td>
        <td v-for="(text, name) in measures" class="number" :data-text="text">{{ row.values[name].text }}<span class="small">{{ row.values[name].ends }}</span>
          <span v-if="row.values[name].difference" class="difference">{{ row.values[name].difference }}</span></td>
        <td data-head="certainty"><b :class="'certainty ' + row.certainty.kind">{{ row.certainty.text }}</b></td>
      </tr></tbody></table>
    </template>
    <section v-if="sentences.length"><h2>{{ tr("Differences in the rules") }}</h2>
      <article v-for="toggle in sentences" class="card said"><h3>{{ toggle.title }}</h3>
        <dl><template v-for="each in toggle.said"><dt>{{ each.users }}</dt><dd>{{ each.text }} <span v-if="each.picture" class="picture" aria-hidden="true" v-html="each.picture"></span></dd></template></dl></article></section>
    <p v-else class="quiet">{{ shown.toggles.length || whole.length || Object.keys(alone).length > 1 ? tr("Their rules do not differ.") : tr("Choose what to compare.") }}</p>
    </template>
  </div></div>`,
  data: () => ({ asked: null, all: false, adding: { report: tr("Add an answer…"), ruleset: tr("Add a ruleset…") } }),
  computed: {
    picked() {
      return { report: Object.fromEntries(this.chosen.map((name) => [name, this.choices.report[name]])), ruleset: this.alone };
    },
    whole() {
      return this.shown.reports.filter((report) => !report.trouble);
    },
    base() {
      return this.asked ?? [this.whole[0].name, this.whole[0].baseline];
    },
    weaker() {
      return this.whole.some((report) => report.rows.some((row) => !this.isStrong(report, row)));
    },
    // Returns the measures that occur in a row.
    measures() {
      const occurs = (name) => this.whole.some((report) => report.rows.some((row) => row.values[name].sort !== null));
      return Object.fromEntries(Object.entries(MEASURES).filter(([name]) => occurs(name)));
    },
    heads() {
      return { ruleset: trc("shelf words", "Ruleset"), players: tr("Players"), ...this.measures, certainty: tr("Certainty") };
    },
    titles() {
      const pairs = this.whole.flatMap((report) => report.rulesets.map((ruleset) => [`${report.name}|${ruleset.name}`, ruleset.short]));
      return Object.fromEntries([...pairs, ...Object.entries(this.alone).map(([name, title]) => [`|${name}`, title])]);
    },
    // Returns what rulesets say about the toggles in which they differ and which have an effect.
    sentences() {
      return this.shown.toggles.flatMap((toggle) => {
        const users = Object.keys(toggle.of).filter((id) => !toggle.idle.includes(id));
        const places = [...new Set(users.map((id) => toggle.of[id]))];
        if (!(places.length > 1)) return [];
        const of = (place) => [...new Set(users.filter((id) => toggle.of[id] === place).map((id) => this.titles[id]))].join(trc("enumeration", ", "));
        return [{ title: toggle.title, said: places.map((place) => ({ users: of(place), ...toggle.sentences[place] })) }];
      });
    },
  },
  methods: {
    tr,
    trc,
    split(id) {
      const bar = id.indexOf("|");
      return [id.slice(0, bar), id.slice(bar + 1)];
    },
    isStrong: (report, row) => [report.strongest, report.strong].includes(row.players),
    rows(report) {
      return report.rows.filter((row) => this.all || this.isStrong(report, row));
    },
    short(report, name) {
      return report.rulesets.find((ruleset) => ruleset.name === name).short;
    },
    address(key, name, more) {
      const query = Object.entries(this.picked).flatMap(([kind, chosen]) => Object.keys(chosen).map((each) => [kind, each]));
      const kept = query.filter(([kind, each]) => kind !== key || each !== name);
      if (more) kept.push([key, name]);
      // No report is wanted where the last one was removed.
      else if (key === "report" && !kept.some(([kind]) => kind === key)) kept.push([key, ""]);
      return `/compare?${new URLSearchParams(kept)}`;
    },
    add(key, name) {
      if (name) location.assign(this.address(key, name, true));
    },
  },
};
