// A report in a sandboxed frame. Printing the page prints the report: since a browser prints only the visible part of a
// frame, the page has a copy for paper. The report may be hostile: only elements and attributes that draw text and
// pictures are copied, so that nothing in the copy runs, links elsewhere or loads anything; its style is the studio's.

const TAGS = new Set(
  "article b circle code dd defs details div dl dt ellipse em figcaption figure footer g h1 h2 h3 header i li line main ol p path polygon polyline rect section small span strong summary svg table tbody td text th thead tr tspan ul use".split(" "),
);
const NAMES = new Set(
  "class colspan cx cy d dx dy height hidden href id lang points preserveaspectratio r rowspan rx ry scope style text-anchor transform viewbox width x x1 x2 y y1 y2".split(" "),
);

function drawn(attribute) {
  if (!NAMES.has(attribute.name.toLowerCase())) return false;
  if (attribute.name === "href") return /^#[\w-]+$/.test(attribute.value);
  return attribute.name !== "style" || /^[-\w\s:;.%,]*$/.test(attribute.value);
}

export function copied(page, style, whole = false) {
  const { body } = new DOMParser().parseFromString(page, "text/html");
  for (const each of [...body.querySelectorAll("*")]) {
    if ((each.localName === "a" || each.localName === "button") && !each.matches(".skip")) each.replaceWith(...each.childNodes);
    else if (!TAGS.has(each.localName) || each.matches(".languages, .skip, [role=note]")) each.remove();
    for (const attribute of [...each.attributes]) if (!drawn(attribute)) each.removeAttribute(attribute.name);
    if (each.localName === "details") each.open = true;
  }
  body.querySelector("main")?.classList.toggle("whole", whole);
  const sheet = document.createElement("style");
  sheet.textContent = style;
  return [sheet, ...body.childNodes];
}

export const ReportFrame = {
  props: ["page", "title"],
  template: `<iframe ref="frame" :src="page" :title="title" sandbox="allow-scripts" allow="clipboard-write" referrerpolicy="no-referrer" @load="read"></iframe>
    <teleport to="body"><div ref="paper" class="paper" aria-hidden="true" hidden></div></teleport>`,
  mounted() {
    this.$refs.paper.lang = document.documentElement.lang;
    this.root = this.$refs.paper.attachShadow({ mode: "closed" });
    addEventListener("beforeprint", this.copy);
    addEventListener("message", this.hear);
  },
  unmounted() {
    removeEventListener("beforeprint", this.copy);
    removeEventListener("message", this.hear);
  },
  methods: {
    // The reader wants the appendix on paper.
    hear({ source, data }) {
      if (source === this.$refs.frame.contentWindow) this.whole = data?.appendix === true;
    },
    async read() {
      this.whole = false;
      const [page, style] = await Promise.all([this.page, "/paper.css"].map(async (address) => (await fetch(address)).text()));
      this.copied = () => copied(page, style, this.whole);
      this.$refs.paper.dataset.ready = "";
    },
    copy() {
      this.$refs.paper.hidden = !this.copied || !this.$refs.frame.checkVisibility();
      if (!this.$refs.paper.hidden) this.root.replaceChildren(...this.copied());
    },
  },
};
