// A run on its way to an answer: progress, results so far, and notes on what went wrong; then the report.

import { ReportView } from "studio/report.js";
import { tr } from "studio/texts.js";

export const RunAnswer = {
  components: { ReportView },
  props: ["run", "page", "within", "answers", "change"],
  emits: ["stop"],
  template: `
      <p class="unseen" role="status">{{ told }}</p>
      <section v-if="run && !(run.state === 'done' && page) && (run.state !== 'not_begun' || run.notes.length)" ref="now" class="card now" tabindex="-1" :aria-label="tr('Its games')" :data-state="run.state">
        <div class="head"><span class="state" :class="run.state">{{ run.place ? tr("waiting: number {n} in the queue", { n: run.place }) : told }}</span>
          <span class="tools"><button v-if="run.can === 'stop'" type="button" data-do="stop" :disabled="run.stopping" @click="$emit('stop')">{{ run.place ? tr("Remove from the queue") : tr("Stop") }}</button></span></div>
        <div v-if="run.state === 'running' || (run.percent > 0 && run.percent < 100)" class="meter" role="progressbar" :aria-valuenow="run.percent" aria-valuemin="0" aria-valuemax="100" :aria-label="tr('Progress')"><i :style="{ width: run.percent + '%' }"></i></div>
        <p v-if="run.left || run.state !== 'running'" class="quiet figures"><b v-if="run.left">{{ run.left }}</b><span v-else>{{ run.games }}</span></p>
        <table v-if="run.bars.length" class="bars"><tbody><tr v-for="bar in run.bars" :key="bar.ruleset + bar.players">
          <th scope="row">{{ bar.ruleset }} <span class="quiet">{{ bar.players }}</span></th>
          <td><span class="bar4" aria-hidden="true"><i v-for="share in bar.shares" :style="{ width: share + '%' }"></i></span><span class="quiet">{{ bar.told }}</span></td>
          <td class="quiet">{{ bar.games }}</td></tr></tbody></table>
        <ul v-if="run.notes.length" class="problems"><li v-for="line in run.notes">{{ line }}</li></ul>
        <p v-if="run.trouble" class="why" role="alert">{{ run.trouble }}</p>
      </section>
      <section v-if="answers?.length" ref="answer" class="onway" tabindex="-1" :aria-label="tr('The answer')">
        <p v-for="line in answers" class="figures"><span class="quiet">{{ line.level }}</span><b>{{ sentence(line) }}</b><span v-for="text in line.told">{{ text }}</span></p>
        <p v-if="change">{{ change }}</p></section>
      <slot></slot>
      <report-view v-if="page" ref="report" :page="page" :within="within"></report-view>`,
  computed: {
    told() {
      if (this.run?.state === "running") return this.run.phase;
      if (this.run?.state === "stopped") return tr("Stopped. “{button}” goes on from here.", { button: tr("Continue") });
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
