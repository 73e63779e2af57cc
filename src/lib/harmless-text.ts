/** What moves a cursor, recolours a terminal or turns the direction of reading; line ends and tabs are text. */
const STEERING = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu;
/** And what cannot be seen, or ends a line for some readers. */
const UNSEEN_IN_JSON = /[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** For a log: what others wrote steers no terminal and looks like no line of ours. */
export function asLogText(text: string): string {
  return text.replace(STEERING, escaped).replaceAll("\n", "\n    ");
}

/** JSON that means the same, steers no terminal and hides nothing: JSON itself leaves such characters as they are. */
export function asPlainJson(json: string): string {
  return json.replace(UNSEEN_IN_JSON, escaped);
}

function escaped(sign: string): string {
  const units = Array.from({ length: sign.length }, (_, at) => sign.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
