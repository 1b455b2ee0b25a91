// A list of what was asked, which is searched by words: when each was touched, and what may be done with it.
import { tr } from "studio/texts.js";

export const Listed = {
  props: ["language", "rows", "looked", "trouble"],
  data: () => ({ sought: "" }),
  computed: {
    can() {
      return { play: tr("Run"), continue: tr("Continue"), mend: tr("Mend and continue") };
    },
    found() {
      const asked = this.sought.toLowerCase().split(/\s+/).filter(Boolean);
      return this.rows.filter((each) => asked.every((word) => `${each.name} ${each.title} ${each.told}`.toLowerCase().includes(word)));
    },
  },
  methods: {
    tr,
    iso(row) {
      return new Date(row.touched * 1000).toISOString();
    },
    date(row) {
      return new Date(row.touched * 1000).toLocaleString(this.language, { dateStyle: "medium", timeStyle: "short" });
    },
  },
};
