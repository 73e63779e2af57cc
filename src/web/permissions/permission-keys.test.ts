import { expect, test } from "bun:test";
import { PendingPermission } from "../../protocol/session-parts.ts";
import { type PermissionKeyPress, permissionKey } from "./permission-keys.ts";

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
const answer = (key: string, more: Partial<PermissionKeyPress> = {}) =>
  permissionKey({ key, hasModifier: false, isTyping: false, shownForMs: 1_000, ...more }, asked);

test("[W-8] A takes the first option that allows, D the first that rejects, in the agent's order", () => {
  expect([answer("a"), answer("A"), answer("d"), answer("x")]).toEqual(["always", "always", "no", null]);
});

test("a key never answers by accident: not while typing, not with a modifier, not in the first moment", () => {
  expect(answer("a", { isTyping: true })).toBeNull();
  expect(answer("a", { hasModifier: true })).toBeNull();
  expect([answer("a", { shownForMs: 299 }), answer("a", { shownForMs: 300 })]).toEqual([null, "always"]);
});

test("a request without such an option is not answered by its key", () => {
  const press = { key: "d", hasModifier: false, isTyping: false, shownForMs: 1_000 };
  expect(permissionKey(press, { ...asked, options: asked.options.slice(1) })).toBeNull();
});
