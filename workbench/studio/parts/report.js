// A report within the page, or two beside each other. Each is in a sandbox: its scripts reach nothing of the studio.

export default {
  props: ["words", "reports", "first", "second", "guide"],
  template: `
  <div class="viewer"><div id="main" class="viewer" tabindex="-1">
    <div class="tools strip">
      <a href="/reports">← {{ words.reports }}</a>
      <template v-for="place in shown.length">
        <select :value="shown[place - 1]" :data-place="place - 1" :aria-label="place === 1 ? words.report_first : words.report_second" @change="choose(place - 1, $event.target.value)">
          <option v-for="report in reports" :value="report.name">{{ report.title }} ({{ report.name }})</option>
        </select>
      </template>
      <button v-if="shown.length === 1 && reports.length > 1" type="button" data-do="beside" @click="choose(1, other)">{{ words.beside_another }}</button>
      <button v-if="shown.length === 2" type="button" data-do="alone" @click="shown = shown.slice(0, 1); remember()">{{ words.alone }}</button>
      <a v-if="guide" :href="guide" target="_blank" rel="noopener">{{ words.how_to_read }}</a>
      <a v-for="name in shown.filter((each) => of(each).games)" :href="of(name).games" data-do="games">{{ words.its_games }}{{ shown.length === 2 ? " (" + name + ")" : "" }}</a>
      <a :href="of(shown[0]).page" target="_blank" rel="noopener">{{ words.own_tab }}</a>
    </div>
    <div class="parts" role="tablist" v-if="shown.length === 2">
      <button v-for="(name, place) in shown" type="button" role="tab" :aria-selected="front === place" @click="front = place">{{ of(name).title }}</button>
    </div>
    <div class="frames" :class="{ two: shown.length === 2 }">
      <iframe v-for="(name, place) in shown" :key="place + name" :src="of(name).page" :title="of(name).title" :class="{ behind: front !== place }"
              sandbox="allow-scripts" allow="clipboard-write" referrerpolicy="no-referrer"></iframe>
    </div>
  </div></div>`,
  data() {
    return { shown: [this.first, this.second].filter(Boolean), front: 0 };
  },
  computed: {
    other() {
      return this.reports.find((each) => each.name !== this.shown[0]).name;
    },
  },
  methods: {
    of(name) {
      return this.reports.find((each) => each.name === name);
    },
    choose(place, name) {
      this.shown = place < this.shown.length ? this.shown.map((each, n) => (n === place ? name : each)) : [...this.shown, name];
      this.remember();
    },
    // The address leads here again, also after a change of the language.
    remember() {
      this.front = 0;
      const [one, other] = this.shown;
      const path = this.of(one).url + (other ? `?beside=${encodeURIComponent(other)}` : "");
      history.replaceState(null, "", path);
      for (const link of document.querySelectorAll(".choose a")) {
        const address = new URL(link.href);
        address.searchParams.set("back", path);
        link.href = address.pathname + address.search;
      }
    },
  },
};
