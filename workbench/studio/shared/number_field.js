// A number field. It is redrawn only when its number changes, so that text being typed survives updates of the page.
export const NumberField = {
  props: ["label", "value", "low", "high", "step", "name", "hint"],
  emits: ["set"],
  template: `
    <label class="line number"><span>{{ label }}</span>
      <input type="number" :min="low" :max="high" :step="step ?? 'any'" :value="value ?? ''" :data-is="value ?? ''" :placeholder="hint" :data-do="name" @change="change"></label>`,
  methods: {
    change(event) {
      const number = event.target.valueAsNumber;
      this.$emit("set", Number.isNaN(number) ? null : number);
    },
  },
};
