// An idea or a wish in words, and the changes of the rules that come close to it, each as a draft to try.

import { tr } from "studio/texts.js";

export default {
  props: ["bases", "here", "answer"],
  emits: ["ask", "open"],
  data() {
    return { idea: this.here.idea, base: this.here.base };
  },
  template: `
  <section class="idea" aria-labelledby="idea-title">
    <h2 id="idea-title">{{ tr("What would you like to change?") }}</h2>
    <div class="words"><select v-model="base" :aria-label="tr('Game')" data-do="game" @change="ask"><option v-for="(title, name) in bases" :value="name">{{ title }}</option></select>
      <input id="idea" type="text" v-model="idea" :aria-label="tr('Your idea')" :placeholder="tr('for example: shorter games')" autocomplete="off" maxlength="300" @input="type" @keydown.enter="ask"></div>
    <p v-if="idea && !answer" class="quiet">{{ tr("One moment …") }}</p>
    <div aria-live="polite" v-if="answer">
      <p v-if="answer.now" class="measured-now">{{ answer.now }}</p>
      <ol v-if="answer.near.length" class="near"><li v-for="toggle in answer.near" :key="toggle.name" :data-near="toggle.name">
        <h3>{{ toggle.title }}</h3>
        <p class="quiet">{{ toggle.now }}</p>
        <p v-if="toggle.impossible" class="impossible">{{ toggle.impossible }}</p>
        <ul><li v-for="value in toggle.values" :key="value.setting"><span>{{ value.sentence }} <span v-if="value.note" class="quiet">{{ value.note }}</span></span>
          <button type="button" :data-value="value.setting" :aria-label="tr('Try') + ': ' + value.sentence" @click="$emit('open', { base, toggle: toggle.name, setting: value.setting })">{{ tr("Try") }}</button></li></ul>
        <a v-if="!toggle.values.length" :href="'/rules/' + base + '#toggle-' + toggle.name">{{ tr("Choose it on the rules page") }}</a></li></ol>
      <p v-if="answer.nothing" class="nothing">{{ answer.nothing }} <a :href="'/rules/' + base">{{ tr("See its rules") }}</a></p>
      <p v-if="answer.wishes.length" class="wishes">{{ tr("You can wish for:") }} <button v-for="wish in answer.wishes" type="button" @click="idea = wish; ask()">{{ wish }}</button></p>
      <p v-if="answer.same.length" class="same">{{ tr("Rules with similar words:") }} <a v-for="one in answer.same" :href="one.url">{{ one.title }}</a></p>
      <p><a :href="'/new-search?base=' + encodeURIComponent(base)" data-do="search">{{ tr("Let the computer look for other proposals") }}</a></p>
    </div>
  </section>`,
  mounted() {
    if (this.idea) this.ask();
  },
  methods: {
    tr,
    type() {
      clearTimeout(this.timer);
      this.timer = setTimeout(this.ask, 250);
    },
    // Asks, and keeps the idea in the address, so that Back returns to its answer.
    ask() {
      clearTimeout(this.timer);
      history.replaceState(history.state, "", this.idea ? `/?${new URLSearchParams({ game: this.base, idea: this.idea })}` : "/");
      this.$emit("ask", { base: this.base, idea: this.idea });
    },
  },
};
