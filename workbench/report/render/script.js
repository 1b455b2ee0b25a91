// The page also works without this script: in its first language, with unsorted tables, and with games at their end.
// This code follows replay.js in the same module.

const root = document.documentElement;

// Language: the style sheet shows what has the language of the page.

const titles = JSON.parse(document.getElementById("titles").textContent);
const switches = [...document.querySelectorAll("button[data-lang]")];

function setLanguage(lang) {
  root.lang = lang;
  document.title = titles[lang];
  for (const button of switches) button.setAttribute("aria-pressed", String(button.dataset.lang === lang));
  for (const control of document.querySelectorAll("[data-en]")) {
    // Names of controls can contain only one language.
    const text = control.dataset[lang];
    if (control.matches("option")) control.textContent = text;
    else if (control.matches("optgroup")) control.label = text;
    else control.setAttribute("aria-label", text);
  }
}

// The reader's choice is stored for this report, and for reports that follow the browser, if the browser allows it.

const LANGUAGE_KEY = "rule-workbench.language";
const pageKey = `${LANGUAGE_KEY}:${location.pathname}`;

function storedLanguage(key) {
  try {
    const lang = localStorage.getItem(key);
    return lang in titles ? lang : null;
  } catch {
    return null;
  }
}

function storeLanguage(lang) {
  try {
    for (const key of [pageKey, LANGUAGE_KEY]) localStorage.setItem(key, lang);
  } catch {}
}

function initialLanguage() {
  if (storedLanguage(pageKey)) return storedLanguage(pageKey);
  if (!("follow" in root.dataset)) return root.lang;
  const preferred = (navigator.languages ?? []).map((lang) => lang.split("-")[0]).find((lang) => lang in titles);
  return storedLanguage(LANGUAGE_KEY) ?? preferred ?? root.lang;
}

for (const button of switches)
  button.addEventListener("click", () => {
    setLanguage(button.dataset.lang);
    storeLanguage(button.dataset.lang);
  });
// An embedding page has its own choice of languages.
document.querySelector(".languages").hidden = parent !== window;
setLanguage(initialLanguage());

// Wide tables fade out on the side with hidden columns because phones show no scrollbars.

const scrollBoxes = [...document.querySelectorAll(".scroll")];

function fade(box) {
  const remaining = box.scrollWidth - box.clientWidth - box.scrollLeft;
  box.classList.toggle("more", remaining > 2);
  // Only scrolling boxes are tab stops.
  box.tabIndex = box.scrollWidth > box.clientWidth + 2 || box.scrollHeight > box.clientHeight + 2 ? 0 : -1;
}
for (const box of scrollBoxes) {
  box.addEventListener("scroll", () => fade(box), { passive: true });
  new ResizeObserver(() => fade(box)).observe(box);
  new ResizeObserver(() => fade(box)).observe(box.firstElementChild);
}

const MAX_UNSORTED_ROWS = 3;

// A click on a table's heading sorts by its column, another click reverses the order. Empty cells stay last.

function value(row, column) {
  const cell = row.cells[column];
  const text = cell.dataset.v ?? cell.textContent.trim();
  return text === "" ? null : isNaN(text) ? text : Number(text);
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), root.lang, { numeric: true });
}

// Small tables need no sorting.
const large = (table) => table.tBodies[0].rows.length > MAX_UNSORTED_ROWS;

for (const table of [...document.querySelectorAll("table.sortable")].filter(large)) {
  const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  for (const head of heads) {
    if (head.hasAttribute("data-plain")) continue;
    const button = document.createElement("button");
    button.append(...[...head.childNodes].filter((node) => node.className !== "small"));
    head.prepend(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      // Initially numbers are in descending and names in ascending order.
      const column = head.cellIndex;
      const body = table.tBodies[0];
      const rows = [...body.rows];
      const numbers = column > 0 && rows.some((row) => typeof value(row, column) === "number");
      const order = head.getAttribute("aria-sort");
      const rising = order === "none" ? !numbers : order === "descending";
      for (const other of heads) if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", rising ? "ascending" : "descending");
      rows.sort((a, b) => {
        const [x, y] = [value(a, column), value(b, column)];
        if (x === null || y === null) return (x === null) - (y === null);
        return rising ? compare(x, y) : compare(y, x);
      });
      body.append(...rows);
    });
  }
}

const viewer = document.getElementById("viewer");
if (viewer) replay(viewer, JSON.parse(document.getElementById("games-data").textContent));

// An embedding page prints its own copy of this page, which needs the choice about the appendix.
const appendix = document.querySelector(".appendix input");
appendix?.addEventListener("change", () => parent !== window && parent.postMessage({ appendix: appendix.checked }, "*"));

// A link to something in a fold opens it.
function unfold() {
  const id = decodeURIComponent(location.hash.slice(1));
  const target = id.startsWith("game=") ? viewer : id && document.getElementById(id);
  for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  target?.scrollIntoView();
}
addEventListener("hashchange", unfold);
if (location.hash) unfold();

addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
