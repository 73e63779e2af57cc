import type { PermissionSubject } from "./permission-subject.ts";

/** An unclosed quote extends to the end: otherwise it would be tried again from every quote inside it. */
const QUOTED = /'[^']*'|"[^"\\]*(?:\\.[^"\\]*)*("|\\?$)/gs;

/** What in the command or the paths of a request could deceive its reader, as text. */
export function oddityOf({ command, paths, root, cwd, name, kind }: PermissionSubject): string | null {
  const stated = kind === "execute" ? name : "";
  const line = command === null ? stated : typeof command === "string" ? command : command.join(" ");
  // The session's own directory has the name the user gave it.
  const [shown = "", ...places] = [line, cwd, ...paths].map((text) => text.replaceAll(root, ""));
  // Inside quotes a mark is only text; outside, what looks like a separator should be one.
  const found = [
    ...[shown, ...places].map(suspiciousText),
    ...[shown.replace(QUOTED, (quoted, end) => (end === '"' || quoted.startsWith("'") ? "" : quoted)), ...places].map(
      suspiciousMark,
    ),
  ];
  return found.find((words) => words !== null) ?? null;
}

/** Emoji join their parts with invisible characters, which is harmless there. */
const EMOJI_JOINS =
  /(\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?)(\u200d\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?)*/gu;
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Co}\p{Cn}\p{Cs}]/u;
const TURNED = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
const ODD_SPACE = /[^\S \t\n]|[\u2800\u3164\uffa0]/u;
/** Marks that look like ones with a meaning in a shell or a path. */
const ODD_MARK =
  /[\u00b4\u02b9-\u02bc\u02cb\u037e\u05c3\u2010-\u201f\u2024-\u2026\u2032-\u2037\u2039\u203a\u2044\u204f\u2212\u2215\u2216\u2217\u2223\u223c\u29f5\u29f8\u29f9\ufe68\uff02\uff04\uff06\uff07\uff0a\uff0d-\uff0f\uff1b-\uff1f\uff3c\uff40\uff5c\uff5e]/u;
const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
/** Letters of other scripts that look like Latin ones. */
const LATIN_TWINS = new Set(
  "аАВсСеЕЅѕіІїЇјЈКМНоОрРТхХуУѵѴһҺԁԛԝӏӀԍԌӔӕӘҮүοΟαΑΒΕΖΗΙΚΜΝΡΤΥΧνρυχιγκօՕոսցհᎪᏴᏟᎠᎬᏀᎻᎫᏦᏞᎷᏢᏒᏚᎢᏙᎳᎩᏃ",
);
const SCRIPTS: readonly (readonly [string, RegExp])[] = [
  ["Latin", /\p{Script=Latin}/u],
  ["Cyrillic", /\p{Script=Cyrillic}/u],
  ["Greek", /\p{Script=Greek}/u],
  ["Armenian", /\p{Script=Armenian}/u],
  ["Cherokee", /\p{Script=Cherokee}/u],
  ["Hebrew", /\p{Script=Hebrew}/u],
  ["Coptic", /\p{Script=Coptic}/u],
  ["Lisu", /\p{Script=Lisu}/u],
];

/** What in a command or a path could deceive the reader, as text; null if it reads as what it is. */
export function suspiciousText(text: string): string | null {
  if (isPlainAscii(text)) return null;
  const bare = text.replace(EMOJI_JOINS, "");
  if (TURNED.test(bare)) return `It has characters that change the text direction (${codesIn(bare, TURNED)}).`;
  if (CONTROL.test(bare)) return `It has control characters (${codesIn(bare, CONTROL)}).`;
  if (INVISIBLE.test(bare)) return `It has invisible characters (${codesIn(bare, INVISIBLE)}).`;
  if (ODD_SPACE.test(bare)) return `It has unusual space characters (${codesIn(bare, ODD_SPACE)}).`;
  for (const [word] of bare.matchAll(WORD)) {
    const found = suspiciousWord(word);
    if (found) return found;
  }
  return null;
}

/** Also where a mark has a meaning: outside of quotes, and in paths. */
function suspiciousMark(text: string): string | null {
  return ODD_MARK.test(text)
    ? `It has punctuation that looks like other characters (${codesIn(text, ODD_MARK)}).`
    : null;
}

function suspiciousWord(word: string): string | null {
  if (isPlainAscii(word)) return null;
  const scripts = SCRIPTS.filter(([, script]) => script.test(word)).map(([name]) => name);
  if (scripts.length > 1) return `"${word}" mixes ${scripts.join(" and ")} letters that look alike.`;
  const foreign = [...word].filter((char) => char > "\u007f");
  if (foreign.every((char) => LATIN_TWINS.has(char)))
    return `"${word}" is written with letters that look like Latin ones.`;
  if (foreign.some((char) => /^[\u0021-\u007e]+$/.test(char.normalize("NFKC"))))
    return `"${word}" has letters that look like plain ones.`;
  return null;
}

function isPlainAscii(text: string): boolean {
  return /^[\t\n\u0020-\u007e]*$/.test(text);
}

function codesIn(text: string, pattern: RegExp): string {
  const all = new RegExp(pattern.source, `${pattern.flags.replace("g", "")}g`);
  const codes = new Set([...text.matchAll(all)].map(([char]) => codeOf(char)));
  return [...codes].slice(0, 3).join(", ");
}

function codeOf(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
