import { describe, expect, it } from "bun:test";
import { SESSION } from "../../tests/core/names.ts";
import { EMPTY_CONFIG } from "../protocol/session-parts.ts";
import { type Answer, readAnswer, writeAnswer } from "./answer.ts";

/** The answer to the same command when it is repeated. */
function again(answer: Answer): Answer {
  return readAnswer(writeAnswer(answer));
}

describe("stored answers", () => {
  it("a plain ok and a refusal are repeated unchanged", () => {
    const refusal = { code: "LIMIT_EXCEEDED", message: "Too much." } as const;
    const answers: Answer[] = [
      { kind: "ok" },
      { kind: "ok", seq: 7 },
      { kind: "refused", refusal },
      { kind: "refused", refusal: { ...refusal, details: "101" } },
    ];
    expect(answers.map(again)).toEqual(answers);
  });

  it("any other answer is repeated as its message, to the sender alone", () => {
    const fact = { type: "session:archived", sessionId: SESSION, seq: 3 } as const;
    expect(again({ kind: "fact", fact })).toEqual({ kind: "repeated", message: fact });
    const removed = { type: "ok" } as const;
    for (const answer of [
      { kind: "message", message: removed, published: true },
      { kind: "started", message: removed, failed: Promise.resolve(null) },
    ] as const)
      expect(again(answer)).toEqual({ kind: "repeated", message: removed });
    expect(again({ kind: "config", sessionId: SESSION, seq: 4, config: EMPTY_CONFIG })).toMatchObject({
      kind: "repeated",
      message: { type: "session:config", sessionId: SESSION, seq: 4, config: EMPTY_CONFIG },
    });
  });

  it("a repetition of a repetition is still the first answer", () => {
    const first = again({ kind: "fact", fact: { type: "session:archived", sessionId: SESSION, seq: 3 } });
    expect(again(first)).toEqual(first);
  });
});
