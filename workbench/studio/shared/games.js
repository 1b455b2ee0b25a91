// A report's games in a dialog over the page: any game on the replay board, or a rule's effect in two games side by side. The
// address contains the game and the ply.

import { linkedGame, replay } from "report/replay.js";
import { tr } from "studio/texts.js";

export const ReportGames = {
  props: ["name"],
  template: `<dialog ref="dialog" class="looking" aria-labelledby="games-heading" @close="close">
    <div class="head"><h2 id="games-heading">{{ heading }}</h2><button type="button" data-do="close" @click="$refs.dialog.close()">{{ tr("Close") }}</button></div>
    <p class="quiet" role="status">{{ told }}</p>
    <p v-for="each in list?.changes">{{ each.now }} <span class="quiet">{{ tr("today") }}: {{ each.was }}</span></p>
    <div ref="stage" :class="{ pair: list?.proposal }"></div>
    <details v-if="list" class="which more"><summary>{{ tr("Other games") }}</summary>
      <label>{{ tr("Worth a look") }} <select data-do="example" :value="list.id" @change="show($event.target.value)">
        <option v-if="list.examples.every(({ id }) => id !== list.id)" :value="list.id">–</option>
        <option v-for="each in list.examples" :value="each.id">{{ each.text }}</option></select></label>
      <form @submit.prevent="show(own)">
        <label>{{ tr("Any game of") }} <select v-model="cell" data-do="cell"><option v-for="(each, place) in list.cells" :value="place">{{ each.short }}: {{ each.first === each.second ? each.first : each.first + " – " + each.second }}</option></select></label>
        <label>{{ tr("Number") }} <input v-model.number="number" data-do="number" type="number" min="1" :max="list.cells[cell].count" required> / {{ list.cells[cell].count }}</label>
        <button type="submit" data-do="show">{{ tr("Show") }}</button></form>
      <label v-if="list.proposals.length">{{ tr("Effect of the rule") }} <select data-do="acts" :value="list.proposal" @change="show($event.target.value && 'pair/' + $event.target.value + '/')"><option value="">–</option><option v-for="each in list.proposals" :value="each.ruleset">{{ each.short }}</option></select></label>
    </details>
  </dialog>`,
  data: () => ({ list: null, cell: 0, number: 1, told: "" }),
  computed: {
    own() {
      const { ruleset, first, second } = this.list.cells[this.cell];
      return `${ruleset}/${first}/${second}/${this.number}`;
    },
    heading() {
      const shown = this.list?.proposals.find((each) => each.ruleset === this.list.proposal) ?? this.list?.cells[this.cell];
      return shown ? tr("Game: {rules}", { rules: shown.title }) : tr("Games");
    },
  },
  methods: {
    tr,
    // The browser's Back closes the dialog, and the page stays where it was.
    open(fragment) {
      const { dialog } = this.$refs;
      if (!dialog.open) {
        history.pushState({ over: true }, "");
        addEventListener("popstate", () => dialog.close(), { once: true });
        dialog.showModal();
      }
      history.replaceState(history.state, "", fragment);
      this.show(linkedGame(fragment).id);
    },
    close() {
      this.clear();
      if (history.state?.over) history.back();
    },
    // Shows a game by its identifier, or the effect of a rule. Only the answer to the last request counts.
    async show(id) {
      const request = (this.requests = (this.requests ?? 0) + 1);
      this.told = tr("Replaying from the records; the first game of its kind takes up to a minute…");
      const response = await fetch(`/report-games/${this.name}?${new URLSearchParams({ game: id })}`);
      const answer = response.ok ? await response.json() : { text: tr("The answer has no such game.") };
      if (request !== this.requests) return;
      this.told = answer.text ?? "";
      if (answer.cells) this.list = answer;
      // The address must not contain another game.
      if (!id.startsWith(`pair/`) && linkedGame()?.id !== answer.id) history.replaceState(history.state, "", `#${new URLSearchParams({ game: answer.id })}`);
      const index = this.list?.cells.findIndex(({ ruleset, first, second }) => answer.id?.startsWith(`${ruleset}/${first}/${second}/`));
      if (index >= 0) [this.cell, this.number] = [index, Number(answer.id.slice(answer.id.lastIndexOf("/") + 1))];
      this.draw(answer);
    },
    // Draws one game, or two that show the same ply.
    draw({ games = [], ply }) {
      this.clear();
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
