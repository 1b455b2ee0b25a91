// Where the reader of a report goes on: what its text says would tell more, as links.

import { tr } from "studio/texts.js";

export const WaysOn = {
  props: ["ways"],
  template: `<p v-if="ways.length" class="tools ways"><span class="quiet">{{ tr("To know more") }}</span>
    <a v-for="way in ways" :key="way.url" class="button" :href="way.url" :data-do="way.does">{{ way.text }}</a></p>`,
  methods: { tr },
};
