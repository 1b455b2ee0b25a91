// Texts in the language of the page, translated by the page's `TEXTS`, with named fields: tr("line {n}", { n: 3 }).
const put = (text, fields) => text.replace(/\{(\w+)\}/g, (whole, name) => (name in fields ? fields[name] : whole));

export const tr = (text, fields = {}) => put(TEXTS[text] ?? text, fields);

// The same for ambiguous English texts.
export const trc = (context, text, fields = {}) => put(TEXTS[`${context}|${text}`] ?? text, fields);

// Returns true if a text contains all words of a search.
export const hasWords = (sought, text) => sought.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word));
