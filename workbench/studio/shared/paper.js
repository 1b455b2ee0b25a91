// A report in a sandboxed frame. Browsers print only the visible part of a frame; therefore the page prints a copy of the
// report. The report may be hostile: the copy contains only elements and attributes that draw text and pictures, which
// cannot run scripts, link elsewhere or load anything; its style is the studio's.

const TAGS = new Set(
  "article b circle code dd defs details div dl dt ellipse em figcaption figure footer g h1 h2 h3 header i li line main ol p path polygon polyline rect section small span strong summary svg table tbody td text th thead tr tspan ul use".split(" "),
);
const NAMES = new Set(
  "class colspan cx cy d dx dy height hidden href id lang points preserveaspectratio r rowspan rx ry scope style text-anchor transform viewbox width x x1 x2 y y1 y2".split(" "),
);

function isAllowed(attribute) {
  if (!NAMES.has(attribute.name.toLowerCase())) return false;
  if (attribute.name === "href") return /^#[\w-]+$/.test(attribute.value);
  return attribute.name !== "style" || /^[-\w\s:;.%,]*$/.test(attribute.value);
}

export function copyReport(page, style, whole = false) {
  const { body } = new DOMParser().parseFromString(page, "text/html");
  for (const element of [...body.querySelectorAll("*")]) {
    if ((element.localName === "a" || element.localName === "button") && !element.matches(".skip")) element.replaceWith(...element.childNodes);
    else if (!TAGS.has(element.localName) || element.matches(".languages, .skip, [role=note]")) element.remove();
    for (const attribute of [...element.attributes]) if (!isAllowed(attribute)) element.removeAttribute(attribute.name);
    if (element.localName === "details") element.open = true;
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
    addEventListener("message", this.receive);
  },
  unmounted() {
    removeEventListener("beforeprint", this.copy);
    removeEventListener("message", this.receive);
  },
  methods: {
    // Receives the reader's choice about printing the appendix.
    receive({ source, data }) {
      if (source === this.$refs.frame.contentWindow) this.whole = data?.appendix === true;
    },
    async read() {
      this.whole = false;
      const [page, style] = await Promise.all([this.page, "/paper.css"].map(async (address) => (await fetch(address)).text()));
      this.makeCopy = () => copyReport(page, style, this.whole);
      this.$refs.paper.dataset.ready = "";
    },
    copy() {
      this.$refs.paper.hidden = !this.makeCopy || !this.$refs.frame.checkVisibility();
      if (!this.$refs.paper.hidden) this.root.replaceChildren(...this.makeCopy());
    },
  },
};
