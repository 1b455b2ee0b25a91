// Links to the next steps after a report.

import { tr } from "studio/texts.js";

export const NextSteps = {
  props: ["steps"],
  template: `<p v-if="steps.length" class="tools ways"><span class="quiet">{{ tr("Next:") }}</span>
    <a v-for="step in steps" :key="step.url" class="button" :href="step.url" :data-do="step.does">{{ step.text }}</a></p>`,
  methods: { tr },
};
