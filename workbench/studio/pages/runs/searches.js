// The project's searches for rulesets: how far each is, and what it has found.

import { Listed } from "studio/listed.js";

export default {
  mixins: [Listed],
  emits: ["play", "stop"],
  template: `
  <div><div id="main" class="sheet" tabindex="-1">
    <div class="head"><h1>{{ tr("Searches for rulesets") }}</h1>
      <a class="button main" href="/new-search" data-do="new">{{ tr("New search") }}</a></div>
    <p v-if="trouble" class="why" role="alert">{{ trouble }}</p>
    <div class="head">
      <p class="quiet">{{ tr("Each names what may be changed and what the game should become, and finds the rulesets that get there with the fewest changes.") }}</p>
      <input v-if="rows.length > 5" type="search" v-model="sought" :placeholder="tr('Find a search')" :aria-label="tr('Find a search')">
    </div>
    <p v-if="!rows.length && looked" class="quiet">{{ tr("There are no searches yet.") }}</p>
    <p v-if="!looked" class="quiet" role="status">{{ tr("Looking at the folders…") }}</p>
    <p v-if="rows.length && !found.length" class="quiet">{{ tr("No search has these words.") }}</p>
    <ul class="rows">
      <li v-for="row in found" :key="row.name" class="card row" :data-search="row.name" :data-state="row.state">
        <div class="what">
          <h2><a v-if="row.url" :href="row.url">{{ row.title }}</a><template v-else>{{ row.title }}</template></h2>
          <p class="quiet"><code>{{ row.name }}</code> <time v-if="row.touched" :datetime="iso(row)">{{ date(row) }}</time></p>
          <p v-if="row.answer">{{ row.answer }}</p>
          <p v-if="row.stage || row.phase" class="quiet">{{ row.stage || row.phase }}</p>
          <p v-if="row.note" class="quiet">{{ row.note }}</p>
          <ul v-if="row.wrong.length || row.damaged.length" class="problems"><li v-for="line in row.wrong.concat(row.damaged).slice(0, 4)">{{ line }}</li></ul>
          <p v-if="row.trouble" class="why" role="alert">{{ row.trouble }}</p>
        </div>
        <div class="far">
          <span class="state" :class="row.state">{{ row.wrong.length ? tr("to be mended") : row.told }}</span>
          <span class="quiet">{{ row.games }}</span><span v-if="row.left" class="quiet">{{ row.left }}</span>
          <div v-if="row.percent > 0 && row.percent < 100" class="meter" aria-hidden="true"><i :style="{ width: row.percent + '%' }"></i></div>
        </div>
        <div class="tools">
          <a v-if="row.report" class="button" :href="row.report" :aria-label="tr('Report') + ': ' + row.title">{{ tr("Report") }}</a>
          <button v-if="can[row.can]" type="button" data-do="play" :aria-label="can[row.can] + ': ' + row.title" @click="$emit('play', row.name)">{{ can[row.can] }}</button>
          <button v-if="row.can === 'stop'" type="button" data-do="stop" :disabled="row.stopping" :aria-label="tr('Stop') + ': ' + row.title" @click="$emit('stop', row.name)">{{ row.place ? tr("Take out") : tr("Stop") }}</button>
        </div>
      </li>
    </ul>
  </div></div>`,
};
