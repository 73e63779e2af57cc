import { expect, it } from "bun:test";
import { redactGiven, redactSecrets } from "./redact-secrets.ts";

it.each([
  ['{"apiKey":"abc","path":"/x"}', '{"apiKey":"[redacted]","path":"/x"}'],
  ['{"ANTHROPIC_API_KEY": "a\\"b"}', '{"ANTHROPIC_API_KEY": "[redacted]"}'],
  ['{"name":"Authorization","value":"Basic dTpw"}', '{"name":"Authorization","value":"[redacted]"}'],
  ["curl -H 'Authorization: Bearer abcdefghijk'", "curl -H 'Authorization: Bearer [redacted]'"],
  [`key sk-${"a1B2".repeat(6)} in text`, "key [redacted] in text"],
  ["ghp_0123456789abcdefghijABCDEFGHIJ", "[redacted]"],
])("X-17 removes the secret from %s", (text, expected) => {
  expect(redactSecrets(text)).toBe(expected);
});

it("leaves ordinary text unchanged", () => {
  const text = '{"usage":{"used":12},"content":"the key idea: ask-first"}';
  expect(redactSecrets(text)).toBe(text);
});

const KEY_LINES = ["-----BEGIN RSA PRIVATE KEY-----", "hidden-1+/=", "hidden-2", "-----END RSA PRIVATE KEY-----"];

it.each([
  [
    "a line without its last quote",
    '"token":"hidden-1\n"password":"hidden-2"',
    '"token":"[redacted]"\n"password":"[redacted]"',
  ],
  [
    "a line of another system",
    '"token":"hidden-1\r\n"password":"hidden-2"',
    '"token":"[redacted]"\r\n"password":"[redacted]"',
  ],
  ["two such lines", '"token":"hidden-1\n"secret":"hidden-2\nend', '"token":"[redacted]"\n"secret":"[redacted]"\nend'],
  ["a text that was cut off", '{"a":1,"api_key":"hidden-1…', '{"a":1,"api_key":"[redacted]"'],
  ["a text that was cut off at a backslash", '{"api_key":"hidden-1\\', '{"api_key":"[redacted]"\\'],
  [
    "a quote that is missing on the same line",
    '"token":"hidden-1, "password":"hidden-2"',
    '"token":"[redacted]"password":"[redacted]"',
  ],
  ["an ordinary line without its last quote", '"path":"/x\n"token":"hidden-1"', '"path":"/x\n"token":"[redacted]"'],
  ["an odd quote before it", 'say "hi\n{"token":"hidden-1"}', 'say "hi\n{"token":"[redacted]"}'],
  ["a name where a text should be", '"a":"token":"hidden-1"', '"a":"token":"[redacted]"'],
  ["quotes inside", '"token":"\\"hidden-1\\"","b":"c"', '"token":"[redacted]","b":"c"'],
  ["an escape before a separator", '"token":"a\\\u2028hidden-1"', '"token":"[redacted]"'],
  [
    "a header without its last quote",
    '{"name":"X-Key","value":"hidden-1\n{"name":"X-Key","value":"hidden-2"}',
    '{"name":"X-Key","value":"[redacted]"\n{"name":"X-Key","value":"[redacted]"}',
  ],
  ["a key of many lines", `cat\n${KEY_LINES.join("\n")}\nend`, "cat\n[redacted]\nend"],
  ["a key of many lines in quotes", `{"token":"${KEY_LINES.join("\n")}","b":"c"}`, '{"token":"[redacted]","b":"c"}'],
  ["a key in a text", `{"a":"${KEY_LINES.join("\\n")}","b":"c"}`, '{"a":"[redacted]","b":"c"}'],
  ["two keys", `${KEY_LINES.join("\n")}\nand\n${KEY_LINES.join("\n")}`, "[redacted]\nand\n[redacted]"],
  ["a key without an end", `cat\n${KEY_LINES.slice(0, 3).join("\n")}`, "cat\n[redacted]"],
])("X-17 X-14 no secret shows in %s", (_, text, expected) => {
  expect(redactSecrets(text)).toBe(expected);
});

it("X-37 what a program prints has no value that was set for it, and none of its environment that is called a secret", () => {
  const own = {
    MY_SETTING: "plain-but-mine",
    OTHER: "short",
    BASE: "https://model.example/v1",
    URL_TOKEN: "/hidden-1",
  };
  const environment = { SOME_API_KEY: "hidden-22-and-more", HARMLESS: "a-harmless-value" };
  const text =
    "plain-but-mine short https://model.example/v1 /hidden-1 hidden-22-and-more a-harmless-value sk-0123456789abcdef0";
  expect(redactGiven(text, own, environment)).toBe(
    "[redacted] short https://model.example/v1 [redacted] [redacted] a-harmless-value [redacted]",
  );
});
