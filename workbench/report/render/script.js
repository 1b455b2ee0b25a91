// The page also works without this script: in its first language, with unsorted tables, and with games at their end.
// This code follows replay.js and page.js in the same module.

const root = document.documentElement;

// Language: the style sheet shows what has the language of the page.

const titles = JSON.parse(document.getElementById("titles").textContent);
const switches = [...document.querySelectorAll("button[data-lang]")];

function setLanguage(lang) {
  root.lang = lang;
  document.title = titles[lang];
  for (const button of switches) button.setAttribute("aria-pressed", String(button.dataset.lang === lang));
  nameControls(document, lang);
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
document.querySelector(".languages").hidden = false;
setLanguage(initialLanguage());

enliven(document);

const viewer = document.getElementById("viewer");
if (viewer) replay(viewer, JSON.parse(document.getElementById("games-data").textContent));

// A link to something in a fold opens it.
function unfold() {
  const id = decodeURIComponent(location.hash.slice(1));
  reveal(id.startsWith("game=") ? viewer : id && document.getElementById(id));
}
addEventListener("hashchange", unfold);
if (location.hash) unfold();
