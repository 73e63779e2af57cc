/** What moves a cursor, recolours a terminal or turns the direction of reading; line ends and tabs are text. */
const STEERING = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu;

/** For a log: what others wrote steers no terminal and looks like no line of ours. */
export function asLogText(text: string): string {
  return text.replace(STEERING, escaped).replaceAll("\n", "\n    ");
}

/** JSON that means the same and steers no terminal: JSON itself leaves the upper control characters as they are. */
export function asPlainJson(json: string): string {
  return json.replace(STEERING, escaped);
}

function escaped(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
