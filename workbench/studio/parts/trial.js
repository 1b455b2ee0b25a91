// Rules tried out against their base. The server sends what is known; the page draws it, and says start or stop.

const [WIDE, HIGH, LEFT, RIGHT, TOP, BOTTOM] = [520, 200, 34, 8, 8, 34];

export default {
  props: ["words", "back", "here", "script", "state"],
  emits: ["start", "stop"],
  template: `
  <div><div id="main" class="trial" tabindex="-1">
    <p class="kind"><a :href="back">{{ words.to_rules }}</a></p>
    <h1>{{ state.heading }}</h1>
    <p v-for="note in state.notes" class="verdict wrong">{{ note }}</p>
    <form class="against" v-if="state.choice.names.length" @submit.prevent>
      <label>{{ words.try_against }}
        <select :value="state.choice.base" data-do="against" @change="choose">
          <option v-for="name in state.choice.names" :value="name">{{ name }}</option>
        </select>
      </label>
    </form>
    <template v-if="state.state">
      <p v-if="run.state === 'not_begun'">{{ words.try_lead }}</p>
      <section class="run" :data-state="run.state" :aria-label="words.its_run">
        <div class="tools">
          <button v-if="can" type="button" class="main" data-do="start" @click="$emit('start')">{{ can }}</button>
          <button v-if="run.can === 'stop'" type="button" data-do="stop" :disabled="run.stopping" @click="$emit('stop')">{{ run.place ? words.take_out : words.stop }}</button>
          <span class="phase" role="status" aria-live="polite">{{ run.phase || run.told }}</span>
          <a v-if="run.report && run.can !== 'stop'" :href="run.report">{{ words.try_report }}</a>
        </div>
        <progress v-if="run.begun" :value="run.percent" max="100" :aria-label="words.its_run"></progress>
        <p class="quiet figures" v-if="run.begun"><span v-for="figure in [run.games, run.pace, run.left]">{{ figure }}</span></p>
        <p v-if="run.note" class="quiet">{{ run.note }}</p>
        <p v-for="line in [...run.damaged, run.trouble].filter(Boolean)" class="trouble" role="alert">{{ line }}</p>
      </section>
      <p class="quiet" v-if="state.no_look">{{ state.no_look }}</p>
      <section v-if="state.verdict" class="answer">
        <h2>{{ words.try_verdict }}</h2>
        <p class="headline" role="status" aria-live="polite"><b>{{ state.verdict }}</b> <span v-if="state.decided">{{ words.try_quick_only }}</span></p>
        <div class="pairings">
          <article v-for="each in state.pairings" :key="each.name" :data-pairing="each.name" :data-verdict="each.verdict">
            <h3>{{ each.name }}</h3>
            <p>{{ each.said }} {{ each.more }}</p>
            <template v-if="each.looks.length">
              <figure>
                <svg :viewBox="view" role="img" :aria-label="each.chart">
                  <g class="grid">
                    <g v-for="tick in ticks(each)"><line :x1="left" :x2="right" :y1="y(each, tick)" :y2="y(each, tick)" :class="{ half: tick === 0.5 }"/>
                      <text :x="left - 4" :y="y(each, tick) + 4" text-anchor="end">{{ Math.round(100 * tick) }}</text></g>
                    <text v-for="(games, place) in state.sizes" v-show="place % 5 === 4 || place === 0" :x="x(place)" :y="bottom + 14" text-anchor="middle">{{ games.toLocaleString("en") }}</text>
                    <text :x="left" :y="bottom + 29">{{ words.try_axis }}</text>
                  </g>
                  <g v-for="(look, place) in each.looks" :key="look.games" :class="{ past: place < each.looks.length - 1 }">
                    <g v-for="side in ['base', 'own']" :class="side">
                      <template v-if="look[side][0] !== null">
                        <line :x1="x(place, side)" :x2="x(place, side)" :y1="y(each, look[side][1])" :y2="y(each, look[side][2])"/>
                        <circle v-if="side === 'base'" :cx="x(place, side)" :cy="y(each, look[side][0])" r="4"/>
                        <rect v-else :x="x(place, side) - 4" :y="y(each, look[side][0]) - 4" width="8" height="8"/>
                      </template>
                    </g>
                  </g>
                </svg>
                <figcaption class="quiet">{{ words.try_score }}:
                  <span class="key base">{{ state.names.base }} {{ each.scores.base }}</span>
                  <span class="key own">{{ state.names.own }} {{ each.scores.own }}</span>
                </figcaption>
              </figure>
              <table>
                <caption class="unseen">{{ words.try_beside }}</caption>
                <thead><tr><th scope="col">{{ words.try_beside }}</th><th scope="col">{{ state.names.base }}</th><th scope="col">{{ state.names.own }}</th><th scope="col">{{ words.try_difference }}</th></tr></thead>
                <tbody><tr v-for="row in each.measures"><th scope="row">{{ row.name }}</th><td>{{ row.base }}</td><td>{{ row.own }}</td><td>{{ row.difference }}<br><span class="quiet">{{ row.word }}</span></td></tr></tbody>
              </table>
            </template>
          </article>
        </div>
      </section>
      <section v-if="state.replays" class="examples">
        <h2>{{ words.try_games_why }}</h2>
        <ol><li v-for="(why, number) in state.replays.why"><button type="button" data-do="game" @click="pick(number)">{{ why }}</button></li></ol>
        <p v-if="run.report"><a :href="run.report.replace('/report/', '/replay/')">{{ words.try_all_games }}</a></p>
        <div ref="replay" :key="state.replays.key" v-html="state.replays.markup"></div>
      </section>
      <section class="how">
        <h2>{{ words.try_settings }}</h2>
        <p>{{ words.try_players }} <a href="/new-experiment">{{ words.try_stronger }}</a></p>
        <p>{{ state.margin }}</p>
        <p>{{ state.kept }} <code>{{ state.command }}</code></p>
        <p v-if="state.tried">{{ state.tried }}</p>
      </section>
    </template>
  </div></div>`,
  computed: {
    run() {
      return this.state.run;
    },
    can() {
      return { play: this.words.try_start, continue: this.words.go_on, mend: this.words.mend }[this.run.can];
    },
    view: () => `0 0 ${WIDE} ${HIGH}`,
    left: () => LEFT,
    right: () => WIDE - RIGHT,
    bottom: () => HIGH - BOTTOM,
  },
  mounted() {
    this.showGames();
  },
  updated() {
    this.showGames();
  },
  unmounted() {
    this.viewer?.end();
  },
  methods: {
    // The board of reports works on the markup that the server sends, once for each choice of games.
    async showGames() {
      const key = this.state.replays?.key;
      if (!key || key === this.viewed) return;
      this.viewed = key;
      const { replay } = await import(this.script);
      this.viewer?.end();
      this.viewer = replay(this.$refs.replay.querySelector(".replay"), JSON.parse(JSON.stringify(this.state.replays.data)));
    },
    pick(number) {
      const picker = this.$refs.replay.querySelector('[data-part="picker"]');
      picker.value = String(number);
      picker.dispatchEvent(new Event("change"));
      picker.focus();
    },
    choose(event) {
      location.assign(`${this.here}?against=${encodeURIComponent(event.target.value)}`);
    },
    // The middle of a look, or of one of the two dots beside it.
    x(place, side) {
      const step = (WIDE - LEFT - RIGHT) / this.state.sizes.length;
      const aside = side ? (side === "base" ? -1 : 1) * Math.min(step / 5, 6) : 0;
      return LEFT + step * (place + 0.5) + aside;
    },
    // 50 % in the middle, and twice the room that the latest intervals take; earlier ones are cut off where they reach
    // beyond.
    reach(each) {
      const look = each.looks[each.looks.length - 1];
      const ends = [...look.base, ...look.own].filter((value) => value !== null);
      return Math.min(0.5, Math.max(0.1, ...ends.map((value) => 2 * Math.abs(value - 0.5))));
    },
    y(each, wanted) {
      const reach = this.reach(each);
      const value = Math.min(0.5 + reach, Math.max(0.5 - reach, wanted));
      return TOP + ((0.5 + reach - value) / (2 * reach)) * (HIGH - TOP - BOTTOM);
    },
    ticks(each) {
      const step = this.reach(each) > 0.3 ? 0.25 : this.reach(each) > 0.15 ? 0.1 : 0.05;
      const ticks = [];
      for (let tick = 0.5 - 10 * step; tick <= 0.5 + 10 * step; tick += step)
        if (Math.abs(tick - 0.5) <= this.reach(each) + 1e-9) ticks.push(Math.round(100 * tick) / 100);
      return ticks;
    },
  },
};
