// Texts in the language of the page, translated by the page's `TEXTS`, with named fields: tr("line {n}", { n: 3 }).
const format = (text, fields) => text.replace(/\{(\w+)\}/g, (field, name) => (name in fields ? fields[name] : field));

export const tr = (text, fields = {}) => format(TEXTS[text] ?? text, fields);

// Translates an ambiguous English text in a context.
export const trc = (context, text, fields = {}) => format(TEXTS[`${context}|${text}`] ?? text, fields);

// Returns true if a text contains all words of a search.
export const hasWords = (query, text) => query.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word));
