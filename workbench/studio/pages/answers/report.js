// A report as a page.

import { ReportView } from "studio/report.js";
import { tr, trc } from "studio/texts.js";

export default {
  components: { ReportView },
  props: ["page", "compare", "steps"],
  template: `
  <div><div id="main" class="read" tabindex="-1">
    <div class="tools strip">
      <a href="/answers">← {{ tr("Answers") }}</a>
      <button v-if="compare" type="button" data-do="games" @click="$refs.report.watch('#game=')">{{ trc("words", "Its games") }}</button>
      <a v-if="compare" :href="compare" data-do="compare">{{ tr("Compare rulesets") }}</a>
      <button type="button" data-do="print" @click="print">{{ tr("Print") }}</button>
      <a v-for="step in steps" :key="step.url" :href="step.url">{{ step.text }}</a>
    </div>
    <report-view ref="report" :page="page"></report-view>
  </div></div>`,
  methods: {
    tr,
    trc,
    print: () => print(),
  },
};
