const NAMED: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
// biome-ignore lint/suspicious/noControlCharactersInRegex: no document may hold them
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/** Safe as text and inside a quoted attribute; what no document may hold is left out. */
export function escapeHtml(text: string): string {
  return text.replace(CONTROLS, "").replace(/[&<>"']/g, (sign) => NAMED[sign] ?? "");
}
