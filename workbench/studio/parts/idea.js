// An idea in a few words, and the toggles that come nearest to it.

export default {
  props: ["words", "game", "lead", "near", "none", "steps", "first"],
  emits: ["ask"],
  template: `
  <div><div id="main" class="idea" tabindex="-1">
    <h1>{{ words.idea }}</h1>
    <nav class="games" :aria-label="words.games">
      <a v-for="each in game" :href="each.url" :aria-current="each.here ? 'true' : null">{{ each.title }}</a>
    </nav>
    <p>{{ lead }}</p>
    <label for="idea">{{ words.idea_words }}</label>
    <input id="idea" type="search" :placeholder="words.idea_example" autocomplete="off" maxlength="300" @input="type">
    <div aria-live="polite">
      <ol class="near" v-if="near.length">
        <li v-for="toggle in near" :key="toggle.name">
          <h2>{{ toggle.title }} <code>{{ toggle.name }}</code></h2>
          <ul><li v-for="value in toggle.values"><b>{{ value.label }}</b> {{ value.sentence }}</li></ul>
          <a :href="first.url + '#toggle-' + toggle.name">{{ first.text }}</a>
        </li>
      </ol>
      <section v-if="none !== null" class="steps">
        <p>{{ none }}</p>
        <ol><li v-for="step in steps">{{ step }}</li></ol>
      </section>
    </div>
  </div></div>`,
  methods: {
    type(event) {
      const idea = event.target.value;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.$emit("ask", idea), 150);
    },
  },
};
