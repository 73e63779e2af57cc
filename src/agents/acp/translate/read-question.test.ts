import { describe, expect, it } from "bun:test";
import type { Json } from "../../../protocol/json.ts";
import { FIELD_OPTIONS_MAX, FIELDS_MAX, Question } from "../../../protocol/question.ts";
import { readQuestion } from "./read-question.ts";

function form(properties: Record<string, Json>, required: Json[] = [], more: Record<string, Json> = {}) {
  return { mode: "form", message: "?", requestedSchema: { type: "object", properties, required, ...more } };
}

function fieldOf(schema: Json) {
  return readQuestion(form({ f: schema })).fields[0];
}

const base = { name: "f", label: "f", required: false };
const AB = [
  { value: "a", label: "a" },
  { value: "b", label: "b" },
];

describe("W-9 a field is read from any form of its schema", () => {
  it.each<[string, Json, unknown]>([
    ["plain text", { type: "string" }, { ...base, kind: "text" }],
    ["no type", {}, { ...base, kind: "text" }],
    ["text or nothing", { type: ["null", "string"] }, { ...base, kind: "text" }],
    [
      "words about it",
      { title: " Name ", description: "Yours" },
      { ...base, label: "Name", description: "Yours", kind: "text" },
    ],
    ["an empty title", { type: "string", title: "  " }, { ...base, kind: "text" }],
    [
      "limits",
      { type: "string", minLength: 1, maxLength: 9, pattern: "^a", default: "ab" },
      { ...base, kind: "text", minLength: 1, maxLength: 9, pattern: "^a", default: "ab" },
    ],
    [
      "limits that are none",
      { type: "string", minLength: -1, maxLength: "9", pattern: 3, default: {} },
      { ...base, kind: "text" },
    ],
    [
      "limits nothing can keep",
      { type: "string", minLength: 5, maxLength: 3 },
      { ...base, kind: "text", minLength: 5 },
    ],
    ["a long text", { type: "string", maxLength: 500 }, { ...base, kind: "text", long: true, maxLength: 500 }],
    ["lines", { type: "string", default: "a\nb" }, { ...base, kind: "text", long: true, default: "a\nb" }],
    ["a format", { type: "string", format: "email" }, { ...base, kind: "text", format: "email" }],
    ["an unknown format", { type: "string", format: "phone" }, { ...base, kind: "text" }],
    ["a number", { type: "number", minimum: 0.5 }, { ...base, kind: "number", integer: false, minimum: 0.5 }],
    [
      "a whole number",
      { type: "integer", minimum: 1, maximum: 9, default: 3 },
      { ...base, kind: "number", integer: true, minimum: 1, maximum: 9, default: 3 },
    ],
    [
      "a range upside down",
      { type: "number", minimum: 9, maximum: 1 },
      { ...base, kind: "number", integer: false, minimum: 9 },
    ],
    ["yes or no", { type: "boolean", default: true }, { ...base, kind: "boolean", default: true }],
    ["a default of another kind", { type: "boolean", default: "yes" }, { ...base, kind: "boolean" }],
    [
      "an enum",
      { type: "string", enum: ["a", "b"], default: "b" },
      { ...base, kind: "choice", options: AB, default: "b" },
    ],
    ["a default nobody offered", { enum: ["a", "b"], default: "c" }, { ...base, kind: "choice", options: AB }],
    ["the same twice", { enum: ["a", "b", "a"] }, { ...base, kind: "choice", options: AB }],
    [
      "names apart",
      { type: "string", enum: ["a", "b"], enumNames: ["A"] },
      {
        ...base,
        kind: "choice",
        options: [
          { value: "a", label: "A" },
          { value: "b", label: "b" },
        ],
      },
    ],
    [
      "numbers to choose from",
      { type: "integer", enum: [1, 2, null, {}] },
      {
        ...base,
        kind: "choice",
        options: [
          { value: 1, label: "1" },
          { value: 2, label: "2" },
        ],
      },
    ],
    [
      "titles and words",
      { type: "string", oneOf: [{ const: "a", title: "A", description: "first" }, { title: "no value" }, 3] },
      { ...base, kind: "choice", options: [{ value: "a", label: "A", description: "first" }] },
    ],
    [
      "several",
      { type: "array", items: { enum: ["a", "b"] }, minItems: 1, maxItems: 2, default: ["b", "c"] },
      { ...base, kind: "choices", options: AB, minItems: 1, maxItems: 2, default: ["b"] },
    ],
    [
      "several with titles, as Claude asks",
      { type: "array", title: "Stack", description: "Which?", items: { anyOf: [{ const: "a", title: "A" }] } },
      { ...base, label: "Stack", description: "Which?", kind: "choices", options: [{ value: "a", label: "A" }] },
    ],
    [
      "more than there are",
      { type: "array", items: { enum: ["a", "b"] }, minItems: 3 },
      { ...base, kind: "choices", options: AB },
    ],
  ])("%s", (_, schema, field) => expect(fieldOf(schema)).toEqual(field as never));
});

describe("W-9 fields that cannot be shown", () => {
  const deep = { type: "object", properties: { a: {} } };

  it("are dropped if they are optional", () => {
    const fields = readQuestion(
      form({ deep, list: { type: "array", items: { type: "string" } }, ok: {}, nothing: null }),
    );
    expect(fields.fields.map(({ name }) => name)).toEqual(["ok"]);
  });

  it.each<[string, Record<string, Json>]>([
    ["no mode", { message: "?" }],
    ["an unknown mode", { mode: "voice", message: "?" }],
    ["no schema", { mode: "form", message: "?" }],
    ["a schema that is a list", { mode: "form", requestedSchema: [] }],
    ["an object that must be answered", form({ deep }, ["deep"])],
    ["an answer to nothing", form({}, ["ghost"])],
    ["too many fields", form(Object.fromEntries(Array.from({ length: FIELDS_MAX + 1 }, (_, at) => [`f${at}`, {}])))],
    ["too many choices", form({ f: { enum: Array.from({ length: FIELD_OPTIONS_MAX + 1 }, (_, at) => at) } })],
    ["a schema without end", form({ f: { description: "x".repeat(300_000) } })],
    ["a script", { mode: "url", message: "?", url: "javascript:alert(1)" }],
    ["a file", { mode: "url", message: "?", url: "file:///etc/passwd" }],
    ["no address", { mode: "url", message: "?" }],
  ])("%s is refused with a protocol error", (_, params) => {
    expect(() => readQuestion(params)).toThrow(expect.objectContaining({ code: -32602 }));
  });

  it("a name that would change an object's prototype is not a field", () => {
    const params = JSON.parse(
      '{"mode":"form","requestedSchema":{"properties":{"__proto__":{"type":"string"},"a":{}}}}',
    );
    expect(readQuestion(params).fields.map(({ name }) => name)).toEqual(["a"]);
  });
});

it("W-9 every question that is read can be stored and sent", () => {
  const question = readQuestion(form({ a: { type: "string", enum: ["x"] } }, ["a"], { title: "T", description: "D" }));
  expect(Question.parse(JSON.parse(JSON.stringify(question)))).toEqual(question);
  expect(question).toMatchObject({ title: "T", description: "D", fields: [{ required: true }] });
  expect(readQuestion({ mode: "url", url: "https://a.example/?b", message: 7 })).toEqual({
    mode: "url",
    message: "",
    fields: [],
    url: "https://a.example/?b",
  });
});
