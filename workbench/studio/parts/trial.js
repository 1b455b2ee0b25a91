// With what rules are compared when they are tried out: here before that is begun, and on the page of the experiment.

import { Countdown } from "studio/countdown.js";
import { fill } from "studio/fill.js";

export default {
  mixins: [Countdown],
  props: ["words", "back", "of", "rules", "choice", "players", "sizes", "measured", "pilot", "notes", "same", "trouble", "busy", "first_in"],
  emits: ["start"],
  template: `
  <div><div id="main" class="trial" tabindex="-1">
    <p class="kind"><a :href="back">{{ words.to_rules }}</a></p>
    <h1>{{ words.try }}</h1>
    <p v-for="note in notes" class="verdict" :class="{ wrong: !same }">{{ note }}</p>
    <div v-if="same" class="tools"><a class="button main" :href="back" data-do="change">{{ words.change_rules }}</a></div>
    <dl class="asked">
      <dt>{{ words.try_rules }}</dt><dd>{{ rules }}</dd>
      <template v-if="choice.bases.length"><dt><label for="against">{{ words.try_against }}</label></dt><dd>
        <select id="against" :value="choice.base" data-do="against" @change="choose"><option v-for="base in choice.bases" :value="base.name">{{ base.title }}</option></select></dd></template>
      <template v-if="!notes.length"><dt>{{ words.ask_players }}</dt><dd v-for="player in players" :key="player.label">{{ player.sentence }} <code>{{ player.label }}</code></dd>
        <dt><label for="size">{{ words.asked_games }}</label></dt><dd>
        <select id="size" v-model="games" data-do="size" :disabled="busy"><option v-for="size in sizes" :value="size.games">{{ size.told }}</option></select> <span v-if="!busy && !measured" class="quiet measuring" role="status">{{ doing }}</span>
        <span v-if="!busy && !measured && pilot" class="quiet" role="timer">{{ countdown ? fill(words.left, { time: fill(words.seconds, { n: countdown }) }) : words.try_slow }}</span></dd></template>
    </dl>
    <template v-if="!notes.length">
      <p>{{ words.try_lead }}</p>
      <div class="tools"><button type="button" class="main" data-do="start" :disabled="busy" @click="$emit('start', games)">{{ words.try_start }}</button>
        <span class="phase" role="status">{{ busy ? doing : "" }}</span>
        <span v-if="busy && countdown" role="timer">{{ fill(words.first_result_in, { n: countdown }) }}</span></div>
      <p v-if="trouble" class="why" role="alert">{{ trouble }}</p>
      <p class="quiet">{{ words.try_players_later }}</p>
      <p class="quiet">{{ words.try_kept }}</p>
    </template>
  </div></div>`,
  data: () => ({ games: 0 }), // of a ruleset and player; 0: as many as suit the machine
  computed: {
    doing() {
      return this.pilot?.compiles ? this.words.try_compiling : this.words.try_preparing;
    },
  },
  watch: {
    pilot(now) {
      if (!this.busy) this.expectIn(now.left);
    },
    first_in(seconds) {
      this.expectIn(seconds);
    },
  },
  methods: {
    fill,
    choose(event) {
      location.assign(`/try/${this.of}?against=${encodeURIComponent(event.target.value)}`);
    },
  },
};
