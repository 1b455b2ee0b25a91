// A run on its way to an answer: progress, results so far, and notes on what went wrong; then the report.

import { PROGRESS, RUN_NOTES } from "studio/editor.js";
import { ReportView } from "studio/report.js";
import { tr } from "studio/texts.js";

// Returns a template of bars in a list of the run.
const bars = (list) => `<table class="bars"><tbody><tr v-for="bar in run.${list}" :key="bar.ruleset + bar.players">
            <th scope="row">{{ bar.ruleset }} <span class="quiet">{{ bar.players }}</span></th>
            <td><span class="bar4" aria-hidden="true"><i v-for="share in bar.shares" :style="{ width: share + '%' }"></i></span><span class="quiet">{{ bar.told }}</span></td>
            <td class="quiet">{{ bar.games }}</td></tr></tbody></table>`;

export const RunAnswer = {
  components: { ReportView },
  props: ["run", "page", "answers", "change", "stops"],
  emits: ["stop"],
  template: `
      <p class="unseen" role="status">{{ run ? run.phase || run.told : "" }}</p>
      <section v-if="run && !(run.state === 'done' && page) && run.state !== 'not_begun'" class="card now" :aria-label="tr('Its games')" :data-state="run.state">
        <div class="head"><span class="state" :class="run.state">{{ run.place ? tr("waiting: number {n} in the queue", { n: run.place }) : run.state === "running" ? run.phase : run.told }}</span>
          <span class="tools"><button v-if="stops && run.can === 'stop'" type="button" data-do="stop" :disabled="run.stopping" @click="$emit('stop')">{{ run.place ? tr("Remove from the queue") : tr("Stop") }}</button></span></div>
        ${PROGRESS}
        <template v-if="run.bars.length">${bars("bars")}</template>
        <details v-if="run.others.length" class="sofar"><summary>{{ tr("Each pair of players") }}</summary>${bars("others")}</details>
        ${RUN_NOTES}
      </section>
      <section v-if="answers?.length > 1" class="onway" :aria-label="tr('What changed on the way')">
        <p v-for="line in answers" class="figures"><span class="quiet">{{ line.level }}</span><span v-if="answers.some((other) => other.proposal !== line.proposal)">{{ line.proposal }}</span><span>{{ tr("First player {scores}", { scores: line.scores }) }}</span><b>{{ line.sure }}</b></p>
        <p v-if="change">{{ change }}</p></section>
      <report-view v-if="page" :page="page" :within="true"></report-view>`,
  methods: { tr },
};
