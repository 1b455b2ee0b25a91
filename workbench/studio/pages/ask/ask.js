// A question about a proposal, its levels, and the answer of the strongest finished level.

import { RunAnswer } from "studio/answer.js";
import { tr } from "studio/texts.js";

export default {
  components: { RunAnswer },
  props: ["own", "base", "address", "bases", "others", "offered", "wishes", "measures", "players", "rules", "notes", "trouble", "busy", "levels", "run", "page", "answers", "change", "next", "asked", "ended"],
  emits: ["start", "stop"],
  template: `
  <div><div id="main" class="ask" tabindex="-1">
    <form v-once id="question" @keydown="key" @pointerdown="keyed = false" @change="pick" @focusout="ask" @submit.prevent="ask">
      <h1>{{ question[0] }}
        <span class="end"><select name="against" :value="base" :aria-label="tr('Compare with')"><option v-for="[name, title] in bases" :value="name">{{ title }}</option></select>
        {{ question[1] }}</span></h1>
      <div class="also"><label v-for="[name, title] in others" class="chip"><input type="checkbox" name="with" :value="name" checked> {{ title }}</label>
        <select v-if="offered.length" name="with" value="" :aria-label="tr('Another proposal')"><option value="">+ {{ tr("another proposal") }}</option><option v-for="[name, title] in offered" :value="name">{{ title }}</option></select></div>
      <details class="more"><summary>{{ tr("More: measure, games, random first moves, players") }}</summary>
        <label>{{ tr("Measure") }} <select name="measure" :value="wishes.measure"><option v-for="[name, title] in measures" :value="name">{{ title }}</option></select></label>
        <label>{{ tr("Games for each ruleset and player") }} <input type="number" name="games" min="1" max="10000000" :value="wishes.games || ''" :placeholder="tr('as the level says')"></label>
        <label>{{ tr("Random plies at the start") }} <input type="number" name="plies" min="1" max="40" :value="wishes.plies || ''" :placeholder="tr('as the level says')"></label>
        <fieldset><legend>{{ tr("Players of the quick level") }}</legend>
          <label v-for="each in players"><input type="checkbox" name="players" :value="each.label" :checked="wishes.players.includes(each.label)"> {{ each.sentence }}</label></fieldset></details>
    </form>
    <template v-if="notes.length"><p v-for="note in notes" class="why">{{ note }}</p>
      <div class="tools"><a class="button main" :href="rules" data-do="change">{{ tr("Change the rules") }}</a></div></template>
    <details v-else class="more asking" :open="!page"><summary>{{ page && !ended ? tr("Ask more thoroughly: {level}, {time}", { level: levels[level]?.title, time: levels[level]?.told }) : tr("How thoroughly?") }}</summary><form @submit.prevent="start">
      <fieldset class="levels"><legend class="unseen">{{ tr("How thoroughly?") }}</legend>
        <label v-for="(each, index) in levels" :key="index" class="level" :class="{ chosen: level === index }" :data-level="index">
          <input type="radio" name="level" :value="index" v-model="picked" :checked="level === index"> <b>{{ each.title }}</b> <span :class="{ done: each.done }">{{ each.told }}</span> <small class="quiet">{{ each.about }}</small></label></fieldset>
      <div class="tools">
        <button type="submit" class="main" data-do="start" :disabled="asking || busy !== '' || levels[level]?.done">{{ run && asked < 0 && run.can !== "play" ? tr("Continue") : tr("Ask") }}</button>
        <span class="quiet" role="status">{{ busy }}</span></div>
      <p v-if="trouble" class="why" role="alert">{{ trouble }}</p>
      <p v-if="ended" class="quiet">{{ tr("More games are not worth their time now: change the proposal and ask again.") }} <a :href="rules">{{ tr("Change the rules") }}</a></p>
    </form></details>
    <run-answer :run="run" :page="page" :within="true" :answers="answers" :change="change" @stop="$emit('stop')"></run-answer>
  </div></div>`,
  data: () => ({ picked: null, sent: false }),
  computed: {
    question() {
      const [[fairness], [, measure]] = [this.measures[0], this.measures.find(([name]) => name === this.wishes.measure)];
      const text = this.wishes.measure === fairness ? tr("Is {own} fairer than {base}?", { own: this.own }) : tr("{own} against {base}: {measure}", { measure, own: this.own });
      return text.split("{base}");
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
  mounted() {
    // The page of a changed question continues at the changed field.
    const field = document.forms.question.elements.namedItem(location.hash.slice(1));
    const first = field instanceof RadioNodeList ? field[0] : field;
    if (first?.closest("details")) first.closest("details").open = true;
    first?.focus();
  },
  methods: {
    tr,
    start() {
      this.sent = true;
      this.$emit("start", this.level);
    },
    key(event) {
      this.keyed = event.key !== "Enter";
      if (event.key === "Enter" && event.target.matches("select")) this.ask();
    },
    // An arrow key in a list only looks at the next entry: Enter or leaving the list chooses it.
    pick({ target }) {
      this.field = target.name;
      if (!this.keyed || !target.matches("select")) this.ask();
    },
    ask() {
      if (!this.field) return;
      location.assign(`${this.address}?${new URLSearchParams(new FormData(document.forms.question))}#${this.field}`);
    },
  },
};
