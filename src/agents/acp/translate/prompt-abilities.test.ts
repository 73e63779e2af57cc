import { expect, test } from "bun:test";
import { readAbilities, steeringOutcome } from "./prompt-abilities.ts";

test("X-7 what an agent does not say, it does not offer", () => {
  const none = { image: false, audio: false, embeddedContext: false, steering: false };
  expect(readAbilities({})).toEqual(none);
  expect(
    readAbilities({ agentCapabilities: { promptCapabilities: { image: "yes" } }, _meta: { steering: {} } }),
  ).toEqual(none);
  expect(
    readAbilities({
      agentCapabilities: { promptCapabilities: { image: true, audio: true, embeddedContext: true } },
      _meta: { steering: { supported: true } },
    }),
  ).toEqual({ image: true, audio: true, embeddedContext: true, steering: true });
});

test("X-6 only a clear yes means that a message joined the turn", () => {
  expect(steeringOutcome({ outcome: "injected" })).toBe("joined");
  expect(steeringOutcome({ outcome: "startedNewTurn" })).toBe("elsewhere");
  for (const answer of [null, {}, { outcome: "promptRequired" }, { outcome: "failed" }, { outcome: 1 }])
    expect(steeringOutcome(answer)).toBe("not-taken");
});
