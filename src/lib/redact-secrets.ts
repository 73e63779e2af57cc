/** Stands where a secret was. */
export const REDACTED = "[redacted]";

const TELLING_NAME = /api[-_]?key|token|secret|password|authorization|cookie/i;
const TELLING_HEADER = /key|token|secret|password|authorization|cookie/i;
/** A name and its text. The name is looked at afterwards: looked for inside, it would take a hostile line for ever. */
const PAIR = /("([^"\\]*)"\s*:\s*)"(?:[^"\\]|\\.)*"/g;
const HEADER = /("name"\s*:\s*"([^"\\]*)"\s*,\s*"value"\s*:\s*)"(?:[^"\\]|\\.)*"/g;
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
  const hide = (telling: RegExp) => (whole: string, start: string, name: string) =>
    telling.test(name) ? `${start}"${REDACTED}"` : whole;
  const named = text.replace(PAIR, hide(TELLING_NAME)).replace(HEADER, hide(TELLING_HEADER));
  return KEYS.reduce((redacted, [pattern, replacement]) => redacted.replace(pattern, replacement), named);
}
