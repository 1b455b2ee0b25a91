// A report's games in a dialog over the page: any game on the replay board, or a rule's effect in two games side by side. The
// address contains the game and the ply.

import { linkedGame, replay } from "report/replay.js";
import { showOver } from "studio/over.js";
import { tr } from "studio/texts.js";

export const ReportGames = {
  props: ["name"],
  template: `<dialog ref="dialog" class="looking" aria-labelledby="games-heading" @close="clear">
    <div class="head"><h2 id="games-heading">{{ heading }}</h2><button type="button" data-do="close" @click="$refs.dialog.close()">{{ tr("Close") }}</button></div>
    <p class="quiet" role="status">{{ told }}</p>
    <p v-for="each in changes">{{ each.now }} <span class="quiet">{{ tr("today") }}: {{ each.was }}</span></p>
    <div ref="stage" :class="{ pair: proposal }"></div>
    <details v-if="list" class="which more"><summary>{{ tr("Other games") }}</summary>
      <label>{{ tr("Worth a look") }} <select data-do="example" :value="id" @change="show($event.target.value)">
        <option v-if="!suggested" :value="id">–</option>
        <option v-for="each in list.examples" :value="each.id">{{ each.text }}</option></select></label>
      <form @submit.prevent="show(own)">
        <label>{{ tr("Any game of") }} <select v-model="cell" data-do="cell"><option v-for="(each, place) in list.cells" :value="place">{{ each.short }}: {{ each.first === each.second ? each.first : each.first + " – " + each.second }}</option></select></label>
        <label>{{ tr("Number") }} <input v-model.number="number" data-do="number" type="number" min="1" :max="list.cells[cell].count" required> / {{ list.cells[cell].count }}</label>
        <button type="submit" data-do="show">{{ tr("Show") }}</button></form>
      <label v-if="list.proposals.length">{{ tr("Effect of the rule") }} <select data-do="acts" :value="proposal" @change="compare($event.target.value)"><option value="">–</option><option v-for="each in list.proposals" :value="each.ruleset">{{ each.short }}</option></select></label>
    </details>
  </dialog>`,
  data: () => ({ list: null, id: "", cell: 0, number: 1, proposal: "", told: "", changes: [] }),
  computed: {
    suggested() {
      return this.list.examples.some((example) => example.id === this.id);
    },
    own() {
      const { ruleset, first, second } = this.list.cells[this.cell];
      return `${ruleset}/${first}/${second}/${this.number}`;
    },
    heading() {
      const title = this.proposal ? this.list.proposals.find((each) => each.ruleset === this.proposal).title : this.list?.cells[this.cell].title;
      return title ? tr("Game: {rules}", { rules: title }) : tr("Games");
    },
  },
  methods: {
    tr,
    async open(fragment) {
      if (!this.$refs.dialog.open) showOver(this.$refs.dialog);
      history.replaceState(history.state, "", fragment);
      if (!this.list) {
        const list = await this.ask({}, tr("Reading the records…"));
        if (!list?.cells) return;
        this.list = list;
      }
      const id = linkedGame(fragment)?.id;
      const pair = this.list.proposals.find((proposal) => id.startsWith(`pair/${proposal.ruleset}/`));
      if (pair) this.compare(pair.ruleset);
      else this.show(id || (this.list.examples[0]?.id ?? this.own));
    },
    // Only the answer to the last request counts.
    async ask(query, told) {
      const request = (this.requests = (this.requests ?? 0) + 1);
      this.told = told;
      const response = await fetch(`/report-games/${this.name}?${new URLSearchParams(query)}`);
      const answer = response.ok ? await response.json() : { text: tr("The answer has no such game.") };
      if (request !== this.requests) return null;
      this.told = answer.text ?? "";
      return answer;
    },
    async show(id) {
      [this.id, this.proposal, this.changes] = [id, "", []];
      // The address must not contain another game.
      if (linkedGame()?.id !== id) history.replaceState(history.state, "", `#${new URLSearchParams({ game: id })}`);
      const index = this.list.cells.findIndex((cell) => id.startsWith(`${cell.ruleset}/${cell.first}/${cell.second}/`));
      if (index >= 0) [this.cell, this.number] = [index, Number(id.slice(id.lastIndexOf("/") + 1))];
      this.draw(await this.ask({ game: id }, tr("Replaying the game from its seed; the first game of its kind takes up to a minute…")));
    },
    async compare(proposal) {
      this.proposal = proposal;
      if (!proposal) return this.show(this.own);
      const pair = await this.ask({ proposal }, tr("Games of both rulesets are compared, position by position…"));
      this.changes = pair?.changes ?? [];
      this.draw(pair);
    },
    // Draws one game, or two that show the same ply.
    draw(answer) {
      if (!answer) return;
      this.clear();
      const { games = [], ply } = answer;
      const about = ({ data }) => (games.length > 1 ? `<p>${data.games[0].about}</p>` : "");
      this.$refs.stage.innerHTML = games.map((game) => `<div>${about(game)}${game.markup}</div>`).join("");
      let busy = false;
      const follow = (ply) => {
        if (busy || this.viewers.length < games.length) return;
        busy = true;
        for (const viewer of this.viewers) viewer.go(ply);
        busy = false;
      };
      for (const [number, root] of [...this.$refs.stage.querySelectorAll(".replay")].entries()) this.viewers.push(replay(root, games[number].data, { onMove: follow }));
      if (ply !== undefined) this.viewers[0].go(ply);
      this.$refs.dialog.scrollTop = 0;
    },
    clear() {
      for (const viewer of this.viewers ?? []) viewer.end();
      this.viewers = [];
      this.$refs.stage.replaceChildren();
    },
  },
};
