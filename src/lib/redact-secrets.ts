/** Stands where a secret was. */
export const REDACTED = "[redacted]";

const TELLING_NAME = /api[-_]?key|token|secret|password|authorization|cookie/i;
const TELLING_HEADER = /key|token|secret|password|authorization|cookie/i;
/** A name before its text. The name is looked at afterwards: looked for inside, it would take a hostile line for ever. */
const PAIR = /"([^"\\\r\n]*)"\s*:\s*(?=")/g;
const HEADER = /"name"\s*:\s*"([^"\\\r\n]*)"\s*,\s*"value"\s*:\s*(?=")/g;
/** Ends at its quote or with its line: one without an end must not take along the names of what follows it. */
const QUOTED = /"(?:[^"\\\r\n]|\\[^\r\n])*"?/y;
/** The one secret of many lines; without an end it goes on to the end of the text. */
const PRIVATE_KEY =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g;
/** What looks like a key wherever it stands. */
const KEYS: readonly (readonly [RegExp, string])[] = [
  [/([?&](?:access_)?token=)[^&\s"'#]+/gi, `$1${REDACTED}`],
  [/\b((?:set-)?cookie: )[^"'\n]+/gi, `$1${REDACTED}`],
  [/\b(authorization: (?:basic|digest|token) )[^\s"']+/gi, `$1${REDACTED}`],
  [/\bBearer\s+[A-Za-z0-9._~+/=-]{8,}/g, `Bearer ${REDACTED}`],
  [/\b(?:sk|pk|xox[abp]|gh[pousr])[-_][A-Za-z0-9_-]{16,}/g, REDACTED],
];

/** Text of the wire without the secrets it may carry: values of telling names, headers, then keys. */
export function redactSecrets(text: string): string {
  const withoutKeys = text.replace(PRIVATE_KEY, REDACTED);
  const named = hideNamed(hideNamed(withoutKeys, PAIR, TELLING_NAME), HEADER, TELLING_HEADER);
  return KEYS.reduce((redacted, [pattern, replacement]) => redacted.replace(pattern, replacement), named);
}

/** Looks on right after a name that tells nothing: the text it seems to have may be the next name. */
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
    // The quote that ended it may be the first of the next name, where its own is missing.
    names.lastIndex = at - 1;
  }
  return clean + text.slice(at);
}
