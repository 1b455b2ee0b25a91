// The games of a report with the choice of a game and the replay board. The address contains the game and the ply.

import { tr } from "studio/texts.js";

export default {
  props: ["heading", "back", "script", "list", "shown", "told", "acts"],
  emits: ["ask", "acts"],
  template: `
  <div><div id="main" class="looks" tabindex="-1">
    <p><a :href="back">← {{ tr("To the report") }}</a></p>
    <h1>{{ heading }}</h1>
    <p v-if="!list && !told" class="quiet" role="status">{{ tr("Reading the records…") }}</p>
    <form v-if="list" class="which" @submit.prevent="ask(own)">
      <label>{{ tr("Worth a look") }}
        <select data-do="example" :value="example" @change="ask($event.target.value)">
          <option v-if="!suggested" :value="example">–</option>
          <option v-for="each in list.examples" :key="each.id" :value="each.id">{{ each.text }}</option>
        </select></label>
      <div class="any">
        <label>{{ tr("Any game of") }}
          <select v-model="cell" data-do="cell"><option v-for="(each, place) in list.cells" :value="place">{{ each.short }}: {{ each.first === each.second ? each.first : each.first + " – " + each.second }}</option></select></label>
        <label>{{ tr("Number") }} <input v-model.number="number" data-do="number" type="number" min="1" :max="list.cells[cell].count" required> / {{ list.cells[cell].count }}</label>
        <button type="submit" data-do="show">{{ tr("Show") }}</button>
      </div>
    </form>
    <p class="quiet" role="status">{{ waiting && !told ? tr("Replaying the game from its seed…") : told }}</p>
    <div ref="place"></div>
    <section v-if="list && list.proposals.length" class="acts">
      <h2>{{ tr("Effect of the rule") }}</h2>
      <p class="quiet">{{ tr("One game up to the position where the rule matters most, then continued without and with the rule, side by side.") }}</p>
      <div class="which"><label>{{ tr("Proposal") }}
        <select data-do="acts" :value="proposal" @change="compare($event.target.value)"><option value="">–</option><option v-for="each in list.proposals" :value="each.ruleset">{{ each.short }}</option></select></label></div>
      <p role="status">{{ comparing ? tr("Games of both rulesets are compared, position by position…") : acts && proposal ? acts.text : "" }}</p>
      <template v-if="acts && proposal && !comparing"><p v-for="each in acts.changes">{{ each.now }} <span class="quiet">{{ tr("today") }}: {{ each.was }}</span></p></template>
      <div ref="pair" class="pair" v-show="proposal && !comparing"></div>
    </section>
  </div></div>`,
  data: () => ({ cell: 0, number: 1, example: "", waiting: false, proposal: "", comparing: false }),
  computed: {
    suggested() {
      return this.list.examples.some((example) => example.id === this.example);
    },
    own() {
      const { ruleset, first, second } = this.list.cells[this.cell];
      return `${ruleset}/${first}/${second}/${this.number}`;
    },
  },
  watch: {
    // Every update sets all properties, even if they are unchanged.
    list(now, before) {
      if (!before) this.follow();
    },
    told(now, before) {
      if (now !== before) this.waiting = false;
    },
    // Both games show the same ply.
    async acts(now, before) {
      if (!now || now.count === before?.count) return;
      this.comparing = false;
      const { replay } = await import(this.script);
      this.part();
      this.$refs.pair.innerHTML = now.games.map((game) => `<div><p>${game.data.games[0].about}</p>${game.markup}</div>`).join("");
      let busy = false;
      const synchronize = (number) => (ply) => {
        if (busy || this.pair.length < 2) return;
        busy = true;
        this.pair[1 - number].go(ply);
        busy = false;
      };
      for (const [number, root] of [...this.$refs.pair.querySelectorAll(".replay")].entries())
        this.pair.push(replay(root, now.games[number].data, { onMove: synchronize(number) }));
      this.pair[0]?.go(now.ply);
    },
    async shown(now, before) {
      if (!now || now.count === before?.count) return;
      this.waiting = false;
      const { replay } = await import(this.script);
      this.viewer?.end();
      this.$refs.place.innerHTML = now.markup;
      this.viewer = replay(this.$refs.place.querySelector(".replay"), now.data, { onMissing: (id) => this.ask(id) });
    },
  },
  beforeUnmount() {
    this.part();
    this.viewer?.end();
  },
  methods: {
    tr,
    compare(proposal) {
      this.proposal = proposal;
      this.comparing = proposal !== "";
      if (proposal) this.$emit("acts", proposal);
    },
    part() {
      for (const viewer of this.pair ?? []) viewer.end();
      this.pair = [];
    },
    async follow() {
      const { linkedGame } = await import(this.script);
      const id = linkedGame()?.id ?? "";
      const pair = this.list.proposals.find((proposal) => id.startsWith(`pair/${proposal.ruleset}/`));
      if (pair) return this.compare(pair.ruleset);
      this.ask(id || (this.list.examples[0]?.id ?? this.own));
    },
    async ask(id) {
      this.example = id;
      // The address must not contain another game.
      const { linkedGame } = await import(this.script);
      if (linkedGame() && linkedGame().id !== id) history.replaceState(null, "", location.pathname);
      const index = this.list.cells.findIndex((cell) => id.startsWith(`${cell.ruleset}/${cell.first}/${cell.second}/`));
      if (index >= 0) [this.cell, this.number] = [index, Number(id.slice(id.lastIndexOf("/") + 1))];
      this.waiting = true;
      this.$emit("ask", id);
    },
  },
};
