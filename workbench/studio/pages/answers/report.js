// A run as a page: its state, and its report.

import { RunAnswer } from "studio/answer.js";
import { tr, trc } from "studio/texts.js";

const CAN = { play: tr("Run"), continue: tr("Continue"), mend: tr("Repair and continue") };

export default {
  components: { RunAnswer },
  props: ["heading", "file", "run", "page", "compare", "guide", "steps", "trouble"],
  emits: ["play", "stop"],
  template: `
  <div><div id="main" class="read" tabindex="-1">
    <div class="tools strip">
      <a href="/answers">← {{ tr("Answers") }}</a>
      <button v-if="CAN[run?.can]" type="button" data-do="play" class="main" @click="$emit('play')">{{ CAN[run.can] }}</button>
      <button v-if="compare" type="button" data-do="games" @click="$refs.answer.$refs.report.watch('#game=')">{{ trc("words", "Its games") }}</button>
      <a v-if="compare" :href="compare" data-do="compare">{{ tr("Compare rulesets") }}</a>
      <a v-if="guide && page" :href="guide" target="_blank" rel="noopener">{{ tr("How to read it") }}</a>
      <button v-if="page" type="button" data-print>{{ tr("Print") }}</button>
      <a v-for="step in steps" :key="step.url" :href="step.url">{{ step.text }}</a>
    </div>
    <section v-if="!page || trouble || run?.wrong.length" class="sheet"><h1>{{ heading }}</h1>
      <p class="quiet figures"><span>{{ run?.games }}</span><code>{{ file }}</code></p>
      <p v-if="trouble" class="why" role="alert">{{ trouble }}</p>
      <ul v-if="run?.wrong.length" class="problems"><li v-for="line in run.wrong">{{ line }}</li></ul></section>
    <run-answer ref="answer" :run="run" :page="page" @stop="$emit('stop')"></run-answer>
  </div></div>`,
  data: () => ({ CAN }),
  methods: {
    tr,
    trc,
  },
};
