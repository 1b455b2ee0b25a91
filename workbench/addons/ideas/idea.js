// An idea in a few words and the rules with the most similar words; choosing another value opens a draft with it.

import { tr } from "studio/texts.js";

export default {
  props: ["games", "lead", "here", "answer"],
  emits: ["ask", "open"],
  data() {
    return { idea: this.here.idea };
  },
  template: `
  <div><div id="main" class="idea" tabindex="-1">
    <h1>{{ tr("An idea") }}</h1>
    <nav class="games" :aria-label="tr('Games')">
      <a v-for="each in games" :href="each.url" :aria-current="each.here ? 'true' : null">{{ each.title }}</a>
    </nav>
    <p>{{ lead }}</p>
    <label for="idea">{{ tr("Your idea") }}</label>
    <textarea id="idea" rows="2" :value="idea" :placeholder="tr('for example: a smaller board')" autocomplete="off" maxlength="300" @input="type"></textarea>
    <label class="from">{{ tr("Starting from") }}
      <select :value="here.base" data-do="from" @change="begin"><option v-for="(title, name) in here.rules" :value="name">{{ title }}</option></select></label>
    <div aria-live="polite">
      <template v-if="answer">
        <ol v-if="answer.near.length" class="near">
          <li v-for="toggle in answer.near" :key="toggle.name" :data-near="toggle.name">
            <h2>{{ toggle.title }}</h2>
            <p class="quiet">{{ toggle.now }}</p>
            <template v-if="toggle.values.length">
              <p :id="'other-' + toggle.name">{{ tr("Other settings (open as a draft):") }}</p>
              <ul :aria-labelledby="'other-' + toggle.name"><li v-for="value in toggle.values">
                <button type="button" :data-value="value.place" @click="$emit('open', { toggle: toggle.name, value: value.place })">{{ value.sentence }}</button></li></ul>
            </template>
            <a :href="choice(toggle)">{{ tr("Choose it on the rules page") }}</a>
          </li>
        </ol>
        <p v-if="answer.nothing" class="nothing">{{ answer.nothing }}</p>
        <dl v-if="answer.groups.length" class="groups"><template v-for="group in answer.groups">
          <dt>{{ group.title }}</dt><dd><a v-for="toggle in group.toggles" :href="choice(toggle)">{{ toggle.title }}</a></dd></template></dl>
        <div v-if="answer.same.length" class="same"><p>{{ tr("Rulesets that use similar words:") }}</p>
          <ul><li v-for="one in answer.same"><a :href="one.url">{{ one.title }}</a></li></ul></div>
      </template>
    </div>
  </div></div>`,
  mounted() {
    if (this.here.idea) this.$emit("ask", this.here.idea);
  },
  methods: {
    tr,
    type(event) {
      this.idea = event.target.value;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.$emit("ask", this.idea), 250);
    },
    begin(event) {
      location.assign(`/idea/${this.here.game}?${new URLSearchParams({ from: event.target.value, idea: this.idea })}`);
    },
    choice(toggle) {
      return `/rules/${this.here.base}#toggle-${toggle.name}`;
    },
  },
};
