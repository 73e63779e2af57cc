/** Replaces a secret. */
export const REDACTED = "[redacted]";

const SECRET_NAME = /api[-_]?key|token|secret|password|authorization|cookie/i;
const SECRET_HEADER = /key|token|secret|password|authorization|cookie/i;
/**
 * A name before its value. The name is checked afterwards: matching it inside the pattern would be slow on hostile
 * lines.
 */
const PAIR = /"([^"\\\r\n]*)"\s*:\s*(?=")/g;
const HEADER = /"name"\s*:\s*"([^"\\\r\n]*)"\s*,\s*"value"\s*:\s*(?=")/g;
/** Ends at its quote or with its line: an unclosed one must not include the names after it. */
const QUOTED = /"(?:[^"\\\r\n]|\\[^\r\n])*"?/y;
/** The only secret of many lines; without an end it extends to the end of the text. */
const PRIVATE_KEY =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g;
/** Text that looks like a key anywhere. */
const KEYS: readonly (readonly [RegExp, string])[] = [
  [/([?&](?:access_)?token=)[^&\s"'#]+/gi, `$1${REDACTED}`],
  [/\b((?:set-)?cookie: )[^"'\n]+/gi, `$1${REDACTED}`],
  [/\b(authorization: (?:basic|digest|token) )[^\s"']+/gi, `$1${REDACTED}`],
  [/\bBearer\s+[A-Za-z0-9._~+/=-]{8,}/g, `Bearer ${REDACTED}`],
  [/\b(?:sk|pk|xox[abp]|gh[pousr])[-_][A-Za-z0-9_-]{16,}/g, REDACTED],
];

/** Wire text without its secrets: values of secret names, headers, then keys. */
export function redactSecrets(text: string): string {
  const withoutKeys = text.replace(PRIVATE_KEY, REDACTED);
  const named = hideNamed(hideNamed(withoutKeys, PAIR, SECRET_NAME), HEADER, SECRET_HEADER);
  return KEYS.reduce((redacted, [pattern, replacement]) => redacted.replace(pattern, replacement), named);
}

/** Continues right after a harmless name: its apparent value may be the next name. */
function hideNamed(text: string, names: RegExp, telling: RegExp): string {
  let clean = "";
  let at = 0;
  names.lastIndex = 0;
  for (let found = names.exec(text); found !== null; found = names.exec(text)) {
    if (!telling.test(found[1] ?? "")) continue;
    const start = names.lastIndex;
    QUOTED.lastIndex = start;
    QUOTED.test(text);
    clean += `${text.slice(at, start)}"${REDACTED}"`;
    at = QUOTED.lastIndex;
    // The closing quote may be the opening one of the next name, if its own is missing.
    names.lastIndex = at - 1;
  }
  return clean + text.slice(at);
}

/** Shorter values are words of any text, not secrets. */
const SECRET_CHARS_MIN = 8;
const PLACE = /^(?:\/|https?:\/\/|[A-Za-z]:\\)/;

/**
 * Removes secrets from the output of a program: the values that were set for it alone (`own`), except addresses and
 * paths, and those of its whole environment whose names mark them as secrets. Then everything that looks like a
 * secret.
 */
export function redactGiven(
  text: string,
  own: Readonly<Record<string, string | undefined>>,
  environment: Readonly<Record<string, string | undefined>> = {},
): string {
  const named = ([name, value]: readonly [string, string | undefined]) => (SECRET_HEADER.test(name) ? [value] : []);
  const values = [
    ...Object.values(own).filter((value) => !PLACE.test(value ?? "")),
    ...Object.entries({ ...environment, ...own }).flatMap(named),
  ].flatMap((value) => (value !== undefined && value.length >= SECRET_CHARS_MIN ? [value] : []));
  // The longest first: one may be the beginning of another.
  const longest = [...new Set(values)].sort((one, other) => other.length - one.length);
  return redactSecrets(longest.reduce((rest, value) => rest.replaceAll(value, REDACTED), text));
}
