// A number field. It is redrawn only when its number changes, so that text being typed survives updates of the page.
export const NumberField = {
  props: ["label", "value", "unit", "low", "high", "step", "name", "unseen", "hint"],
  emits: ["set"],
  template: `
    <label class="line number" :title="hint"><span :class="{ unseen }">{{ label }}</span>
      <input type="number" :min="low" :max="high" :step="step ?? 'any'" :value="value ?? ''" :placeholder="hint" :data-do="name" @change="change">
      <span v-if="unit" class="quiet" aria-hidden="true">{{ unit }}</span></label>`,
  methods: {
    change(event) {
      const number = event.target.valueAsNumber;
      this.$emit("set", Number.isNaN(number) ? null : number);
    },
  },
};
