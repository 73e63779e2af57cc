import { expect, it } from "bun:test";
import { NOW, permissionId } from "../../tests/core/names.ts";
import { sessionRow } from "../../tests/core/open-store.ts";
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

it("X-20 a blocked agent's request is told whole, with the ids an answer needs", () => {
  const command = `echo ${"x".repeat(5_000)}; rm -rf build`;
  expect(whyOf(command)).toContain(command);
  expect(whyOf(command)).toEndWith("Options: allow-0 (Allow).");
});

it("X-20 what is too long says that it was cut, by how much and where the rest is; every id and option stays", () => {
  const why = whyOf(`echo ${"x".repeat(50_000)}`, 10);
  expect(why.match(/\[CUT: \d+ more characters\. get_agent_output with a range/g)).toHaveLength(10);
  for (let index = 0; index < 10; index++) {
    expect(why).toContain(`Permission p${index}: Terminal`);
    expect(why).toContain(`Options: allow-${index} (Allow).`);
  }
  expect(why.length).toBeLessThan(12_000);
});
