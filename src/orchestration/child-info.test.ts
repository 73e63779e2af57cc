import { expect, it } from "bun:test";
import { NOW, permissionId, sessionRow } from "../../tests/core/names.ts";
import { EMPTY_SESSION } from "../protocol/session-schema.ts";
import { childInfo } from "./child-info.ts";

function whyOf(command: string, requests = 1): string {
  const pending = Array.from({ length: requests }, (_, index) => ({
    permissionId: permissionId(`p${index}`),
    toolCall: { toolCallId: `t${index}`, name: "Terminal", input: { command } },
    options: [{ optionId: `allow-${index}`, name: "Allow", kind: "allow_once" as const }],
    askedAt: NOW,
  }));
  const { why } = childInfo({
    row: sessionRow(),
    state: { ...EMPTY_SESSION, turn: { state: "waiting" }, pending },
    binding: { state: "active", cwd: "/work" },
  });
  return why ?? "";
}

it("X-20 a blocked agent's request is reported completely, with the ids an answer needs", () => {
  const command = `echo ${"x".repeat(5_000)}; rm -rf build`;
  expect(whyOf(command)).toContain(command);
  expect(whyOf(command)).toEndWith("Options: allow-0 (Allow).");
});

it("X-20 a long text is cut and states how much is missing and where the rest is; every id and option stays", () => {
  const why = whyOf(`echo ${"x".repeat(50_000)}`, 10);
  expect(why.match(/\[CUT: \d+ more characters\. get_agent_output with a range/g)).toHaveLength(10);
  for (let index = 0; index < 10; index++) {
    expect(why).toContain(`Permission p${index}: Terminal`);
    expect(why).toContain(`Options: allow-${index} (Allow).`);
  }
  expect(why.length).toBeLessThan(12_000);
});

it("CV-25 an agent at a usage limit waits, with the time, and one that will not be continued has failed", () => {
  const at = new Date(2026, 10, 15, 23, 50).toISOString();
  const limit = { kind: "usage" as const, text: "used up", resetsAt: at };
  const turn = { state: "idle" as const, stopReason: "error" as const };
  const standing = (more: { dueAt: string | null; resumesAt: string | null }) => {
    const state = { ...EMPTY_SESSION, turn, pause: { limit, tries: 0, isUntouched: true, ...more } };
    const { status, outcome, why } = childInfo({
      row: sessionRow(),
      state,
      binding: { state: "active", cwd: "/work" },
    });
    return [status, outcome, why];
  };
  expect(standing({ dueAt: at, resumesAt: at })).toEqual(["waiting", "blocked", "usage limit, resumes 23:50"]);
  expect(standing({ dueAt: at, resumesAt: null })[0]).toBe("waiting");
  expect(standing({ dueAt: null, resumesAt: null })).toEqual([
    ...["failed", "failed"],
    "usage limit until 23:50; it continues when the user says so. used up",
  ]);
});
