// A copy of a report for paper. Others may have written it: of its elements and attributes only those are taken that
// draw text and pictures. Nothing in it runs, leads elsewhere or asks for anything; its style is the studio's.

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

export function copied(page, style) {
  const { body } = new DOMParser().parseFromString(page, "text/html");
  for (const each of [...body.querySelectorAll("*")]) {
    if (each.localName === "a" || each.localName === "button") each.replaceWith(...each.childNodes);
    else if (!TAGS.has(each.localName) || each.matches(".languages, [role=note]")) each.remove();
    for (const attribute of [...each.attributes]) if (!drawn(attribute)) each.removeAttribute(attribute.name);
    if (each.localName === "details") each.open = true;
  }
  const sheet = document.createElement("style");
  sheet.textContent = style;
  return [sheet, ...body.childNodes];
}
