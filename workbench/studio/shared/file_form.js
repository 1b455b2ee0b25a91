import { Editor } from "studio/editor.js";
import { tr } from "studio/texts.js";

// A form whose file stands beside it: the file with what is wrong, the dialog that saves and may play it, and how far what
// it asks for is. A component that uses it says what these are called (`texts`: yaml, save, name, shipped), what is wrong
// (`problems`) and whether the form is shown (`editing`); `run` is what is known of its games.
export const EDIT_TOOLS = `<template v-if="editing"><button type="button" data-do="undo" :disabled="!state.undo" @click="$emit('undo')" aria-keyshortcuts="Control+Z">{{ tr("Undo") }}</button>
        <button type="button" data-do="redo" :disabled="!state.redo" @click="$emit('redo')" aria-keyshortcuts="Control+Shift+Z">{{ tr("Redo") }}</button>
        <button type="button" data-do="revert" :disabled="!state.changed" :title="tr('Back to how it began; Undo brings it back.')" @click="$emit('revert')">{{ tr("Discard") }}</button>
        <button type="button" data-do="save" :disabled="unready" @click="ask" aria-keyshortcuts="Control+S">{{ tr("Save…") }}</button></template>`;

export const FILE_PANE = `<aside v-show="editing" class="file">
      <div class="verdict" role="status" :class="{ wrong: problems.length }">
        <p v-if="!problems.length && !state.begins">✓ {{ tr("Everything fits together.") }}</p>
        <template v-else-if="problems.length"><h2>{{ tr("To be mended") }}</h2>
          <ul class="problems"><li v-for="problem in problems">
            <a v-if="problem.line" href="#yaml" @click.prevent="toLine(problem.line)">{{ tr("line {n}", { n: problem.line }) }}</a>
            <code v-if="problem.file">{{ problem.file }}</code><code v-if="problem.key">{{ problem.key }}</code> {{ problem.message }}
            <span v-if="problem.hint" class="hint">({{ problem.hint }})</span></li></ul></template>
      </div>
      <details class="yaml" :open="unfolded" @toggle="unfold($event.target.open)">
        <summary><h2>{{ texts.yaml }}</h2></summary>
        <div class="editor" :class="{ wrong: state.problems.length }">
          <ol class="numbers" aria-hidden="true" ref="numbers"><li v-for="n in lines" :class="{ wrong: wrongLines.has(n) }">{{ n }}</li></ol>
          <textarea id="yaml" ref="yaml" :aria-label="texts.yaml" spellcheck="false" autocapitalize="off" autocomplete="off" wrap="off" :value="text"
                    :aria-invalid="state.problems.length > 0" @input="type" @scroll="scroll" @blur="send"></textarea>
        </div>
      </details>
    </aside>`;

export const SAVE_DIALOG = `<dialog ref="dialog" class="save" aria-labelledby="save-heading">
      <form @submit.prevent="save(false)">
        <h2 id="save-heading">{{ texts.save }}</h2>
        <label for="save-title">{{ tr("Title") }}</label>
        <input id="save-title" v-model="title" autocomplete="off" maxlength="200" required>
        <label for="save-name">{{ texts.name }}</label>
        <input id="save-name" v-model="name" autocomplete="off" spellcheck="false" maxlength="80" required @input="given = null">
        <p v-if="here.folder" class="quiet">{{ tr("Written to {folder}/", { folder: here.folder }) }}</p><p v-else class="why">{{ tr("There is no folder to save in: make one with “workbench init my-rules”, and start the studio there.") }}</p>
        <ul v-if="given && given.problems.length" class="problems" role="alert"><li v-for="problem in given.problems">
          <code v-if="problem.key">{{ problem.key }}</code> {{ problem.message }} <span v-if="problem.hint" class="hint">({{ problem.hint }})</span></li></ul>
        <p v-if="given && given.taken" role="alert">{{ given.shipped ? texts.shipped : tr("There is a file of this name already, or it has changed since it was opened. Replace it?") }}</p>
        <div class="tools">
          <button type="button" @click="$refs.dialog.close()">{{ tr("Cancel") }}</button>
          <button v-if="given && given.taken" type="button" class="main danger" data-do="replace" @click="save(true)">{{ given.shipped ? tr("Replace the shipped file") : tr("Replace the file") }}</button>
          <button v-else type="submit" class="main" data-do="save-now">{{ runs ? tr("Save and run") : tr("Save") }}</button>
        </div>
      </form>
    </dialog>`;

export const PROGRESS = `<div v-if="run.state === 'running' || (run.percent > 0 && run.percent < 100)" class="meter" role="progressbar" :aria-valuenow="run.percent" aria-valuemin="0" aria-valuemax="100" :aria-label="tr('Its games')"><i :style="{ width: run.percent + '%' }"></i></div>
        <p class="quiet figures"><b v-if="run.phase">{{ run.phase }}</b><span v-if="run.games">{{ run.games }}</span><span v-if="run.pace">{{ run.pace }}</span><span v-if="run.left">{{ run.left }}</span></p>`;

export const FileForm = {
  mixins: [Editor],
  props: ["heading", "choices", "run"],
  emits: ["entitle", "play", "stop"],
  data() {
    return {
      opened: null, // whether somebody wants to see the form, or not to see it
      title: "",
      runs: false, // whether what is saved is to be run
    };
  },
  computed: {
    ownName() {
      return this.here.new || this.here.shipped ? this.state.proposed.name : this.here.name;
    },
    editing() {
      return this.opened ?? (!this.begun || this.state.changed || this.problems.length > 0);
    },
    unready() {
      return this.state.begins || this.state.problems.length > 0;
    },
    wrongLines() {
      return new Set(this.problems.map((problem) => problem.line));
    },
    can() {
      return { play: tr("Run"), continue: tr("Continue"), mend: tr("Mend and continue") }[this.run?.can];
    },
  },
  watch: {
    run(run, before) {
      // Who was at the button that stops a run goes on beside it when it is gone; nobody else is taken there.
      const at = document.activeElement;
      this.atStop = at?.matches("[data-do=stop]") || (this.atStop && at === document.body);
      if (before?.can === "stop" && run?.can !== "stop" && this.atStop) this.$nextTick(() => {
        if (document.activeElement === document.body) this.$el.querySelector("[data-do=change]")?.focus({ preventScroll: true });
      });
    },
    state(now, before) {
      if (this.title === before.proposed.title) this.title = now.proposed.title;
    },
  },
  methods: {
    ask(runs) {
      this.runs = runs === true;
      this.title = this.state.proposed.title;
      Editor.methods.ask.call(this);
    },
    // What the server refused must not look chosen.
    settleBoxes() {
      for (const box of this.$el.querySelectorAll("[data-on]")) box.checked = box.dataset.on === "true";
    },
    save(replace) {
      this.$emit("save", { name: this.name, title: this.title, run: this.runs, replace });
    },
  },
};
