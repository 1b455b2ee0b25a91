// A search for proposals: its run and what it has found.

import { RunAnswer } from "studio/answer.js";
import { ReportView } from "studio/report.js";
import { tr, trc } from "studio/texts.js";

export default {
  components: { ReportView, RunAnswer },
  props: ["title", "file", "run", "found", "trouble"],
  emits: ["play", "stop", "open"],
  template: `
  <div><div id="main" class="sheet searching" tabindex="-1">
    <p class="kind"><a href="/answers">← {{ tr("Answers") }}</a> <span>{{ file }}</span></p>
    <h1>{{ title }}</h1>
    <div class="tools"><button v-if="can" type="button" class="main" data-do="play" @click="$emit('play')">{{ can }}</button>
      <a v-if="found?.report" class="button" :href="found.report" data-do="finalists">{{ tr("Report on the finalists") }}</a></div>
    <p v-if="trouble" class="why" role="alert">{{ trouble }}</p>
    <run-answer stops="yes" :run="run" @stop="$emit('stop')"></run-answer>
    <section v-if="found" class="card found" aria-labelledby="table-of-proposals">
      <h2 id="table-of-proposals">{{ tr("The most promising proposals") }}</h2>
      <p class="quiet">{{ tr("Expected values from all games, with 95 % intervals, best first; for numbered finalists, from fresh games only.") }} {{ found.shown }}</p>
      <table>
        <thead><tr><th scope="col">{{ tr("Proposal") }}</th><th v-for="column in columns" scope="col">{{ column }}</th></tr></thead>
        <tbody><tr v-for="row in found.rows" :key="row.place" :data-ruleset="row.place" :class="{ finalist: row.number }">
          <td><details class="more"><summary data-do="look">{{ row.number ? row.number + "." : "" }} {{ row.title }}</summary>
            <p class="quiet">{{ row.chance }} {{ row.targets }}</p>
            <ul v-if="row.changes.length" class="differs"><li v-for="change in row.changes" :key="change.title"><b>{{ change.title }}</b>
              <p><span class="quiet">{{ trc("search words", "Before") }}</span> <s>{{ change.was }}</s></p><p><span class="quiet">{{ trc("search words", "After") }}</span> {{ change.now }}</p></li></ul>
            <div v-if="row.settings" class="tools"><button type="button" data-do="open-rules" @click="$emit('open', { place: row.place, way: 'rules' })">{{ tr("Open its rules") }}</button>
              <button v-if="row.changes.length" type="button" data-do="propose" @click="$emit('open', { place: row.place, way: 'save' })">{{ tr("Save as a proposal…") }}</button></div>
            <p v-else class="quiet">{{ tr("The search file no longer allows these settings, so these rules cannot be opened.") }}</p></details></td>
          <td v-for="(value, index) in row.values" :data-text="columns[index]">{{ value }}</td></tr></tbody></table></section>
    <report-view v-if="run?.page" :page="run.page" :within="true"></report-view>
  </div></div>`,
  computed: {
    can() {
      return { play: tr("Run"), continue: tr("Continue"), mend: tr("Repair and continue") }[this.run?.can];
    },
    columns() {
      return [tr("First player"), trc("search words", "Draws"), trc("search words", "Moves"), trc("search words", "Games"), tr("Best")];
    },
  },
  methods: { tr, trc },
};
