// The try-out of rules before it begins.

import { Countdown } from "studio/countdown.js";
import { tr, trc } from "studio/texts.js";

export default {
  mixins: [Countdown],
  props: ["back", "of", "rules", "choice", "players", "sizes", "measured", "pilot", "notes", "same", "trouble", "busy", "first_in"],
  emits: ["start"],
  template: `
  <div><div id="main" class="trial" tabindex="-1">
    <p class="kind"><a :href="back">{{ tr("Show its rules") }}</a></p>
    <h1>{{ tr("Try it out") }}</h1>
    <p v-for="note in notes" class="verdict" :class="{ wrong: !same }">{{ note }}</p>
    <div v-if="same" class="tools"><a class="button main" :href="back" data-do="change">{{ tr("Change the rules") }}</a></div>
    <dl class="asked">
      <dt>{{ tr("Rules tried") }}</dt><dd>{{ rules }}</dd>
      <template v-if="choice.bases.length"><dt><label for="against">{{ tr("Compare with") }}</label></dt><dd>
        <select id="against" :value="choice.base" data-do="against" @change="choose"><option v-for="base in choice.bases" :value="base.name">{{ base.title }}</option></select></dd></template>
      <template v-if="!notes.length"><dt>{{ tr("Who plays?") }}</dt><dd v-for="player in players" :key="player.label">{{ player.sentence }} <code>{{ player.label }}</code></dd>
        <dt><label for="size">{{ trc("shelf words", "How many games") }}</label></dt><dd>
        <select id="size" v-model="games" data-do="size" :disabled="busy"><option v-for="size in sizes" :value="size.games">{{ size.told }}</option></select> <span v-if="!busy && !measured" class="quiet measuring" role="status">{{ doing }}</span>
        <span v-if="!busy && !measured && pilot" class="quiet" role="timer">{{ countdown ? tr("{time} left", { time: tr("{n} s", { n: countdown }) }) : tr("takes longer than usual") }}</span></dd></template>
    </dl>
    <template v-if="!notes.length">
      <p>{{ tr("Quick players play many games under both rulesets. The first result comes within seconds, and the trial ends as soon as there is an answer. You may leave this page meanwhile, or stop the trial: the games played so far count.") }}</p>
      <div class="tools"><button type="button" class="main" data-do="start" :disabled="busy" @click="$emit('start', games)">{{ trc("try words", "Try it out") }}</button>
        <span class="phase" role="status">{{ busy ? doing : "" }}</span>
        <span v-if="busy && countdown" role="timer">{{ tr("The first result is due in about {n} s.", { n: countdown }) }}</span></div>
      <p v-if="trouble" class="why" role="alert">{{ trouble }}</p>
      <p class="quiet">{{ tr("Strong play may differ. Once this is running, its page links to an experiment with stronger players, which takes longer.") }}</p>
      <p class="quiet">{{ tr("It becomes an ordinary experiment with a file and a report. Rules without a file are saved as they were tried.") }}</p>
    </template>
  </div></div>`,
  data: () => ({ games: 0 }), // per ruleset and player; 0: a number that suits the machine
  computed: {
    doing() {
      return this.pilot?.compiles ? tr("Preparing this game for fast play, once on this machine…") : tr("Measuring the speed of these games…");
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
    tr,
    trc,
    choose(event) {
      location.assign(`/try/${this.of}?against=${encodeURIComponent(event.target.value)}`);
    },
  },
};
