// A run as a page: its state, and its report.

import { RunAnswer } from "studio/answer.js";
import { tr, trc } from "studio/texts.js";

const CAN = { play: tr("Run"), continue: tr("Continue"), mend: tr("Repair and continue") };

export default {
  components: { RunAnswer },
  props: ["heading", "file", "run", "page", "compare", "about", "steps", "trouble"],
  emits: ["play", "stop"],
  template: `
  <div><div id="main" class="read" tabindex="-1">
    <div class="tools strip">
      <a href="/answers">← {{ tr("Answers") }}</a>
      <button v-if="CAN[run?.can]" type="button" data-do="play" class="main" @click="$emit('play', run.name)">{{ CAN[run.can] }}</button>
      <button v-if="compare" type="button" data-do="games" @click="$refs.answer.$refs.report.watch('#game=')">{{ trc("words", "Its games") }}</button>
      <a v-if="compare" :href="compare" data-do="compare">{{ tr("Compare rulesets") }}</a>
      <button v-if="page" type="button" data-print>{{ tr("Print") }}</button>
      <a v-for="step in steps" :key="step.url" :href="step.url">{{ step.text }}</a>
    </div>
    <section v-if="!page || trouble" class="sheet"><h1>{{ run?.title ?? heading }}</h1>
      <p class="quiet figures"><span>{{ run?.games }}</span><code>{{ file }}</code></p>
      <p v-for="text in about">{{ text }}</p>
      <p v-if="trouble" class="why" role="alert">{{ trouble }}</p></section>
    <run-answer ref="answer" :run="run" :page="page" @stop="$emit('stop', run.name)"><div id="of-run"></div></run-answer>
  </div></div>`,
  data: () => ({ CAN }),
  methods: {
    tr,
    trc,
  },
};
