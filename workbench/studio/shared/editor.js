
// A text that is edited beside what it means: the field of its YAML, steps that are taken back, the dialog that saves.
// A component that uses it has the text in `state.text`, fields with the refs `yaml`, `numbers` and `dialog`, and says
// under which name it would save (`ownName`).
import { tr } from "studio/texts.js";

export const Editor = {
  props: ["here", "state", "saved", "heard", "answer"],
  emits: ["write", "undo", "redo", "revert", "save"],
  data() {
    return {
      typed: null, // the YAML while the server has not heard of it
      sent: null, // the YAML that is on its way to the server
      waiting: null, // the number of what was asked last, while the server has not heard of it
      unfolded: localStorage.getItem("yaml") === "unfolded", // whether the YAML is shown
      name: "",
      given: null,
      notice: this.saved ? tr("Saved as {name}", { name: this.here.name }) : "",
    };
  },
  computed: {
    text() {
      return this.typed ?? this.state.text;
    },
    lines() {
      return this.text.split("\n").length;
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
    // The dialog may be open before the server has told what the last choice gives.
    ownName(now, before) {
      if (this.name === before) this.name = now;
    },
    answer(given) {
      if (given.saved) {
        this.$refs.dialog.close();
        this.notice = tr("Saved as {name}", { name: this.here.name });
        return;
      }
      this.given = given;
      if (given.taken) this.$nextTick(() => this.$refs.dialog.querySelector("[data-do=replace]")?.focus());
    },
  },
  mounted() {
    addEventListener("keydown", this.key);
    if (this.saved) this.$nextTick(this.goOn);
    const asked = new URLSearchParams(location.search);
    if (asked.has("save") || location.hash === "#save") this.$nextTick(this.ask);
    const of = asked.get("of"); // the rest of what was asked is done
    history.replaceState(null, "", location.pathname + (of ? `?of=${encodeURIComponent(of)}` : "") + location.hash);
    // What was typed while the studio was away: the page was loaded again when it came back.
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
    // Asks the server for something that it must hear of before the page shows again what the server says.
    say(event, asked) {
      this.waiting = Math.random().toString(36).slice(2);
      this.$emit(event, { ...asked, count: this.waiting });
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
      this.say("write", { text: this.typed });
    },
    scroll() {
      this.$refs.numbers.scrollTop = this.$refs.yaml.scrollTop;
    },
    unfold(open) {
      if (this.part === "yaml") return; // a small screen shows nothing else
      this.unfolded = open;
      localStorage.setItem("yaml", open ? "unfolded" : "folded");
    },
    async toLine(n) {
      this.unfolded = true;
      await this.$nextTick(); // a small screen shows the field only then
      const field = this.$refs.yaml;
      const lines = this.text.split("\n");
      const start = lines.slice(0, n - 1).reduce((sum, one) => sum + one.length + 1, 0);
      field.focus();
      field.setSelectionRange(start, start + (lines[n - 1] ?? "").length);
      field.scrollTop = (n - 3) * parseFloat(getComputedStyle(field).lineHeight);
    },
    // A page that was saved under another name is a new one: it is shown where the last one was left.
    goOn() {
      document.querySelector("[data-do=save]")?.focus({ preventScroll: true });
      scrollTo(0, Number(sessionStorage.getItem("place")));
    },
    ask() {
      sessionStorage.setItem("place", scrollY);
      this.send();
      this.given = null;
      this.name = this.ownName;
      // Who leaves the dialog is where it is opened, though the page was left for it by an address.
      if (document.activeElement === document.body) document.querySelector("[data-do=save]")?.focus({ preventScroll: true });
      this.$refs.dialog.showModal();
      this.$refs.dialog.querySelector("input").focus();
    },
    save(replace) {
      this.$emit("save", { name: this.name, replace });
    },
    key(event) {
      if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
      const letter = event.key.toLowerCase();
      if (letter === "s") {
        event.preventDefault();
        if (!this.state.problems.length && !this.$refs.dialog.open) this.ask();
        return;
      }
      // Text fields have an undo of their own.
      if (event.target.matches("textarea, input:not([type=radio]):not([type=checkbox]), select")) return;
      if (letter === "z") {
        event.preventDefault();
        this.$emit(event.shiftKey ? "redo" : "undo");
      } else if (letter === "y") {
        event.preventDefault();
        this.$emit("redo");
      }
    },
  },
};
