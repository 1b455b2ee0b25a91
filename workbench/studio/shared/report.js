// A report in the page. A report may be hostile: the page shows a copy with only those elements and attributes that draw
// text and pictures, which cannot run scripts, link elsewhere or load anything, in a shadow tree with a style sheet of the
// studio. The scripts that make it useful are the studio's, too.

import { enliven, nameControls, reveal } from "report/page.js";
import { ReportGames } from "studio/games.js";
import { tr } from "studio/texts.js";

const TAGS = new Set(
  "a article b circle code dd defs details div dl dt ellipse em figcaption figure footer g h1 h2 h3 header i input label li line nav ol p path polygon polyline rect section small span strong summary svg table tbody td text th thead title tr tspan ul use".split(" "),
);
const NAMES = new Set(
  "aria-hidden aria-label aria-labelledby class colspan cx cy d data-en data-ja data-plain data-v dx dy height hidden href id lang points preserveaspectratio r role rowspan rx ry scope style tabindex text-anchor transform type viewbox width x x1 x2 y y1 y2".split(" "),
);
const UNUSED = ".languages, .skip, .command, .next, input:not([type=checkbox])";
const STYLE = /^(--a|height|max-width|width):[\d.]+(px|rem|%)?$/;

function isAllowed({ localName }, { name, value }) {
  if (!NAMES.has(name.toLowerCase())) return false;
  if (name === "href") return localName === "a" ? value.startsWith("#") : /^#[\w-]+$/.test(value);
  return name !== "style" || STYLE.test(value);
}

// Returns the nodes of a copy. Its games are shown by the studio, which replays them from the records.
export function copyReport(page, within = false) {
  // The page has a main part of its own.
  const { body } = new DOMParser().parseFromString(page.replaceAll(/(<\/?)main\b/g, "$1div"), "text/html");
  for (const games of body.querySelectorAll(".replay")) {
    const link = document.createElement("a");
    link.href = "#game=";
    link.textContent = tr("Watch the games");
    games.replaceWith(link);
  }
  if (within) body.querySelectorAll("header, #run").forEach((element) => element.remove());
  for (const element of body.querySelectorAll("*")) {
    if (!TAGS.has(element.localName) || element.matches(UNUSED)) element.remove();
    for (const attribute of [...element.attributes]) if (!isAllowed(element, attribute)) element.removeAttribute(attribute.name);
  }
  return [...body.childNodes];
}

// `page` is the address of the stored report. A report `within` another page leaves to it the heading, the address, and how the
// games were played.
export const ReportView = {
  components: { ReportGames },
  props: ["page", "within"],
  template: `<div class="report-view" :class="{ within }"><div ref="place" @click="follow"></div><report-games ref="games" :name="name"></report-games></div>`,
  computed: {
    name() {
      return this.page.split("/").slice(2, -1).join("/");
    },
  },
  watch: { page: "read" },
  mounted() {
    this.$refs.place.lang = document.documentElement.lang;
    this.root = this.$refs.place.attachShadow({ mode: "open" });
    addEventListener("hashchange", this.arrive);
    this.read();
  },
  unmounted() {
    removeEventListener("hashchange", this.arrive);
    this.shown?.abort();
  },
  methods: {
    async read() {
      if (!this.shown) this.root.textContent = tr("Reading the answer…");
      const [page, style] = await Promise.all([this.page, "/report-style.css"].map(async (address) => (await fetch(address)).text()));
      this.shown?.abort();
      this.shown = new AbortController();
      const sheet = document.createElement("style");
      sheet.textContent = style;
      this.root.replaceChildren(sheet, ...copyReport(page, this.within));
      nameControls(this.root, document.documentElement.lang);
      enliven(this.root, this.shown.signal);
      this.arrive();
    },
    arrive() {
      if (location.search === "?games") this.watch(location.hash || "#game=");
      else if (location.hash.startsWith("#game=")) this.watch(location.hash);
      else if (!this.within) this.reveal(location.hash);
    },
    watch(fragment) {
      this.$refs.games.open(fragment);
    },
    reveal(fragment) {
      if (fragment) reveal(this.root.getElementById(decodeURIComponent(fragment.slice(1))));
    },
    follow(event) {
      const fragment = event.composedPath()[0].closest?.("a")?.getAttribute("href");
      if (!fragment) return;
      event.preventDefault();
      if (fragment.startsWith("#game=")) this.watch(fragment);
      else if (this.within || fragment === location.hash) this.reveal(fragment);
      else location.hash = fragment;
    },
  },
};
