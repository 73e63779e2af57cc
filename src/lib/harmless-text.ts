/** Characters that move a cursor, recolour a terminal or change the reading direction; line ends and tabs are text. */
const STEERING = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu;
/** And those that are invisible, or end a line for some readers. */
const UNSEEN_IN_JSON = /[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** For a log: foreign text cannot control a terminal or imitate a log line. */
export function asLogText(text: string): string {
  return text.replace(STEERING, escaped).replaceAll("\n", "\n    ");
}

/** Equivalent JSON that cannot control a terminal and hides nothing: JSON itself leaves such characters unescaped. */
export function asPlainJson(json: string): string {
  return json.replace(UNSEEN_IN_JSON, escaped);
}

function escaped(sign: string): string {
  const units = Array.from({ length: sign.length }, (_, at) => sign.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
