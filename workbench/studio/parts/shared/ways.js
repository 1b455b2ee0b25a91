// Where the reader of a report goes on: what its text says would tell more, as links.

export const WaysOn = {
  props: ["words", "ways"],
  template: `<p v-if="ways.length" class="tools ways"><span class="quiet">{{ words.ways_on }}</span>
    <a v-for="way in ways" :key="way.url" class="button" :href="way.url" :data-do="way.does">{{ way.text }}</a></p>`,
};
