// Texts in the language of the page: the English one stands where it is used, its translation in `TEXTS` of the page.
// Fields take the places of a text that name them: tr("line {n}", { n: 3 }).
const put = (text, fields) => text.replace(/\{(\w+)\}/g, (whole, name) => (name in fields ? fields[name] : whole));

export const tr = (text, fields = {}) => put(TEXTS[text] ?? text, fields);

// The same where one English text means two things.
export const trc = (context, text, fields = {}) => put(TEXTS[`${context}|${text}`] ?? text, fields);

// Whether a text has all the words that somebody looks for.
export const hasWords = (sought, text) => sought.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word));
