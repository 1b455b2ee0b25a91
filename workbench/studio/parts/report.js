// A report within the page, in a sandbox: its script reaches nothing of the studio. Printing prints a copy of it.

import { copied } from "studio/copied.js";

export default {
  props: ["words", "language", "reports", "first", "guide", "style"],
  template: `
  <div class="viewer"><div id="main" class="viewer" tabindex="-1">
    <div class="tools strip">
      <a href="/reports">← {{ words.reports }}</a>
      <select :value="first" :aria-label="words.report_first" @change="go($event.target.value)">
        <option v-for="report in reports" :value="report.name">{{ report.title }} ({{ report.name }})</option>
      </select>
      <a v-if="shown.games" :href="shown.compare" data-do="compare">{{ words.compare_rulesets }}</a>
      <a v-if="guide" :href="guide" target="_blank" rel="noopener">{{ words.how_to_read }}</a>
      <a v-if="shown.games" :href="shown.games" data-do="games">{{ words.its_games }}</a>
      <a :href="shown.page" target="_blank" rel="noopener">{{ words.own_tab }}</a>
    </div>
    <iframe :src="shown.page" :title="shown.title" sandbox="allow-scripts" allow="clipboard-write" referrerpolicy="no-referrer"></iframe>
  </div><div ref="printed" class="printed" :lang="language" aria-hidden="true"></div></div>`,
  computed: {
    shown() {
      return this.reports.find((each) => each.name === this.first);
    },
  },
  // A browser prints of a frame what is in view: the page has a copy of the report, for paper alone.
  async mounted() {
    const page = await (await fetch(this.shown.page)).text();
    const root = this.$refs.printed.attachShadow({ mode: "closed" });
    addEventListener("beforeprint", () => {
      if (!root.firstChild) root.append(...copied(page, this.style));
    });
    this.$refs.printed.dataset.ready = "";
  },
  methods: {
    go(name) {
      location.assign(this.reports.find((each) => each.name === name).url);
    },
  },
};
