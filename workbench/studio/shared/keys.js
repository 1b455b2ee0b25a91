import { showOver } from "studio/over.js";
import { tr } from "studio/texts.js";

// Lists a page's keys, as [key, what it does], in a dialog that a button or the key "?" opens.
export const Keys = {
  props: ["keys"],
  template: `
    <span class="keys"><button type="button" data-do="keys" :aria-label="tr('Keys')" :title="tr('Keys')" @click="open">?</button>
    <dialog ref="list" class="save" :aria-label="tr('Keys')">
      <h2>{{ tr("Keys") }}</h2>
      <dl><template v-for="[key, text] in keys"><dt><kbd>{{ key }}</kbd></dt><dd>{{ text }}</dd></template></dl>
      <div class="tools"><button type="button" autofocus @click="$refs.list.close()">{{ tr("Close") }}</button></div>
    </dialog></span>`,
  mounted() {
    addEventListener("keydown", this.ask);
  },
  unmounted() {
    removeEventListener("keydown", this.ask);
  },
  methods: {
    tr,
    ask(event) {
      if (event.key === "?" && !event.target.closest("input, textarea, select, dialog")) this.open();
    },
    open() {
      showOver(this.$refs.list);
    },
  },
};
