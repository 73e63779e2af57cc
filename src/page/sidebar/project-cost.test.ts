import { expect, test } from "bun:test";
import { SessionRow } from "../../protocol/session-schema.ts";
import { projectCostWords } from "./project-cost.ts";

const at = "2026-01-15T09:00:00.000Z";
const row = (cost?: { amount: number; currency: string }) =>
  SessionRow.parse({
    id: "builtin:1",
    projectId: "p",
    title: "t",
    lastActiveAt: at,
    createdAt: at,
    cliType: "builtin",
    archived: false,
    turn: { state: "idle" },
    ...(cost && { usage: { used: 1, size: 2, cost } }),
  });

test("X-7 a project's cost is the sum over its sessions, apart by currency", () => {
  const usd = (amount: number) => row({ amount, currency: "USD" });
  expect(projectCostWords([row(), usd(0)])).toBe("");
  expect(projectCostWords([usd(0.5)])).toBe("$0.50 in 1 session");
  expect(projectCostWords([usd(0.5), usd(1.25), row()])).toBe("$1.75 in 2 sessions");
  expect(projectCostWords([usd(1), row({ amount: 3, currency: "credits" })])).toBe(
    "$1.00 + 3.00 credits in 2 sessions",
  );
});
