// A report within the page.

import { ReportFrame } from "studio/paper.js";
import { WaysOn } from "studio/ways.js";

export default {
  components: { ReportFrame, WaysOn },
  props: ["words", "reports", "first", "guide", "ways"],
  template: `
  <div class="viewer"><div id="main" class="viewer" tabindex="-1">
    <div class="tools strip">
      <a href="/reports">← {{ words.reports }}</a>
      <select :value="first" :aria-label="words.report_first" @change="go($event.target.value)">
        <option v-for="report in reports" :value="report.name">{{ report.title }} ({{ report.name }})</option>
      </select>
      <button type="button" class="also" popovertarget="also" :aria-label="words.also">⋯</button>
      <div id="also" popover>
      <a v-if="shown.games" :href="shown.compare" data-do="compare">{{ words.compare_rulesets }}</a>
      <a v-if="guide" :href="guide" target="_blank" rel="noopener">{{ words.how_to_read }}</a>
      <a v-if="shown.games" :href="shown.games" data-do="games">{{ words.its_games }}</a>
      <a :href="shown.page" target="_blank" rel="noopener">{{ words.own_tab }}</a>
      <ways-on :ways="ways" :words="words"></ways-on>
      </div>
    </div>
    <report-frame :page="shown.page" :title="shown.title"></report-frame>
  </div></div>`,
  computed: {
    shown() {
      return this.reports.find((each) => each.name === this.first);
    },
  },
  methods: {
    go(name) {
      location.assign(this.reports.find((each) => each.name === name).url);
    },
  },
};
