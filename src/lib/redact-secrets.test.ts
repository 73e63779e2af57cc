import { expect, it } from "bun:test";
import { redactSecrets } from "./redact-secrets.ts";

it.each([
  ['{"apiKey":"abc","path":"/x"}', '{"apiKey":"[redacted]","path":"/x"}'],
  ['{"ANTHROPIC_API_KEY": "a\\"b"}', '{"ANTHROPIC_API_KEY": "[redacted]"}'],
  ['{"name":"Authorization","value":"Basic dTpw"}', '{"name":"Authorization","value":"[redacted]"}'],
  ["curl -H 'Authorization: Bearer abcdefghijk'", "curl -H 'Authorization: Bearer [redacted]'"],
  [`key sk-${"a1B2".repeat(6)} in text`, "key [redacted] in text"],
  ["ghp_0123456789abcdefghijABCDEFGHIJ", "[redacted]"],
])("X-17 takes the secret out of %s", (text, expected) => {
  expect(redactSecrets(text)).toBe(expected);
});

it("leaves ordinary words alone", () => {
  const text = '{"usage":{"used":12},"content":"the key idea: ask-first"}';
  expect(redactSecrets(text)).toBe(text);
});
