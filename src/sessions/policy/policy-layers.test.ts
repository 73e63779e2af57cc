import { describe, expect, it } from "bun:test";
import { BINDING, BUILTIN, PROJECT, SESSION, sessionRow } from "../../../tests/core/names.ts";
import { openStore } from "../../../tests/core/open-store.ts";
import { CliType, ProjectId, SessionId } from "../../protocol/ids.ts";
import type { PermissionMode, PolicyScope } from "../../protocol/permission-policy.ts";
import { PolicyLayers, type PolicyOwner } from "./policy-layers.ts";

const CODEX = CliType.parse("codex");
const TARGETS: Readonly<Record<PolicyScope, string>> = { session: SESSION, project: PROJECT, agent: BUILTIN };

/** Modes by scope; `starting` is the user's setting for the built-in agent. */
type Modes = Partial<Record<PolicyScope | "starting", PermissionMode>>;

async function scene(modes: Modes = {}) {
  const store = await openStore();
  await store.log.create(sessionRow(), BINDING, null);
  const { starting = null, ...set } = modes;
  for (const scope of ["session", "project", "agent"] as const) {
    const mode = set[scope] ?? null;
    const rule = { id: scope, createdAt: BINDING.createdAt, effect: "deny" as const, path: `${scope}/**` };
    await store.policies.write({ scope, id: TARGETS[scope] }, { mode, rules: [rule] });
  }
  const layers = new PolicyLayers({
    store: store.policies,
    log: store.log,
    projects: store.projects,
    startingMode: (cliType) => (cliType === BUILTIN ? starting : null),
  });
  const found = async (owner: PolicyOwner) => {
    const answer = await layers.find(owner);
    if ("code" in answer) throw new Error(answer.message);
    return answer;
  };
  const inherited = async (owner: PolicyOwner) => layers.inheritedMode(await found(owner));
  return { store, layers, inherited, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

describe("X-4 the policy of a session", () => {
  it.each<[Modes, PermissionMode, string]>([
    [{ session: "ask", project: "edits", agent: "all", starting: "all" }, "ask", "session"],
    [{ project: "edits", agent: "all", starting: "ask" }, "edits", "project"],
    [{ agent: "all", starting: "edits" }, "all", "agent"],
    [{ starting: "edits" }, "edits", "agent"],
    [{}, "ask", "default"],
  ])("with the modes %j is %s, from %s", async (modes, mode, modeFrom) => {
    await using at = await scene(modes);
    expect(await at.layers.policyOf(SESSION)).toMatchObject({ mode, modeFrom });
  });

  it("has the rules of all layers, the session's own first, each with its scope", async () => {
    await using at = await scene();
    const { rules } = await at.layers.policyOf(SESSION);
    expect(rules.map(({ id, scope }) => [id, scope])).toEqual([
      ["session", "session"],
      ["project", "project"],
      ["agent", "agent"],
    ]);
  });

  it("that is not stored yet has its own layer only", async () => {
    await using at = await scene({ project: "all", agent: "all", starting: "all" });
    const unknown = SessionId.parse("builtin:unknown");
    expect(await at.layers.policyOf(unknown)).toEqual({ mode: "ask", modeFrom: "default", rules: [] });
  });

  it("comes first, then those of its ancestors, up to the top", async () => {
    await using at = await scene({ session: "edits" });
    const [child, grandchild] = [SessionId.parse("builtin:child"), SessionId.parse("builtin:grandchild")];
    for (const [id, parentId] of [
      [child, SESSION],
      [grandchild, child],
    ] as const)
      await at.store.log.create(sessionRow(id), { ...BINDING, agentSessionId: id }, null, {
        ...{ parentId, rootId: SESSION, depth: 1, budget: {} },
      });
    await at.store.policies.write({ scope: "session", id: grandchild }, { mode: "all", rules: [] });
    const modes = (await at.layers.policiesOver(grandchild)).map(({ mode }) => mode);
    expect(modes).toEqual(["all", "ask", "edits"]);
  });
});

describe("X-4 the mode that is inherited", () => {
  const session = { scope: "session", sessionId: SESSION } as const;
  const project = { scope: "project", projectId: PROJECT } as const;
  const agent = { scope: "agent", cliType: BUILTIN } as const;

  it.each<[string, PolicyOwner, Modes, PermissionMode]>([
    ["session", session, { session: "ask", project: "edits", agent: "all" }, "edits"],
    ["session", session, { session: "ask", agent: "all", starting: "edits" }, "all"],
    ["session", session, { session: "all", starting: "edits" }, "edits"],
    ["session", session, { session: "all" }, "ask"],
    ["project", project, { project: "all", agent: "edits", starting: "edits" }, "ask"],
    ["project, seen from an agent", { ...project, cliType: BUILTIN }, { project: "all", agent: "edits" }, "edits"],
    ["project, seen from an agent", { ...project, cliType: BUILTIN }, { project: "all", starting: "edits" }, "edits"],
    ["agent", agent, { agent: "all", starting: "edits" }, "edits"],
    ["agent", agent, { agent: "all" }, "ask"],
  ])("of a %s (%j) with %j is %s", async (_, owner, modes, mode) => {
    await using at = await scene(modes);
    expect(await at.inherited(owner)).toBe(mode);
  });

  it("is not that of another agent", async () => {
    await using at = await scene({ agent: "all", starting: "all" });
    expect(await at.inherited({ scope: "agent", cliType: CODEX })).toBe("ask");
  });
});

describe("X-4 the owner of a policy", () => {
  it.each<[PolicyOwner, string]>([
    [{ scope: "session", sessionId: SessionId.parse("builtin:unknown") }, "SESSION_NOT_FOUND"],
    [{ scope: "session" }, "INVALID_MESSAGE"],
    [{ scope: "project" }, "INVALID_MESSAGE"],
    [{ scope: "project", projectId: ProjectId.parse("nowhere") }, "PROJECT_NOT_FOUND"],
    [{ scope: "agent" }, "INVALID_MESSAGE"],
  ])("%j is refused with %s", async (owner, code) => {
    await using at = await scene();
    expect(await at.layers.find(owner)).toMatchObject({ code });
  });

  it("of project and agent may be named by a session, and the message's own ids go before its", async () => {
    await using at = await scene();
    const find = async (owner: PolicyOwner) => at.layers.find(owner);
    expect(await find({ scope: "project", sessionId: SESSION })).toEqual({
      target: { scope: "project", id: PROJECT },
      owner: { scope: "project", projectId: PROJECT },
      cliType: BUILTIN,
    });
    expect(await find({ scope: "agent", sessionId: SESSION })).toMatchObject({ target: { id: BUILTIN } });
    expect(await find({ scope: "agent", sessionId: SESSION, cliType: CODEX })).toMatchObject({ target: { id: CODEX } });
    const other = { scope: "project", sessionId: SESSION, projectId: ProjectId.parse("nowhere") } as const;
    expect(await find(other)).toMatchObject({ code: "PROJECT_NOT_FOUND" });
  });
});
