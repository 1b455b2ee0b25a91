// A search for proposals in three questions: a plain form, whose choices are kept in the address.

import { tr, trc } from "studio/texts.js";

export default {
  props: ["base", "bases", "groups", "goals", "hours", "lines", "trouble"],
  emits: ["count", "start"],
  template: `
  <div><form id="main" ref="form" class="sheet searching" tabindex="-1" @change="change" @submit.prevent="$emit('start', query())">
    <h1>{{ tr("Search for proposals") }}</h1>
    <label class="line"><b>{{ tr("Starting from") }}</b> <select name="base" data-do="base">
      <optgroup v-for="[game, rulesets] in bases" :label="game"><option v-for="[name, title] in rulesets" :value="name" :selected="name === base">{{ title }}</option></optgroup></select></label>
    <fieldset><legend>{{ tr("What should the game become?") }}</legend>
      <label v-for="[measure, title, words, chosen] in goals" :key="measure" class="line"><span class="goal">{{ title }}</span>
        <select :name="measure"><option v-for="[target, text] in words" :value="target" :selected="target === chosen">{{ text }}</option><option value="" :selected="!chosen">{{ tr("does not matter") }}</option></select></label></fieldset>
    <label class="line"><b>{{ tr("Hours on this machine") }}</b> <input type="number" name="hours" min="0.01" max="1000" step="any" required :value="hours"></label>
    <details class="more"><summary>{{ tr("Which rules may change?") }}</summary>
      <fieldset v-for="[title, toggles] in groups" :key="title" class="rules-that-vary"><legend>{{ title }}</legend>
        <label v-for="[name, rule, now, varies] in toggles" :key="name" class="option"><input type="checkbox" name="vary" :value="name" :checked="varies">
          <span class="words"><b>{{ rule }}</b> <span class="quiet">{{ now }}</span></span></label></fieldset></details>
    <div class="quiet counted" aria-live="polite"><p v-for="line in lines">{{ line }}</p></div>
    <div class="tools"><button type="submit" class="main" data-do="start">{{ trc("verb", "Search") }}</button></div>
    <p v-if="trouble" class="why" role="alert">{{ trouble }}</p>
  </form></div>`,
  mounted() {
    this.$emit("count", this.query());
  },
  methods: {
    tr,
    trc,
    query() {
      const query = new URLSearchParams(new FormData(this.$refs.form));
      // Another game has other rules.
      if (query.get("base").split("/")[0] !== this.base.split("/")[0]) query.delete("vary");
      return query.toString();
    },
    change(event) {
      const address = `/new-search?${this.query()}`;
      if (event.target.name === "base") location.assign(address);
      else history.replaceState(history.state, "", address);
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.$emit("count", this.query()), 300);
    },
  },
};
