// The editor of a file: its YAML with problems, undo, and the save dialog. Components that use `Editor` define the labels
// (`texts`) and have the server's data on the file in `here` and on its text in `state`.
import { tr } from "studio/texts.js";

export const UNDO_TOOLS = `<button type="button" data-do="undo" :aria-disabled="!state.undo" :tabindex="state.undo ? null : -1" @click="state.undo && $emit('undo')" aria-keyshortcuts="Control+Z" :aria-label="tr('Undo')"><span>{{ tr("Undo") }}</span></button>
        <button type="button" data-do="redo" :aria-disabled="!state.redo" :tabindex="state.redo ? null : -1" @click="state.redo && $emit('redo')" aria-keyshortcuts="Control+Shift+Z" :aria-label="tr('Redo')"><span>{{ tr("Redo") }}</span></button>
        <button type="button" data-do="revert" :aria-disabled="!state.changed" :tabindex="state.changed ? null : -1" :title="tr('Discard all changes; “Undo” restores them.')" @click="state.changed && $emit('revert')">{{ tr("Discard") }}</button>`;

export const VERDICT = `<div class="verdict" role="status" :class="{ wrong: problems.length }">
        <p v-if="!problems.length && !state.begins">✓ {{ tr("No conflicts.") }}</p>
        <template v-else-if="problems.length"><h2>{{ tr("Needs fixing") }}</h2>
          <ul class="problems"><li v-for="problem in problems">
            <a v-if="problem.line" href="#yaml" @click.prevent="toLine(problem.line)">{{ tr("line {n}", { n: problem.line }) }}</a>
            <code v-if="problem.file">{{ problem.file }}</code><b v-if="problem.about">{{ problem.about }}:</b><code v-else-if="problem.key">{{ problem.key }}</code> {{ problem.message }}
            <span v-if="problem.hint" class="hint">({{ problem.hint }})</span> <code v-if="problem.about" class="ident">{{ problem.key }}</code></li></ul></template>
      </div>`;

export const YAML_FIELD = `<div class="editor" :class="{ wrong: state.problems.length }">
          <ol class="numbers" aria-hidden="true" ref="numbers"><li v-for="n in lines" :class="{ wrong: wrongLines.has(n) }">{{ n }}</li></ol>
          <textarea id="yaml" ref="yaml" :aria-label="texts.yaml" spellcheck="false" autocapitalize="off" autocomplete="off" wrap="off" :value="text"
                    :aria-invalid="state.problems.length > 0" @input="type" @scroll="scroll" @blur="send"></textarea>
        </div>`;

export const SAVE_DIALOG = `<dialog ref="dialog" class="save" aria-labelledby="save-heading">
      <form @submit.prevent="save(false)">
        <h2 id="save-heading">{{ texts.save }}</h2>
        <label for="save-title">{{ texts.named ?? tr("Title") }}</label>
        <input id="save-title" v-model="title" autocomplete="off" maxlength="200" required @input="given = null">
        <template v-if="texts.name"><label for="save-name">{{ texts.name }}</label>
          <input id="save-name" v-model="name" autocomplete="off" spellcheck="false" maxlength="200" @input="given = null"></template>
        <p v-if="!here.folder" class="why">{{ tr("There is no folder to save in: make one with “workbench init my-rules”, and start the studio there.") }}</p>
        <ul v-if="given?.problems.length" class="problems" role="alert"><li v-for="problem in given.problems">
          <code v-if="problem.key">{{ problem.key }}</code> {{ problem.message }} <span v-if="problem.hint" class="hint">({{ problem.hint }})</span></li></ul>
        <p v-if="given?.taken" role="alert">{{ given.shipped ? texts.shipped : tr("A file with this name already exists, or it has changed since it was opened. Replace it?") }}</p>
        <div class="tools">
          <button type="button" @click="$refs.dialog.close()">{{ tr("Cancel") }}</button>
          <button v-if="given?.taken" type="button" class="main danger" data-do="replace" @click="save(true)">{{ given.shipped ? tr("Replace the shipped file") : tr("Replace the file") }}</button>
          <button v-else type="submit" class="main" data-do="save-now">{{ runs ? tr("Save and run") : tr("Save") }}</button>
        </div>
      </form>
    </dialog>`;

export const Editor = {
  props: ["here", "state", "saved", "heard", "answer", "heading"],
  emits: ["write", "undo", "redo", "revert", "save", "entitle"],
  data() {
    return {
      typed: null, // YAML not yet confirmed by the server
      sent: null, // YAML sent to the server
      waiting: null, // id of the last unconfirmed event
      unfolded: localStorage.getItem("yaml") === "unfolded", // true if the YAML is shown
      title: "",
      name: "",
      runs: false, // true to run the saved file
      given: null,
      notice: this.saved ? this.savedNotice() : "",
    };
  },
  computed: {
    text() {
      return this.typed ?? this.state.text;
    },
    lines() {
      return this.text.split("\n").length;
    },
    problems() {
      return [...this.state.wrong, ...this.state.problems, ...this.moreProblems];
    },
    // Problems that the server does not find by reading the file.
    moreProblems: () => [],
    wrongLines() {
      return new Set(this.problems.map((problem) => problem.line));
    },
    ownName() {
      return this.here.new || this.here.shipped ? this.state.proposed.name : this.here.name.split("/").pop();
    },
  },
  watch: {
    heard(count) {
      if (count !== this.waiting) return;
      this.waiting = null;
      if (this.typed === this.sent) {
        this.typed = null;
        sessionStorage.removeItem(location.pathname);
      }
      this.sent = null;
    },
    // Notices go after a while.
    notice: {
      immediate: true,
      handler(notice) {
        clearTimeout(this.noticed);
        if (notice) this.noticed = setTimeout(() => (this.notice = ""), 4000);
      },
    },
    // The dialog may open before the server answers the last choice.
    "state.proposed"(now, before) {
      if (this.title === before.title) this.title = now.title;
    },
    ownName(now, before) {
      if (this.name === before) this.name = now;
    },
    answer(response) {
      if (response.saved) {
        this.$refs.dialog.close();
        this.notice = this.savedNotice();
        return;
      }
      this.given = response;
      if (response.taken) this.$nextTick(() => this.$refs.dialog.querySelector("[data-do=replace]")?.focus());
    },
  },
  mounted() {
    addEventListener("keydown", this.key);
    if (this.saved) this.$nextTick(this.restoreScroll);
    const query = new URLSearchParams(location.search);
    if (query.has("save") || location.hash === "#save") this.$nextTick(this.openDialog);
    history.replaceState(null, "", location.pathname + location.hash); // the parameters are no longer needed
    // Restore text typed before the studio restarted and reloaded the page.
    const typed = sessionStorage.getItem(location.pathname);
    if (typed !== null) {
      this.typed = typed;
      this.send();
    }
  },
  unmounted() {
    removeEventListener("keydown", this.key);
  },
  methods: {
    tr,
    savedNotice() {
      return tr("Saved as “{title}”", { title: this.state.title });
    },
    // Sends an event that the server must confirm before the page shows its state again.
    sendEvent(event, fields) {
      this.waiting = Math.random().toString(36).slice(2);
      this.$emit(event, { ...fields, count: this.waiting });
    },
    type(event) {
      this.typed = event.target.value;
      sessionStorage.setItem(location.pathname, this.typed);
      clearTimeout(this.timer);
      this.timer = setTimeout(this.send, 120);
    },
    send() {
      clearTimeout(this.timer);
      if (this.typed === null || this.typed === this.sent) return;
      this.sent = this.typed;
      this.sendEvent("write", { text: this.typed });
    },
    scroll() {
      this.$refs.numbers.scrollTop = this.$refs.yaml.scrollTop;
    },
    unfold(open) {
      this.unfolded = open;
      localStorage.setItem("yaml", open ? "unfolded" : "folded");
    },
    async toLine(n) {
      this.unfolded = true;
      await this.$nextTick();
      const field = this.$refs.yaml;
      const lines = this.text.split("\n");
      const start = lines.slice(0, n - 1).reduce((sum, line) => sum + line.length + 1, 0);
      field.focus();
      field.setSelectionRange(start, start + (lines[n - 1] ?? "").length);
      field.scrollTop = (n - 3) * parseFloat(getComputedStyle(field).lineHeight);
    },
    // After saving under another name, the new page restores the scroll position.
    restoreScroll() {
      document.querySelector("[data-do=save]")?.focus({ preventScroll: true });
      scrollTo(0, Number(sessionStorage.getItem("place")));
    },
    openDialog(runs) {
      sessionStorage.setItem("place", scrollY);
      this.send();
      this.given = null;
      this.runs = runs === true;
      this.title = this.state.proposed.title;
      this.name = this.ownName;
      // Closing the dialog returns the focus to its button, even if an address opened it.
      if (document.activeElement === document.body) document.querySelector("[data-do=save]")?.focus({ preventScroll: true });
      this.$refs.dialog.showModal();
      this.$refs.dialog.querySelector("input").focus();
    },
    save(replace) {
      this.$emit("save", { name: this.name, title: this.title, run: this.runs, replace });
    },
    // Resets inputs that the server refused, but keeps text being typed.
    resetInputs() {
      if (this.waiting !== null) return;
      for (const box of this.$el.querySelectorAll("[data-on]")) box.checked = box.dataset.on === "true";
      for (const field of this.$el.querySelectorAll("[data-is]"))
        if (field !== document.activeElement || field.matches("select") || field.validity.badInput) field.value = field.dataset.is;
    },
    key(event) {
      if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
      const letter = event.key.toLowerCase();
      if (letter === "s") {
        event.preventDefault();
        if (!this.state.problems.length && !this.$refs.dialog.open) this.openDialog();
        return;
      }
      // Text fields have their own undo; number fields only while a number is being typed.
      const { target } = event;
      if (target.matches("textarea, input:not([type=radio], [type=checkbox]), select") && target.dataset.is !== target.value) return;
      if (letter === "z" || letter === "y") {
        event.preventDefault();
        this.$emit(letter === "y" || event.shiftKey ? "redo" : "undo");
      }
    },
  },
};
