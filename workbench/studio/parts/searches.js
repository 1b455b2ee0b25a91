// The project's searches for rulesets: how far each is, and what it has found.

export default {
  props: ["words", "language", "rows", "looked", "trouble"],
  emits: ["play", "stop"],
  template: `
  <div><div id="main" class="sheet" tabindex="-1">
    <div class="head"><h1>{{ words.searches_heading }}</h1>
      <a class="button main" href="/new-search" data-do="new">{{ words.new_search }}</a></div>
    <p v-if="trouble" class="why" role="alert">{{ trouble }}</p>
    <div class="head">
      <p class="quiet">{{ words.searches_lead }}</p>
      <input v-if="rows.length > 5" type="search" v-model="sought" :placeholder="words.find_search" :aria-label="words.find_search">
    </div>
    <p v-if="!rows.length && looked" class="quiet">{{ words.no_searches }}</p>
    <p v-if="!looked" class="quiet" role="status">{{ words.looking }}</p>
    <p v-if="rows.length && !found.length" class="quiet">{{ words.no_search_found }}</p>
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
          <span class="state" :class="row.state">{{ row.wrong.length ? words.state_wrong : row.told }}</span>
          <span class="quiet">{{ row.games }}</span><span v-if="row.left" class="quiet">{{ row.left }}</span>
          <div v-if="row.percent > 0 && row.percent < 100" class="meter" aria-hidden="true"><i :style="{ width: row.percent + '%' }"></i></div>
        </div>
        <div class="tools">
          <a v-if="row.report" class="button" :href="row.report" :aria-label="words.open_report + ': ' + row.title">{{ words.open_report }}</a>
          <button v-if="can[row.can]" type="button" data-do="play" :aria-label="can[row.can] + ': ' + row.title" @click="$emit('play', row.name)">{{ can[row.can] }}</button>
          <button v-if="row.can === 'stop'" type="button" data-do="stop" :disabled="row.stopping" :aria-label="words.stop + ': ' + row.title" @click="$emit('stop', row.name)">{{ row.place ? words.take_out : words.stop }}</button>
        </div>
      </li>
    </ul>
  </div></div>`,
  data: () => ({ sought: "" }),
  computed: {
    can() {
      return { play: this.words.run_it, continue: this.words.go_on, mend: this.words.mend };
    },
    found() {
      const asked = this.sought.toLowerCase().split(/\s+/).filter(Boolean);
      return this.rows.filter((each) => asked.every((word) => `${each.name} ${each.title} ${each.told}`.toLowerCase().includes(word)));
    },
  },
  methods: {
    iso(row) {
      return new Date(row.touched * 1000).toISOString();
    },
    date(row) {
      return new Date(row.touched * 1000).toLocaleString(this.language, { dateStyle: "medium", timeStyle: "short" });
    },
  },
};
