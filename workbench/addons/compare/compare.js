// A sortable table of rulesets from several reports with their numbers, differences from one ruleset, and rules.

import { tr, trc } from "studio/texts.js";

const MEASURES = { first_score: tr("Score of the first player"), draw_rate: tr("Draws"), plies_mean: tr("Mean length (plies)"), variety: tr("Variety (openings)") };

export default {
  props: ["choices", "most", "shown"],
  emits: ["choose"],
  template: `
  <div><div id="main" class="sheet compare" tabindex="-1">
    <div class="head"><h1>{{ tr("Compare rulesets") }}</h1><a href="/reports">← {{ tr("Reports") }}</a></div>
    <p class="quiet">{{ tr("Rulesets from one or more reports, compared with one of the rulesets.") }}</p>
    <p v-if="!shown || reading" role="status">{{ tr("Reading the records…") }}</p>
    <template v-if="shown">
    <div class="chosen-ones">
      <span v-for="report in shown.reports" class="chip">{{ report.title }} <button type="button" :aria-label="tr('Remove') + ': ' + report.title" @click="leaveOut(report.name)">×</button></span>
      <select v-if="others.length && names.length < most" :aria-label="tr('Add a report…')" data-do="add" @change="add($event.target)">
        <option value="">{{ tr("Add a report…") }}</option>
        <option v-for="each in others" :value="each.name">{{ each.title }} ({{ each.name }})</option></select>
    </div>
    <p v-for="report in shown.reports.filter((each) => each.trouble)" class="why" role="alert">{{ report.title }}: {{ report.trouble }}</p>
    <template v-if="whole.length">
    <label class="with">{{ tr("Compared with") }} <select data-do="base" :value="base.join('|')" @change="choose(names, split($event.target.value))">
      <optgroup v-for="report in whole" :label="report.title"><option v-for="each in report.rulesets" :value="report.name + '|' + each.name">{{ each.short }}{{ whole.length > 1 ? " – " + report.title : "" }}</option></optgroup></select></label>
    <details v-for="(list, kind) in { rulesets, players }" :data-list="kind"><summary>{{ kind === "players" ? tr("Who plays?") : tr("Which rulesets are compared?") }} ({{ list.filter((each) => on(each.key, each.first)).length }}/{{ list.length }})</summary>
      <div class="ticks"><label v-for="each in list" class="option"><input type="checkbox" :checked="on(each.key, each.first)" @change="ticked = { ...ticked, [each.key]: $event.target.checked }"> <span><b>{{ each.text }}</b> <span class="sentence">{{ each.below }}</span></span></label></div></details>
    <p class="quiet">{{ tr("Small print: the 95 % interval. Below it: the difference from {base} (in other reports, from their own baseline) with the same players, and its interval. For the first player's score, the difference is how many points closer to 50 % the score is (plus means fairer); for draws, it is in points.", { base: baseShort }) }}</p>
    <div class="scroll" tabindex="0" role="region" :aria-label="tr('Compare rulesets')"><table>
      <thead><tr><th v-for="(text, key) in heads" scope="col" :class="{ number: key in measures || key === 'changes' }" :aria-sort="sort.by !== key ? 'none' : sort.rising ? 'ascending' : 'descending'"><button type="button" @click="order(key)">{{ text }}</button><span v-if="key === 'first_score'" class="small">{{ tr("difference (+: fairer)") }}</span></th></tr></thead>
      <tbody><tr v-for="row in rows" :key="row.key" :class="{ baseline: row.isBase }" :data-row="row.ruleset" :data-report="row.report.name">
        <th scope="row">{{ row.short }} <span v-if="row.isOwnBase" class="small">{{ row.isBase ? trc("shelf words", "baseline") : tr("baseline of its report") }}</span><span class="small title">{{ row.title }}</span></th>
        <td data-head="players">{{ row.reading || row.players }}<span v-if="row.reading" class="small">{{ row.players }}</span><span v-if="row.games !== null" class="small">{{ tr("{games} games", { games: row.games.toLocaleString() }) }}</span><span v-if="whole.length > 1" class="small">{{ row.report.title }}</span></td>
        <td v-for="(_, name) in measures" class="number" :data-text="heads[name]">{{ row.values[name].text }}<span class="small">{{ row.values[name].ends }}</span>
          <span v-if="row.values[name].difference" class="difference">{{ row.values[name].difference }}</span>
          <span v-else-if="row.values[name].sort !== null && !row.isOwnBase" class="small why-not">{{ row.why || trc("shelf words", "not known") }}</span></td>
        <td class="number" :data-text="heads.changes">{{ row.changes ?? trc("shelf words", "another game") }}</td>
        <td data-head="certainty"><b :class="'certainty ' + row.certainty.kind">{{ row.certainty.text }}</b><span v-if="!row.here && !row.isOwnBase" class="small">{{ tr("compared with {base}", { base: short(row.report.name, row.report.baseline) }) }}</span></td>
      </tr></tbody></table></div>
    <p v-for="text in apart" class="apart" role="note">{{ text }}</p>
    <section v-if="sentences.length"><h2>{{ tr("Differences in the rules") }}</h2>
      <article v-for="toggle in sentences" class="card said"><h3>{{ toggle.title }}</h3>
        <dl><template v-for="each in toggle.said"><dt>{{ each.users }}</dt><dd :class="{ quiet: each.isBase }">{{ each.text }} <span v-if="each.picture" class="picture" aria-hidden="true" v-html="each.picture"></span></dd></template></dl></article></section>
    </template>
    <p v-else-if="!reading" class="quiet">{{ tr("Choose a report.") }}</p>
    </template>
  </div></div>`,
  data: () => ({ reading: false, asked: null, ticked: {}, sort: { by: "", rising: true } }),
  watch: {
    shown() {
      this.reading = false;
    },
  },
  computed: {
    // Returns the measures that occur in a row.
    measures() {
      const occurs = (name) => this.whole.some((report) => report.rows.some((row) => row.values[name].sort !== null));
      return Object.fromEntries(Object.entries(MEASURES).filter(([name]) => occurs(name)));
    },
    names() {
      return this.shown.reports.map((report) => report.name);
    },
    whole() {
      return this.shown.reports.filter((report) => !report.trouble);
    },
    others() {
      return this.choices.filter((report) => !this.names.includes(report.name));
    },
    base() {
      const [first] = this.whole;
      const report = this.whole.find((candidate) => candidate.name === this.asked?.[0]);
      return report?.rulesets.some((ruleset) => ruleset.name === this.asked[1]) ? this.asked : first ? [first.name, first.baseline] : ["", ""];
    },
    baseShort() {
      return this.short(...this.base);
    },
    rulesets() {
      const below = (report, ruleset) => (this.whole.length > 1 ? `${ruleset.title} – ${report.title}` : ruleset.title);
      return this.whole.flatMap((report) => report.rulesets.map((ruleset) => ({ key: `${report.name}|${ruleset.name}`, first: true, text: ruleset.short, below: below(report, ruleset) })));
    },
    // Initially only the players in the reports' answers are ticked.
    players() {
      const firsts = new Set(this.whole.flatMap((report) => [report.strongest, report.strong]));
      const names = new Set(this.whole.flatMap((report) => report.rows.map((row) => row.players)));
      const descriptions = new Map(this.whole.flatMap((report) => report.rows.map((row) => [row.players, row.reading])));
      return [...names].map((text) => ({ key: `players|${text}`, first: firsts.has(text), text, below: descriptions.get(text) ?? "" }));
    },
    heads() {
      return { ruleset: trc("shelf words", "Ruleset"), players: tr("Players"), ...this.measures, changes: tr("Changed rules"), certainty: tr("Certainty") };
    },
    rows() {
      const rows = this.whole.flatMap((report) => report.rows.map((row) => this.row(report, row)));
      const shown = rows.filter((row) => this.on(row.id, true) && this.on(`players|${row.players}`, this.players.find((player) => player.text === row.players).first));
      const { by, rising } = this.sort;
      if (!by) return shown;
      const value = (row) => (by in MEASURES ? row.values[by].sort : by === "certainty" ? row.certainty.sort : by === "ruleset" ? row.short : row[by]);
      return shown.sort((first, second) => {
        const [a, b] = [value(first), value(second)];
        if (a === null || b === null) return (a === null) - (b === null);
        const order = typeof a === "number" ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
        return rising ? order : -order;
      });
    },
    // Returns notes on uncertain reports with the same rules and baseline that lean to opposite sides.
    apart() {
      const leans = this.rows.filter((row) => row.certainty.sort !== null && (row.certainty.chance || row.certainty.kind === "open"));
      const pairs = leans.flatMap((a, n) => leans.slice(n + 1).map((b) => [a, b]));
      const opposed = pairs.filter(([a, b]) => a.ruleset === b.ruleset && a.players === b.players && a.report.baseline === b.report.baseline && this.shown.toggles.every((toggle) => toggle.of[a.id] === toggle.of[b.id]) && Math.sign(a.certainty.sort - 0.5) === -Math.sign(b.certainty.sort - 0.5));
      return [...new Set(opposed.map(([row]) => tr("{name} ({players}): the reports lean in opposite directions, but both differences could be due to chance. They do not contradict each other: there are too few games to decide.", { name: row.short, players: row.players })))];
    },
    sentences() {
      const shown = [...new Set([this.base.join("|"), ...this.rows.map((row) => row.id)])];
      return this.shown.toggles.flatMap((toggle) => {
        const users = shown.filter((id) => id in toggle.of && !toggle.idle.includes(id));
        const places = [...new Set(users.map((id) => toggle.of[id]))];
        if (places.length === 1 || !places.length) return [];
        // Rulesets of the same name are distinguished if their sentences differ.
        const isAmbiguous = (id) => users.some((other) => this.split(other)[1] === this.split(id)[1] && toggle.of[other] !== toggle.of[id]);
        const said = places.map((place) => {
          const ids = users.filter((id) => toggle.of[id] === place);
          return { users: [...new Set(ids.map((id) => this.label(id, isAmbiguous(id))))].join(trc("enumeration", ", ")), ...toggle.sentences[place], isBase: ids[0] === shown[0] };
        });
        return [{ title: toggle.title, said }];
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
    on(key, first) {
      return this.ticked[key] ?? first;
    },
    ruleset(report, name) {
      return this.whole.find((candidate) => candidate.name === report)?.rulesets.find((ruleset) => ruleset.name === name);
    },
    short(report, name) {
      return this.ruleset(report, name)?.short ?? "";
    },
    label(id, isAmbiguous) {
      const [report, name] = this.split(id);
      return this.short(report, name) + (isAmbiguous ? ` (${this.whole.find((candidate) => candidate.name === report).title})` : "");
    },
    row(report, row) {
      const [ruleset, id, base] = [this.ruleset(report.name, row.ruleset), `${report.name}|${row.ruleset}`, this.base.join("|")];
      return { ...row, report, id, key: `${id}|${row.players}`, short: ruleset.short, title: ruleset.title, here: report.name === this.base[0], isBase: id === base, isOwnBase: row.ruleset === report.baseline, changes: this.changes(ruleset.game, id, base) };
    },
    // Counts the differing toggles that have an effect in at least one of both rulesets.
    changes(game, id, base) {
      if (this.ruleset(...this.base)?.game !== game) return null;
      return this.shown.toggles.filter((toggle) => toggle.game === game && toggle.of[id] !== toggle.of[base] && !(toggle.idle.includes(id) && toggle.idle.includes(base))).length;
    },
    order(key) {
      const { by, rising } = this.sort;
      this.sort = { by: key, rising: by === key ? !rising : !(key in MEASURES || key === "certainty") };
    },
    // The list returns to its first line before it loses the chosen option.
    add(list) {
      const name = list.value;
      list.value = "";
      if (name) this.choose([...this.names, name], this.base);
    },
    leaveOut(name) {
      this.choose(this.names.filter((other) => other !== name), this.base);
    },
    choose(reports, base) {
      [this.asked, this.reading] = [base, true];
      const address = `/compare?${new URLSearchParams(reports.map((name) => ["report", name]))}`;
      history.replaceState(null, "", address);
      for (const link of document.querySelectorAll(".choose a")) {
        const target = new URL(link.href);
        target.searchParams.set("back", address);
        link.href = target.pathname + target.search;
      }
      this.$emit("choose", { reports, base });
    },
  },
};
