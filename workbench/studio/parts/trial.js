// With what rules are compared when they are tried out: here before that is begun, and on the page of the experiment.

import { Countdown } from "studio/countdown.js";
import { fill } from "studio/fill.js";

export default {
  mixins: [Countdown],
  props: ["words", "back", "of", "rules", "choice", "notes", "trouble", "busy", "first_in"],
  emits: ["start"],
  template: `
  <div><div id="main" class="trial" tabindex="-1">
    <p class="kind"><a :href="back">{{ words.to_rules }}</a></p>
    <h1>{{ words.try }}<span class="quiet">{{ rules }}</span></h1>
    <p v-for="note in notes" class="verdict wrong">{{ note }}</p>
    <label v-if="choice.bases.length" class="against">{{ words.try_against }}
      <select :value="choice.base" data-do="against" @change="choose"><option v-for="base in choice.bases" :value="base.name">{{ base.title }}</option></select></label>
    <template v-if="!notes.length">
      <p>{{ words.try_lead }}</p>
      <div class="tools"><button type="button" class="main" data-do="start" :disabled="busy" @click="$emit('start')">{{ words.try_start }}</button>
        <span v-if="busy" class="phase" role="status">{{ words.try_preparing }}</span>
        <span v-if="busy && countdown" role="timer">{{ fill(words.first_result_in, { n: countdown }) }}</span></div>
      <p v-if="trouble" class="why" role="alert">{{ trouble }}</p>
      <p class="quiet">{{ words.try_players }}</p>
      <p class="quiet">{{ words.try_kept }}</p>
    </template>
  </div></div>`,
  watch: {
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
