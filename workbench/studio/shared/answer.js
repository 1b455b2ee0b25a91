// A run on its way to an answer: progress, results so far, and notes on what went wrong; then the report.

import { PROGRESS, RUN_NOTES } from "studio/editor.js";
import { ReportView } from "studio/report.js";
import { tr } from "studio/texts.js";

export const RunAnswer = {
  components: { ReportView },
  props: ["run", "page", "answers", "change", "stops"],
  emits: ["stop"],
  template: `
      <p class="unseen" role="status">{{ told }}</p>
      <section v-if="run && !(run.state === 'done' && page) && (run.state !== 'not_begun' || run.notes.length)" ref="now" class="card now" tabindex="-1" :aria-label="tr('Its games')" :data-state="run.state">
        <div class="head"><span class="state" :class="run.state">{{ run.place ? tr("waiting: number {n} in the queue", { n: run.place }) : told }}</span>
          <span class="tools"><button v-if="stops && run.can === 'stop'" type="button" data-do="stop" :disabled="run.stopping" @click="$emit('stop')">{{ run.place ? tr("Remove from the queue") : tr("Stop") }}</button></span></div>
        ${PROGRESS}
        <table v-if="run.bars.length" class="bars"><tbody><tr v-for="bar in run.bars" :key="bar.ruleset + bar.players">
          <th scope="row">{{ bar.ruleset }} <span class="quiet">{{ bar.players }}</span></th>
          <td><span class="bar4" aria-hidden="true"><i v-for="share in bar.shares" :style="{ width: share + '%' }"></i></span><span class="quiet">{{ bar.told }}</span></td>
          <td class="quiet">{{ bar.games }}</td></tr></tbody></table>
        ${RUN_NOTES}
      </section>
      <section v-if="answers?.length" ref="answer" class="onway" tabindex="-1" :aria-label="tr('The answer')">
        <p v-for="line in answers" class="figures"><span class="quiet">{{ line.level }}</span><b>{{ sentence(line) }}</b><span v-for="text in line.told">{{ text }}</span></p>
        <p v-if="change">{{ change }}</p></section>
      <report-view v-if="page" :page="page" :within="true"></report-view>`,
  computed: {
    told() {
      if (this.run?.state === "running") return this.run.phase;
      if (this.run?.state === "stopped") return tr("Stopped. Ask again to go on from here.");
      return this.run?.told ?? (this.answers?.length ? this.sentence(this.answers[0]) : "");
    },
  },
  // The focus goes on from what has vanished to what follows it.
  beforeUpdate() {
    this.focused ||= this.$refs.now?.contains(document.activeElement);
  },
  updated() {
    if (this.focused && document.activeElement === document.body) (this.$refs.now ?? this.$refs.answer)?.focus();
    this.focused &&= document.activeElement === document.body;
  },
  methods: {
    tr,
    sentence: ({ proposal, sure }) => tr("{proposal}: {sure}", { proposal, sure }),
  },
};
