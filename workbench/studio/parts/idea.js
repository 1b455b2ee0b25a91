// An idea in a few words, and what rules can say of it: a draft that says it, or a request for who adds rules.

export default {
  props: ["words", "games", "lead", "here", "answer"],
  emits: ["ask", "open", "save"],
  data() {
    return { idea: this.here.idea, copied: false };
  },
  template: `
  <div><div id="main" class="idea" tabindex="-1">
    <h1>{{ words.idea }}</h1>
    <nav class="games" :aria-label="words.games">
      <a v-for="each in games" :href="each.url" :aria-current="each.here ? 'true' : null">{{ each.title }}</a>
    </nav>
    <p>{{ lead }}</p>
    <label for="idea">{{ words.idea_words }}</label>
    <textarea id="idea" rows="2" :value="idea" :placeholder="words.idea_example" autocomplete="off" maxlength="300" @input="type"></textarea>
    <label class="from">{{ words.idea_from }}
      <select :value="here.base" data-do="from" @change="begin"><option v-for="(title, name) in here.rules" :value="name">{{ title }}</option></select></label>
    <div aria-live="polite">
      <template v-if="answer">
        <h2 class="head" :data-verdict="answer.verdict">{{ answer.head }}</h2>
        <blockquote v-if="answer.written">{{ answer.written }}</blockquote>
        <p v-if="answer.unsaid">{{ answer.unsaid }}</p>
        <p v-if="answer.next">{{ answer.next }} <a :href="'/rules/' + here.base">{{ words.idea_look }}</a></p>
        <template v-for="(list, also) in [answer.sets, answer.also]">
          <p v-if="also && list.length">{{ words.idea_also }}</p>
          <ul v-if="list.length" class="near" :aria-label="also ? null : words.idea_sets">
            <li v-for="one in list" :key="one.name" :data-set="one.name">
              <h3>{{ one.title }}</h3>
              <p>{{ one.sentence }}</p>
              <div v-if="one.picture" class="picture" v-html="one.picture"></div>
              <p v-if="one.was" class="quiet">{{ one.was }}</p>
            </li>
          </ul>
        </template>
        <div v-if="answer.problems.length" class="verdict wrong"><h3>{{ words.idea_clash }}</h3><p v-for="problem in answer.problems">{{ problem }}</p></div>
        <div v-if="answer.same.length" class="same"><p>{{ words.idea_same }}</p>
          <ul><li v-for="one in answer.same"><a :href="one.url">{{ one.title }}</a></li></ul></div>
        <p v-if="answer.draft" class="draft">{{ answer.draft }}</p>
        <div v-if="answer.open" class="tools"><button type="button" class="main" data-do="open" @click="$emit('open', false)">
          {{ answer.verdict === "can" ? words.idea_open : words.idea_open_part }}</button>
          <button v-if="answer.draft" type="button" data-do="add" @click="$emit('open', true)">{{ words.idea_add }}</button></div>
        <ol v-if="answer.nearest.length" class="near">
          <li v-for="toggle in answer.nearest" :key="toggle.name" :data-near="toggle.name">
            <h3>{{ toggle.title }}</h3>
            <ul><li v-for="value in toggle.values"><b v-if="value.label">{{ value.label }}</b> {{ value.sentence }}</li></ul>
            <a :href="'/rules/' + here.base + '#toggle-' + toggle.name">{{ words.idea_choose }}</a>
          </li>
        </ol>
        <details v-if="answer.request" class="request">
          <summary><h3 id="request">{{ words.idea_request }}</h3></summary>
          <textarea ref="request" readonly rows="12" aria-labelledby="request" :value="answer.request"></textarea>
          <div class="tools">
            <button type="button" data-do="copy" @click="copy">{{ words.idea_copy }}</button>
            <button type="button" data-do="save" @click="$emit('save')">{{ words.idea_save }}</button>
            <span role="status">{{ copied ? words.idea_copied : "" }}</span></div>
        </details>
      </template>
    </div>
  </div></div>`,
  mounted() {
    if (this.here.idea) this.$emit("ask", this.here.idea);
  },
  methods: {
    type(event) {
      this.idea = event.target.value;
      this.copied = false;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.$emit("ask", this.idea), 250);
    },
    begin(event) {
      location.assign(`/idea/${this.here.game}?${new URLSearchParams({ from: event.target.value, idea: this.idea })}`);
    },
    copy() {
      this.$refs.request.select();
      this.copied = document.execCommand("copy");
    },
  },
};
