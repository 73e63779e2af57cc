import { expect, test } from "bun:test";
import { PendingPermission } from "../../protocol/session-parts.ts";
import { permissionKey, permissionQuestion } from "./permission-words.ts";

test("the question names the action", () => {
  const ask = (more: object) => permissionQuestion({ toolCallId: "t", name: "x", ...more });
  expect(ask({ kind: "execute", input: { command: "ls" } })).toBe("Run this command?");
  expect(ask({ kind: "execute", input: { command: "ls\r\nrm x\u2028" } })).toBe("Run this command of 2 lines?");
  expect(ask({ kind: "edit" })).toBe("Make this change?");
  expect(ask({ kind: "of-tomorrow" })).toBe("Allow this?");
});

const asked = PendingPermission.parse({
  permissionId: "p",
  askedAt: "2026-01-15T09:00:00.000Z",
  toolCall: { toolCallId: "t", name: "rm -rf dist" },
  options: [
    { optionId: "no", name: "Reject", kind: "reject_once" },
    { optionId: "always", name: "Always", kind: "allow_always" },
    { optionId: "once", name: "Once", kind: "allow_once" },
  ],
});
const NONE = { ctrl: false, meta: false, shift: false, alt: false };
const answer = (key: string, { typing = false, held = {} } = {}) =>
  permissionKey({ key, modifiers: { ...NONE, ...held }, typing }, asked);

test("[W-8] A chooses the first option that allows, D the first that rejects, in the agent's order", () => {
  expect([answer("a"), answer("A"), answer("d"), answer("x")]).toEqual(["always", "always", "no", null]);
});

test("[W-8] while a message is typed, Alt+A and Alt+D answer", () => {
  const held = { alt: true };
  expect([answer("a", { typing: true, held }), answer("d", { typing: true, held })]).toEqual(["always", "no"]);
});

test("a key never answers by accident: not while typing, not with another modifier", () => {
  expect(answer("a", { typing: true })).toBeNull();
  for (const held of [{ ctrl: true }, { meta: true }, { shift: true }]) expect(answer("a", { held })).toBeNull();
});

test("a request without such an option is not answered by its key", () => {
  const press = { key: "d", modifiers: NONE, typing: false };
  expect(permissionKey(press, { options: asked.options.slice(1) })).toBeNull();
});
