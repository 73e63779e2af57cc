import { expect, it } from "bun:test";
import type { QuestionField } from "../../protocol/question.ts";
import { contentOf, draftOf } from "./answer-draft.ts";

const base = { label: "L", required: false };
const options = ["a", "b", "c"].map((value) => ({ value, label: value }));
const FIELDS: QuestionField[] = [
  { ...base, kind: "text", name: "text" },
  { ...base, kind: "text", name: "when", format: "date-time", default: "2026-03-31T09:30:00.000Z" },
  { ...base, kind: "number", name: "number", integer: true, default: 0 },
  { ...base, kind: "boolean", name: "boolean" },
  { ...base, kind: "choice", name: "choice", options, default: "b" },
  { ...base, kind: "choices", name: "choices", options, default: ["c", "a"] },
  { ...base, kind: "choices", name: "untouched", options },
];

it("W-9 an untouched form answers with the agent's defaults and nothing else", () => {
  expect(contentOf(FIELDS, draftOf(FIELDS))).toEqual({
    when: "2026-03-31T09:30:00.000Z",
    number: 0,
    boolean: false,
    choice: "b",
    choices: ["a", "c"],
  });
});

it("W-9 emptied fields are omitted; default choices that were all removed are an empty list", () => {
  const emptied = { ...draftOf(FIELDS), when: "", number: "", choice: [], choices: [] };
  expect(contentOf(FIELDS, emptied)).toEqual({ boolean: false, choices: [] });
});

it("W-9 an invalid number stays as typed, so that it is reported and not lost", () => {
  const typed = (number: string) => contentOf(FIELDS, { ...draftOf(FIELDS), number })["number"];
  expect(["12", " 1e3 ", "1,5", "many"].map(typed)).toEqual([12, 1_000, "1,5", "many"]);
});
