// Puts fields into the places of a text that name them: "{n} games".
export function fill(pattern, fields) {
  return pattern.replace(/\{(\w+)\}/g, (whole, name) => (name in fields ? fields[name] : whole));
}
