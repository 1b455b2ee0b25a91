// All reports with their charts, small; two of them can be chosen to stand beside each other.

import { fill } from "studio/fill.js";

export default {
  props: ["words", "language", "reports"],
  template: `
  <div><div id="main" class="sheet" tabindex="-1">
    <div class="head"><h1>{{ words.reports }}</h1>
      <input v-if="reports.length > 5" type="search" v-model="sought" :placeholder="words.find_report" :aria-label="words.find_report">
    </div>
    <p v-if="!reports.length" class="quiet">{{ words.no_reports }}</p>
    <p v-else class="quiet">{{ words.reports_lead }}</p>
    <p v-if="reports.length && !found.length" class="quiet">{{ words.nothing_found }}</p>
    <div class="gallery">
      <article v-for="report in found" :key="report.name" class="card" :data-report="report.name">
        <h2><a v-if="report.url" :href="report.url">{{ report.title }}</a><template v-else>{{ report.title }}</template></h2>
        <p class="quiet"><code>{{ report.name }}</code> <time :datetime="iso(report)">{{ date(report) }}</time></p>
        <div class="thumbs" v-if="report.charts.length">
          <button v-for="chart in report.charts" type="button" class="thumb" @click="show(report, chart)">
            <img :src="chart.small" loading="lazy" decoding="async" width="240" height="150" :alt="fill(words.chart_of, { chart: chart.title, report: report.title })">
            <span>{{ chart.title }}</span></button>
        </div>
        <p v-else class="quiet">{{ words.no_charts }}</p>
        <label v-if="report.url && several" class="pick"><input type="checkbox" :checked="picked.includes(report.name)" @change="pick(report.name)"> {{ words.compare_this }}</label>
      </article>
    </div>
    <div v-if="picked.length" class="bar" role="status">
      <span>{{ picked.length === 1 ? words.compare_one_more : words.compare_two }}</span>
      <a v-if="picked.length === 2" class="button main" data-do="compare" :href="both">{{ words.beside }}</a>
      <button type="button" @click="picked = []">{{ words.cancel }}</button>
    </div>
    <dialog ref="dialog" class="picture" :aria-label="shown ? shown.title : ''" @click="$event.target === $refs.dialog && $refs.dialog.close()">
      <template v-if="shown"><div class="head"><h2>{{ of }} – {{ shown.title }}</h2>
        <button type="button" autofocus @click="$refs.dialog.close()">{{ words.close }}</button></div>
        <img :src="shown.full" :alt="shown.title"></template>
    </dialog>
  </div></div>`,
  data: () => ({ sought: "", picked: [], shown: null, of: "" }),
  computed: {
    found() {
      const asked = this.sought.toLowerCase().split(/\s+/).filter(Boolean);
      return this.reports.filter((each) => asked.every((word) => `${each.name} ${each.title}`.toLowerCase().includes(word)));
    },
    several() {
      return this.reports.filter((each) => each.url).length > 1;
    },
    both() {
      const [one, other] = this.picked;
      return `${this.reports.find((each) => each.name === one).url}?beside=${encodeURIComponent(other)}`;
    },
  },
  methods: {
    fill,
    iso(report) {
      return new Date(report.touched * 1000).toISOString();
    },
    date(report) {
      return new Date(report.touched * 1000).toLocaleDateString(this.language, { year: "numeric", month: "short", day: "numeric" });
    },
    pick(name) {
      this.picked = this.picked.includes(name) ? this.picked.filter((each) => each !== name) : [...this.picked, name].slice(-2);
    },
    show(report, chart) {
      [this.shown, this.of] = [chart, report.title];
      this.$nextTick(() => this.$refs.dialog.showModal());
    },
  },
};
