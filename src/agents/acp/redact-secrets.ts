const REDACTED = "[redacted]";

/** In this order: values of telling names, headers as name and value pairs, then what looks like a key wherever it stands. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [
    /("[^"\\]*(?:api[-_]?key|token|secret|password|authorization|cookie)[^"\\]*"\s*:\s*)"(?:[^"\\]|\\.)*"/gi,
    `$1"${REDACTED}"`,
  ],
  [
    /("name"\s*:\s*"[^"\\]*(?:key|token|secret|password|authorization|cookie)[^"\\]*"\s*,\s*"value"\s*:\s*)"(?:[^"\\]|\\.)*"/gi,
    `$1"${REDACTED}"`,
  ],
  [/\bBearer\s+[A-Za-z0-9._~+/=-]{8,}/g, `Bearer ${REDACTED}`],
  [/\b(?:sk|pk|xox[abp]|gh[pousr])[-_][A-Za-z0-9_-]{16,}/g, REDACTED],
];

/** Text of the wire without the secrets it may carry. */
export function redactSecrets(text: string): string {
  return PATTERNS.reduce((redacted, [pattern, replacement]) => redacted.replace(pattern, replacement), text);
}
