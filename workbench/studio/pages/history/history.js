// The versions of a proposal, latest first: what each changed, and what was asked and played under it.
import { tr } from "studio/texts.js";

export default {
  props: ["versions", "answers"],
  emits: ["back"],
  template: `
  <div><div id="main" class="history" tabindex="-1">
    <h1>{{ tr("History") }}</h1>
    <p class="quiet">{{ tr("A version is noted here when you save it, ask about it or finish a game with it.") }}</p>
    <ol>
      <li v-for="(version, place) in versions" :data-version="place">
        <h2>{{ version.changes || tr("The rules at the start") }}</h2>
        <p class="quiet"><b v-if="!place">{{ tr("the present rules") }}</b> {{ when(version.at) }}</p>
        <ul v-if="version.events.length">
          <li v-for="event in version.events"><a v-if="event.url" :href="event.url">{{ event.told }}</a><template v-else>{{ event.told }}</template> <span class="quiet">{{ when(event.at) }}</span></li>
        </ul>
        <p v-for="answer in answers[place]"><a :href="answer.url">{{ answer.told[0] }}</a> <span class="quiet">{{ answer.told[1] }}</span></p>
        <button v-if="place" type="button" class="button" :data-back="place" @click="$emit('back', place)">{{ tr("Go back to this version") }}</button>
      </li>
    </ol>
  </div></div>`,
  methods: {
    tr,
    when(seconds) {
      return new Date(1000 * seconds).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
    },
  },
};
