// A report within the page.

import { ReportFrame } from "studio/paper.js";
import { tr, trc } from "studio/texts.js";
import { NextSteps } from "studio/next_steps.js";

export default {
  components: { ReportFrame, NextSteps },
  props: ["reports", "first", "guide", "steps"],
  template: `
  <div class="viewer"><div id="main" class="viewer" tabindex="-1">
    <div class="tools strip">
      <a href="/reports">← {{ tr("Reports") }}</a>
      <select :value="first" :aria-label="tr('The report')" @change="go($event.target.value)">
        <option v-for="report in reports" :value="report.name">{{ report.title }} ({{ report.name }})</option>
      </select>
      <button type="button" class="also" popovertarget="also" :aria-label="trc('words', 'More')">⋯</button>
      <div id="also" popover>
      <a v-if="shown.games" :href="shown.compare" data-do="compare">{{ tr("Compare rulesets") }}</a>
      <a v-if="guide" :href="guide" target="_blank" rel="noopener">{{ tr("How to read it") }}</a>
      <a v-if="shown.games" :href="shown.games" data-do="games">{{ trc("words", "Its games") }}</a>
      <a :href="shown.page" target="_blank" rel="noopener">{{ tr("In a separate tab") }}</a>
      <next-steps :steps="steps"></next-steps>
      </div>
    </div>
    <report-frame :page="shown.page" :title="shown.title"></report-frame>
  </div></div>`,
  computed: {
    shown() {
      return this.reports.find((report) => report.name === this.first);
    },
  },
  methods: {
    tr,
    trc,
    go(name) {
      location.assign(this.reports.find((report) => report.name === name).url);
    },
  },
};
