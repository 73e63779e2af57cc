import { describe, expect, it } from "bun:test";
import { SessionId } from "../../src/protocol/ids.ts";
import type { PolicyRule } from "../../src/protocol/permission-policy.ts";
import { BUILTIN, NOW, PROJECT, permissionId, SESSION } from "../core/names.ts";
import { assistantEntry } from "../core/some-entries.ts";
import { type OpenStores, openScene } from "./open-scene.ts";

const RULE: PolicyRule = { id: "r1", createdAt: NOW, effect: "allow", command: "npm test" };
const OTHER: PolicyRule = { id: "r2", createdAt: NOW, effect: "deny", path: "secrets/**", expiresAt: NOW };
const OPTIONS = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

async function scene(open: OpenStores) {
  const at = await openScene(open);
  const ask = async (id: string, input: object, writer = at.writer) =>
    await writer.write([
      {
        type: "permission:request",
        permissionId: permissionId(id),
        toolCall: { toolCallId: id, name: id, input: JSON.parse(JSON.stringify(input)) },
        options: OPTIONS,
        askedAt: NOW,
      },
    ]);
  return Object.assign(at, { ask, all: { onlyAutomatic: false, limit: 99 } });
}

export function describePolicyStore(name: string, open: OpenStores): void {
  describe(`${name}: PolicyStore`, () => {
    it("X-4 keeps mode and rules by session, project and agent, in their order, over a restart", async () => {
      await using at = await scene(open);
      const session = { scope: "session", id: SESSION } as const;
      const agent = { scope: "agent", id: SESSION } as const;
      await at.stores.policies.write(session, { mode: "edits", rules: [OTHER, RULE] });
      await at.stores.policies.write(agent, { mode: null, rules: [{ ...RULE, id: "r3" }] });
      await at.reopen();
      expect(await at.stores.policies.read(session)).toEqual({ mode: "edits", rules: [OTHER, RULE] });
      expect(await at.stores.policies.read(agent)).toEqual({ mode: null, rules: [{ ...RULE, id: "r3" }] });
      await at.stores.policies.write(session, { mode: null, rules: [] });
      expect(await at.stores.policies.read(session)).toEqual({ mode: null, rules: [] });
      expect((await at.stores.policies.read(agent)).rules).toHaveLength(1);
    });

    it("changes a policy wholly or not at all", async () => {
      await using at = await scene(open);
      const target = { scope: "project", id: PROJECT } as const;
      await at.stores.policies.write(target, { mode: "edits", rules: [RULE] });
      await expect(at.stores.policies.write(target, { mode: "all", rules: [OTHER, OTHER] })).rejects.toThrow();
      expect(await at.stores.policies.read(target)).toEqual({ mode: "edits", rules: [RULE] });
    });

    it("X-4 records every request with its end, newest first, and distinguishes the policy's own answers", async () => {
      await using at = await scene(open);
      await at.ask("a", { command: "ls" });
      await at.ask("b", { command: "rm x" });
      await at.ask("c", {});
      const selected = (id: string, optionId: string) => ({
        type: "permission:resolved" as const,
        permissionId: permissionId(id),
        outcome: { outcome: "selected" as const, optionId },
      });
      await at.writer.write([
        { ...selected("a", "yes"), by: "policy", why: "a rule", at: "2026-01-02T00:00:00.000Z" },
        selected("b", "no"),
      ]);
      const found = await at.stores.policies.records({ ...at.all, projectId: PROJECT });
      expect(found.map((one) => [one.toolCall.name, one.answered, one.by, one.why, one.cwd])).toEqual([
        ["c", null, null, null, "/work"],
        ["b", "denied", "user", null, "/work"],
        ["a", "allowed", "policy", "a rule", "/work"],
      ]);
      const automatic = await at.stores.policies.records({ onlyAutomatic: true, limit: 9, cliType: BUILTIN });
      expect(automatic.map(({ permissionId: id, at: time }) => [String(id), time])).toEqual([
        ["a", "2026-01-02T00:00:00.000Z"],
      ]);
      expect(await at.stores.policies.records({ ...at.all, limit: 1 })).toHaveLength(1);
    });

    it("a record outlives the facts it was made of, and holds no file contents", async () => {
      await using at = await scene(open);
      await at.ask("a", { command: "npm test", content: "long ".repeat(10_000) });
      await at.writer.fill(4_200);
      await at.writer.writeTurn(assistantEntry("end"));
      expect(await at.log.canResume(SESSION, 1)).toBe(false);
      const [record] = await at.stores.policies.records(at.all);
      expect(record?.toolCall.input).toEqual({ command: "npm test" });
    });

    it("goes with its session, and with nothing else", async () => {
      await using at = await scene(open);
      await at.ask("a", {});
      const other = await at.addSession(SessionId.parse("builtin:session-2"));
      await at.ask("b", {}, other);
      await at.log.delete(SESSION, null);
      expect((await at.stores.policies.records(at.all)).map((one) => String(one.permissionId))).toEqual(["b"]);
    });
  });
}
