// All answers in one list, newest first, below what runs and waits.

import { tr, trc } from "studio/texts.js";

const CAN = { play: tr("Run"), continue: tr("Continue"), mend: tr("Repair and continue") };

export default {
  props: ["language", "rows", "read", "trouble"],
  emits: ["play", "stop"],
  template: `
  <div><div id="main" class="sheet answers" tabindex="-1">
    <div class="head"><h1>{{ tr("Answers") }}</h1>
      <span class="tools"><a class="button main" href="/ask" data-do="ask">{{ tr("Ask") }}</a> <a class="button" href="/new-search">{{ tr("Look for other proposals") }}</a></span></div>
    <p v-if="trouble" class="why" role="alert">{{ trouble }}</p>

    <section v-if="queue.length" class="card queue" :aria-label="tr('Now and next')">
      <h2>{{ tr("Now and next") }}</h2>
      <article v-for="row in queue" :key="row.name" class="job" :data-job="row.name">
        <div class="head"><b><a :href="row.url">{{ row.title }}</a></b>
          <button type="button" data-do="stop" :disabled="row.stopping" @click="$emit('stop', row.name)">{{ row.place ? tr("Remove from the queue") : tr("Stop") }}</button></div>
        <div v-if="!row.place" class="meter" role="progressbar" :aria-valuenow="row.percent" aria-valuemin="0" aria-valuemax="100" :aria-label="row.title"><i :style="{ width: row.percent + '%' }"></i></div>
        <p class="quiet figures" role="status"><b v-if="row.phase">{{ row.phase }}</b><span v-else>{{ row.told }}</span><span>{{ row.games }}</span><span>{{ row.left }}</span></p>
      </article>
    </section>

    <p v-if="!found.length" class="quiet" role="status">{{ !read ? tr("Reading the folders…") : tr("There are no answers yet: ask a question first.") }}</p>
    <component v-for="part in parts" :is="part.folded ? 'details' : 'div'" class="part more"><summary v-if="part.folded">{{ part.folded }}</summary>
    <ul class="rows">
      <li v-for="row in part.rows" :key="row.name" class="card row" :data-report="row.name" :data-state="row.state">
        <div class="what">
          <h2><span v-if="row.name.startsWith('searches/')" class="badge">{{ trc("areas", "Search") }}</span> <a :href="row.page ? '/report/' + encodeURI(row.name) : row.url">{{ row.title }}</a></h2>
          <p v-if="row.answer">{{ row.answer }}</p>
          <p class="quiet"><time v-if="row.touched">{{ date(row) }}</time> <span v-if="row.players.length">{{ players(row) }}</span>
            <span v-if="row.state !== 'done'" class="state" :class="row.state">{{ row.told }}</span></p>
          <ul v-if="row.state !== 'done' && row.notes.length" class="problems"><li v-for="line in row.notes">{{ line }}</li></ul>
          <p v-if="row.trouble" class="why" role="alert">{{ row.trouble }}</p>
          <p v-if="CAN[row.can]" class="tools"><button type="button" data-do="play" :aria-label="CAN[row.can] + ': ' + row.title" @click="$emit('play', row.name)">{{ CAN[row.can] }}</button></p>
        </div>
        <table v-if="row.scores.length" class="scores"><caption class="quiet">{{ tr("Score of the first player, strongest players") }}</caption>
          <tbody><tr v-for="bar in row.scores"><th scope="row" :title="bar[0]">{{ bar[0] }}</th>
            <td><svg viewBox="0 0 128 20" class="s0" aria-hidden="true"><line v-bind="{ x1: at(row, 0.5), x2: at(row, 0.5) }" y1="0" y2="20" class="even"/>
              <line :x1="at(row, bar[2])" :x2="at(row, bar[3])" y1="10" y2="10" class="interval"/>
              <circle :cx="at(row, bar[1])" cy="10" r="3.5" class="dot" :class="{ hollow: bar[2] < 0.5 && bar[3] > 0.5 }"/></svg></td>
            <td>{{ percent(bar[1]) }}</td><td>{{ bar[4] }}</td></tr></tbody>
          <tfoot aria-hidden="true"><tr><td></td><td><svg viewBox="0 0 128 14"><text :x="at(row, 0.5)" y="11">{{ percent(0.5, 0) }}</text></svg></td></tr></tfoot></table>
      </li>
    </ul></component>
  </div></div>`,
  data: () => ({ CAN }),
  computed: {
    queue() {
      return this.rows.filter((row) => row.can === "stop").sort((a, b) => a.place - b.place);
    },
    found() {
      return this.rows.filter((row) => row.can !== "stop").sort((a, b) => b.touched - a.touched);
    },
    // Shipped files without games are listed below.
    parts() {
      const { own = [], shipped = [] } = Object.groupBy(this.found, (row) => (row.shipped && row.state === "not_begun" ? "shipped" : "own"));
      const folded = tr("{n} questions shipped with the workbench, not yet run", { n: shipped.length });
      return [{ rows: own }, ...(this.read && shipped.length ? [{ rows: shipped, folded }] : [])];
    },
  },
  methods: {
    tr,
    trc,
    percent: (share, digits = 1) => `${(100 * share).toFixed(digits)} %`,
    date(row) {
      return new Date(row.touched * 1000).toLocaleDateString(this.language, { year: "numeric", month: "short", day: "numeric" });
    },
    players({ players }) {
      return players.length > 1 ? tr("{players} and {n} more", { players: players.at(-1), n: players.length - 1 }) : players[0];
    },
    // The axis fits the intervals of its report and 50 %.
    at({ scores }, share) {
      const [low, high] = [Math.min(0.5, ...scores.map((bar) => bar[2])), Math.max(0.5, ...scores.map((bar) => bar[3]))];
      return 14 + (100 * (share - low)) / (high - low || 1);
    },
  },
};
