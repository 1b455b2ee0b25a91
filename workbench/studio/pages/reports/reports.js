// A list of all reports with their titles, answers, players and a small chart of scores.

import { tr, trc } from "studio/texts.js";

const percent = (share) => `${Math.round(100 * share)} %`;

export default {
  props: ["language", "reports"],
  template: `
  <div><div id="main" class="sheet" tabindex="-1">
    <div class="head"><h1>{{ tr("Reports") }}</h1>
      <span v-if="reports.length > 1" class="tools">
        <input type="search" v-model="sought" :placeholder="tr('Find a report')" :aria-label="tr('Find a report')">
        <select v-model="order" :aria-label="tr('Order')"><option value="newest">{{ tr("Newest first") }}</option><option value="oldest">{{ tr("Oldest first") }}</option><option value="title">{{ tr("By title") }}</option></select>
      </span></div>
    <p class="quiet">{{ reports.length ? tr("Each report's answer in one sentence. Below it, for each ruleset: the first player's score between the strongest players with its 95 % interval (hollow if too close to call), and the certainty of its effect.") : tr("There are no reports yet: run an experiment first.") }}</p>
    <p v-if="reports.length && !found.length" class="quiet">{{ tr("No report matches.") }}</p>
    <ul class="rows">
      <li v-for="report in found" :key="report.name" class="card report" :data-report="report.name">
        <div class="what"><h2><a :href="report.url">{{ report.title }}</a></h2>
          <p v-if="report.answer">{{ report.answer }}</p>
          <p class="quiet"><time :datetime="iso(report)">{{ date(report) }}</time> <span v-if="report.players.length" :title="report.players.join(', ')">{{ players(report) }}</span> <code>{{ report.name }}</code></p>
          <label v-if="report.games" class="pick quiet"><input type="checkbox" :value="report.name" v-model="picked" :aria-label="tr('Compare {report}', { report: report.title })"> {{ trc("shelf words", "Compare") }}</label></div>
        <table v-if="report.bars.length" class="scores"><caption class="quiet">{{ tr("Score of the first player") }}</caption>
          <thead aria-hidden="true"><tr><td></td><td><svg viewBox="0 0 128 20"><text v-for="share in [0, 0.5, 1]" :x="at(share)" y="15">{{ 100 * share }}</text></svg></td><td></td><td></td></tr></thead>
          <tbody><tr v-for="bar in report.bars"><th scope="row">{{ bar[0] }}</th>
            <td><svg viewBox="0 0 128 20" class="s0" aria-hidden="true"><line v-bind="{ x1: at(0.5), x2: at(0.5) }" y1="0" y2="20" class="even"/>
              <line :x1="at(bar[2])" :x2="at(bar[3])" y1="10" y2="10" class="interval"/>
              <circle :cx="at(bar[1])" cy="10" r="3.5" class="dot" :class="{ hollow: bar[2] < 0.5 && bar[3] > 0.5 }"/></svg></td>
            <td>{{ percent(bar[1]) }} <span class="quiet">({{ percent(bar[2]) }} – {{ percent(bar[3]) }})</span></td><td>{{ bar[4] }}</td></tr></tbody></table>
      </li>
    </ul>
    <div v-if="picked.length" class="bar" role="status">
      <span>{{ trc("shelf words", "Reports: {n}", { n: picked.length }) }}</span>
      <a class="button main" data-do="compare" :href="compare">{{ tr("Compare rulesets") }}</a>
      <button type="button" @click="picked = []">{{ tr("Cancel") }}</button>
    </div>
  </div></div>`,
  data: () => ({ sought: "", order: "newest", picked: [] }),
  computed: {
    orders() {
      const title = (a, b) => a.title.localeCompare(b.title, this.language, { numeric: true });
      return { newest: (a, b) => b.touched - a.touched, oldest: (a, b) => a.touched - b.touched, title };
    },
    found() {
      const words = this.sought.toLowerCase().split(/\s+/).filter(Boolean);
      const text = (report) => `${report.name} ${report.title} ${report.answer} ${report.players.join(" ")}`.toLowerCase();
      return this.reports.filter((report) => words.every((word) => text(report).includes(word))).sort(this.orders[this.order]);
    },
    compare() {
      return `/compare?${new URLSearchParams(this.picked.map((name) => ["report", name]))}`;
    },
  },
  methods: {
    tr,
    trc,
    percent,
    iso(report) {
      return new Date(report.touched * 1000).toISOString();
    },
    date(report) {
      return new Date(report.touched * 1000).toLocaleDateString(this.language, { year: "numeric", month: "short", day: "numeric" });
    },
    players({ players }) {
      const strongest = players.slice(-3).join(trc("enumeration", ", "));
      return players.length > 3 ? tr("{players} and {n} more", { players: strongest, n: players.length - 3 }) : strongest;
    },
    // The same scale for all reports.
    at: (share) => 4 + 120 * share,
  },
};
