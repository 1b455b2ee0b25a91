// A question about a proposal, its levels, and the answer of the strongest finished level.

import { RunAnswer } from "studio/answer.js";
import { tr } from "studio/texts.js";

export default {
  components: { RunAnswer },
  props: ["own", "base", "address", "bases", "others", "offered", "rules", "notes", "trouble", "busy", "levels", "run", "page", "answers", "change", "next", "asked", "ended"],
  emits: ["start", "stop", "more"],
  template: `
  <div><div id="main" class="ask" tabindex="-1">
    <h1 class="question">{{ question[0] }}
      <span class="end"><select :value="base" :aria-label="tr('Compare with')" data-do="against" @change="open($event.target.value, with_)"><option v-for="[name, title] in bases" :value="name">{{ title }}</option></select>
      {{ question[1] }}</span></h1>
    <div class="also"><span v-for="[name, title] in others" :key="name" class="chip">{{ title }} <button type="button" :aria-label="tr('Leave out:') + ' ' + title" @click="leave(name)">×</button></span>
      <select v-if="offered.length" value="" :aria-label="tr('Another proposal')" data-do="with" @change="open(base, [...with_, $event.target.value])"><option value="">+ {{ tr("another proposal") }}</option><option v-for="[name, title] in offered" :value="name">{{ title }}</option></select></div>
    <template v-if="notes.length"><p v-for="note in notes" class="why">{{ note }}</p>
      <div class="tools"><a class="button main" :href="rules" data-do="change">{{ tr("Change the rules") }}</a></div></template>
    <form v-else @submit.prevent="start">
      <fieldset class="levels"><legend class="unseen">{{ tr("How thoroughly?") }}</legend>
        <label v-for="(each, index) in levels" :key="index" class="level" :class="{ chosen: level === index }" :data-level="index">
          <input type="radio" name="level" :value="index" v-model="picked" :checked="level === index"> <b>{{ each.title }}</b> <span :class="{ done: each.done }">{{ each.told }}</span> <small class="quiet">{{ each.about }}</small></label></fieldset>
      <div class="tools">
        <button type="submit" class="main" data-do="start" :disabled="asking || busy !== '' || levels[level]?.done">{{ run && asked < 0 && run.can !== "play" ? tr("Continue") : tr("Ask") }}</button>
        <span class="quiet" role="status">{{ busy }}</span></div>
      <p v-if="trouble" class="why" role="alert">{{ trouble }}</p>
      <p v-if="ended" class="quiet">{{ tr("More games are not worth their time now: change the proposal and ask again.") }} <a :href="rules">{{ tr("Change the rules") }}</a></p>
    </form>
    <run-answer stops="yes" :run="run" :page="page" :answers="answers" :change="change" @stop="$emit('stop')"></run-answer>
    <details v-if="!notes.length" class="more"><summary>{{ tr("More: players, games, openings, another measure") }}</summary>
      <p class="quiet">{{ tr("The levels ask for the first player’s score. Another question about these rulesets gets a file of its own, with players, games, openings and a measure of your choice.") }}</p>
      <div class="tools"><button type="button" data-do="more" @click="$emit('more')">{{ tr("New experiment") }}</button></div></details>
  </div></div>`,
  data: () => ({ picked: null, sent: false }),
  computed: {
    question() {
      return tr("Is {own} fairer than {base}?", { own: this.own }).split("{base}");
    },
    with_() {
      return this.others.map(([name]) => name);
    },
    level() {
      return this.picked ?? Math.max(this.asked, this.next);
    },
    asking() {
      return this.asked >= this.level;
    },
  },
  watch: {
    next() {
      this.picked = null;
    },
    asked() {
      if (this.sent && this.asking) this.$nextTick(() => this.$el.querySelector(".now")?.focus());
      this.sent &&= !this.asking;
    },
  },
  methods: {
    tr,
    leave(name) {
      this.open(this.base, this.with_.filter((other) => other !== name));
    },
    start() {
      this.sent = true;
      this.$emit("start", this.level);
    },
    open(base, others) {
      location.assign(`${this.address}?${new URLSearchParams([["against", base], ...others.map((name) => ["with", name])])}`);
    },
  },
};
