// A list of runs with their progress, active ones first. The page defines their kind and its texts.

import { tr } from "studio/texts.js";

const CAN = { play: tr("Run"), continue: tr("Continue"), mend: tr("Repair and continue") };

export const runList = (kind, texts) => ({
  props: ["rows", "looked", "trouble", "language"],
  emits: ["play", "stop", "move"],
  template: `
  <div><div id="main" class="sheet" tabindex="-1">
    <div class="head"><h1>{{ texts.heading }}</h1>
      <a class="button main" href="/new-${kind}" data-do="new">{{ texts.new }}</a></div>
    <p v-if="trouble" class="why" role="alert">{{ trouble }}</p>

    <section v-if="queue.length" class="card queue" :aria-label="tr('Now and next')">
      <h2>{{ tr("Now and next") }}</h2>
      <article v-for="row in queue" :key="row.name" class="job" :data-job="row.name">
        <div class="head"><b><a :href="row.url">{{ row.title }}</a></b>
          <span class="tools">
            <template v-if="row.place"><button type="button" :disabled="row.place === 1" :aria-label="tr('Earlier:') + ' ' + row.title" data-do="earlier" @click="$emit('move', { name: row.name, place: row.place - 2 })">↑</button>
            <button type="button" :disabled="row.place === waiting" :aria-label="tr('Later:') + ' ' + row.title" data-do="later" @click="$emit('move', { name: row.name, place: row.place })">↓</button></template>
            <button type="button" data-do="stop" :disabled="row.stopping" @click="$emit('stop', row.name)">{{ row.place ? tr("Remove from the queue") : tr("Stop") }}</button></span></div>
        <template v-if="!row.place">
          <div class="meter" role="progressbar" :aria-valuenow="row.percent" aria-valuemin="0" aria-valuemax="100" :aria-label="row.title"><i :style="{ width: row.percent + '%' }"></i></div>
          <p class="quiet figures" role="status"><b v-if="row.stage || row.phase">{{ row.stage || row.phase }}</b><span v-if="row.games">{{ row.games }}</span><span v-if="row.left">{{ row.left }}</span></p>
        </template>
        <p v-else class="quiet">{{ row.told }} · {{ row.games }}</p>
      </article>
    </section>

    <div class="head">
      <p class="quiet">{{ texts.lead }}</p>
      <input v-if="rows.length > 5" type="search" v-model="sought" :placeholder="texts.find" :aria-label="texts.find">
    </div>
    <p v-if="!rows.length && looked" class="quiet">{{ texts.none }}</p>
    <p v-if="!looked" class="quiet" role="status">{{ tr("Reading the folders…") }}</p>
    <p v-if="rows.length && !found.length" class="quiet">{{ texts.unfound }}</p>
    <component v-for="part in parts" :is="part.folded ? 'details' : 'div'" class="sofar"><summary v-if="part.folded">{{ part.folded }}</summary>
    <ul class="rows">
      <li v-for="row in part.rows" :key="row.name" class="card row" :data-${kind}="row.name" :data-state="row.state">
        <div class="what">
          <h2><a v-if="row.url" :href="row.url">{{ row.title }}</a><template v-else>{{ row.title }}</template></h2>
          <p class="quiet"><code>{{ row.name }}</code> <time v-if="row.touched" :datetime="iso(row)">{{ date(row) }}</time></p>
          <p v-if="row.answer">{{ row.answer }}</p>
          <p v-if="row.note" class="quiet">{{ row.note }}</p>
          <p v-if="row.programs" class="quiet">{{ tr("It starts external programs, which can be allowed only in the terminal (workbench studio --allow-programs).") }}</p>
          <ul v-if="row.wrong.length || row.damaged.length" class="problems"><li v-for="line in row.wrong.concat(row.damaged).slice(0, 4)">{{ line }}</li>
            <li v-if="row.wrong.length + row.damaged.length > 4">…</li></ul>
          <p v-if="row.trouble" class="why" role="alert">{{ row.trouble }}</p>
        </div>
        <div class="far">
          <span class="state" :class="row.state">{{ row.wrong.length ? tr("needs repair") : row.told }}</span>
          <span class="quiet">{{ row.games }}</span>
          <div v-if="row.percent > 0 && row.percent < 100" class="meter" aria-hidden="true"><i :style="{ width: row.percent + '%' }"></i></div>
        </div>
        <div class="tools">
          <a v-if="row.report" class="button" :href="row.report" :aria-label="tr('Report') + ': ' + row.title">{{ tr("Report") }}</a>
          <button v-if="CAN[row.can]" type="button" data-do="play" :aria-label="CAN[row.can] + ': ' + row.title" @click="$emit('play', row.name)">{{ CAN[row.can] }}</button>
        </div>
      </li>
    </ul></component>
  </div></div>`,
  data: () => ({ sought: "", texts, CAN }),
  computed: {
    found() {
      const words = this.sought.toLowerCase().split(/\s+/);
      return this.rows
        .filter((row) => words.every((word) => `${row.name} ${row.title} ${row.told}`.toLowerCase().includes(word)))
        .sort((a, b) => b.touched - a.touched);
    },
    queue() {
      const active = this.rows.filter((row) => row.state === "running" || row.place);
      return active.sort((a, b) => a.place - b.place);
    },
    waiting() {
      return Math.max(0, ...this.rows.map((row) => row.place));
    },
    // Shipped files without games are listed below, except during a search or if there are no others.
    parts() {
      const untouched = (row) => row.shipped && row.state === "not_begun";
      const own = this.found.filter((row) => !untouched(row));
      const shipped = this.rows.filter(untouched);
      if (this.sought || !own.length || !shipped.length) return [{ rows: this.found }];
      return [{ rows: own }, { rows: shipped, folded: tr("{n} shipped with the workbench, not yet run", { n: shipped.length }) }];
    },
  },
  methods: {
    tr,
    iso: (row) => new Date(row.touched * 1000).toISOString(),
    date(row) {
      return new Date(row.touched * 1000).toLocaleString(this.language, { dateStyle: "medium", timeStyle: "short" });
    },
  },
});
