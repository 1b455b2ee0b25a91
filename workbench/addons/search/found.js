// What a search for proposals has found, as a part of the page of its run.

import { tr, trc } from "studio/texts.js";

export default {
  props: ["found", "trouble"],
  emits: ["open"],
  template: `
  <section class="sheet found" aria-labelledby="table-of-proposals"><template v-if="found">
      <div class="head"><h2 id="table-of-proposals">{{ tr("The most promising proposals") }}</h2>
        <a v-if="found.report" class="button" :href="found.report" data-do="finalists">{{ tr("Report on the finalists") }}</a></div>
      <p class="quiet">{{ tr("Expected values from all games, with 95 % intervals, best first; for numbered finalists, from fresh games only.") }} {{ found.shown }}</p>
      <p v-if="trouble" class="why" role="alert">{{ trouble }}</p>
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
          <td v-for="(value, index) in row.values" :data-text="columns[index]">{{ value }}</td></tr></tbody></table></template></section>`,
  computed: {
    columns() {
      return [tr("First player"), trc("search words", "Draws"), trc("search words", "Moves"), trc("search words", "Games"), tr("Best")];
    },
  },
  mounted() {
    document.getElementById("of-run").append(this.$el);
  },
  methods: { tr, trc },
};
