import { describe, expect, it } from "bun:test";
import { BUILTIN, commandId, PROJECT } from "../../tests/core/names.ts";
import { openSession, type SessionScene } from "../../tests/core/session-scene.ts";
import { waitFor } from "../../tests/support/wait-for.ts";
import type { AgentEvent } from "../ports/agents.ts";
import { CliType, EntryId, ProjectId, SessionId } from "../protocol/ids.ts";

const CREATE = { type: "session:create", projectId: PROJECT, cliType: BUILTIN } as const;
const NOBODY = SessionId.parse("builtin:nobody");

const MODEL_OPTION: AgentEvent = {
  type: "options",
  options: [
    {
      ...{ id: "model", name: "Model", type: "select", category: "model", currentValue: "small" },
      options: [
        { value: "small", name: "Small" },
        { value: "large", name: "Large" },
      ],
    },
  ],
};

function ended(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe("SessionService: creating", () => {
  it("TC-2.2a creates a session with the agent, stores it and publishes it", async () => {
    await using at = await openSession();
    const row = { id: at.sessionId, title: "New Session", cliType: BUILTIN, turn: { state: "idle" } } as const;
    expect(await at.service.list(PROJECT, false)).toMatchObject([row]);
    expect(at.published).toMatchObject([{ type: "session:created", sessionId: at.sessionId, session: row }]);
    expect((await at.store.log.load(at.sessionId))?.binding).toMatchObject({
      agentSessionId: "agent-session-1",
      cwd: "/work",
    });
  });

  it("takes over the agent's early events, and the given title", async () => {
    await using at = await openSession();
    at.agents.early = [{ type: "commands", commands: [{ name: "help", description: "" }] }];
    const created = await at.service.create({ ...CREATE, title: "Named" });
    if (created.kind !== "message" || created.message.type !== "session:created") throw new Error("not created");
    expect(await at.service.open(created.message.sessionId, undefined)).toMatchObject({
      title: "Named",
      titleSource: "user",
      config: { commands: [{ name: "help" }] },
    });
  });

  it("TC-2.2f a failure is refused with the reason and leaves no row", async () => {
    await using at = await openSession();
    at.agents.refusal = { code: "AGENT_AUTH_REQUIRED", message: "Sign in first." };
    const refusals = [
      [await at.service.create(CREATE), "AGENT_AUTH_REQUIRED"],
      [await at.service.create({ ...CREATE, projectId: ProjectId.parse("gone") }), "PROJECT_NOT_FOUND"],
      [await at.service.create({ ...CREATE, cliType: CliType.parse("unknown") }), "AGENT_UNKNOWN"],
    ] as const;
    for (const [answer, code] of refusals) expect(answer).toMatchObject({ kind: "refused", refusal: { code } });
    expect(await at.service.list(PROJECT, true)).toHaveLength(1);
  });
});

describe("SessionService: creating without waiting for the agent (A6)", () => {
  async function begin(at: SessionScene): Promise<SessionId> {
    const answer = await at.service.create({ ...CREATE, waitForAgent: false });
    if (answer.kind !== "message" || answer.message.type !== "session:created") throw new Error("not created");
    return answer.message.sessionId;
  }
  const rowOf = async (at: SessionScene, id: SessionId) =>
    (await at.service.list(PROJECT, true))?.find((row) => row.id === id);

  it("TC-2.2a the session exists at once, and messages sent meanwhile are delivered when the agent is attached", async () => {
    await using at = await openSession();
    const { promise: gate, resolve: openGate } = Promise.withResolvers<void>();
    at.agents.gate = gate;
    at.agents.early = [MODEL_OPTION];
    await at.store.choices.remember(BUILTIN, "model", "large");
    const sessionId = await begin(at);
    expect(at.published.at(-1)).toMatchObject({ type: "session:changed", start: { state: "starting" } });
    await at.service.execute({ type: "session:send", sessionId, content: "go" });
    expect(await rowOf(at, sessionId)).toMatchObject({ start: { state: "starting" }, turn: { state: "running" } });
    openGate();
    await waitFor(
      () => at.agents.last.calls,
      (calls) => calls.includes("prompt go"),
      "the prompt",
    );
    expect(at.agents.last.calls).toEqual(["configure model large", "prompt go"]);
    expect((await rowOf(at, sessionId))?.start).toBeUndefined();
    expect((await at.store.log.load(sessionId))?.binding.agentSessionId).toBe(at.agents.last.agentSessionId);
  });

  it("TC-2.2f a failed start reports the reason, and is retried on request and after a sign-in", async () => {
    await using at = await openSession();
    at.agents.refusal = { code: "AGENT_AUTH_REQUIRED", message: "Sign in first." };
    const sessionId = await begin(at);
    await ended();
    const failed = { state: "failed", error: { code: "AGENT_AUTH_REQUIRED", message: "Sign in first." } } as const;
    expect((await rowOf(at, sessionId))?.start).toEqual(failed);
    expect(at.service.startAgain(sessionId)).toBe(true);
    expect((await rowOf(at, sessionId))?.start).toEqual({ state: "starting" });
    await ended();
    expect((await rowOf(at, sessionId))?.start).toEqual(failed);
    at.agents.refusal = null;
    at.service.continueAfterSignIn(BUILTIN);
    await ended();
    expect(await rowOf(at, sessionId)).toBeDefined();
    expect((await rowOf(at, sessionId))?.start).toBeUndefined();
    expect(at.errors).toEqual([]);
  });

  it("TC-2.2f a message whose agent did not start is kept with the reason, and is sent with Retry", async () => {
    await using at = await openSession();
    at.agents.refusal = { code: "AGENT_UNAVAILABLE", message: "Could not start Puppet." };
    const sessionId = await begin(at);
    await at.service.execute({ type: "session:send", sessionId, content: "go" });
    await ended();
    const { start, turn } = (await rowOf(at, sessionId)) ?? {};
    expect({ start, code: turn?.error?.code }).toEqual({ start: undefined, code: "AGENT_UNAVAILABLE" });
    at.agents.refusal = null;
    const attached = at.agents.nextAttached();
    await at.service.execute({ type: "session:retry", sessionId });
    await attached;
    expect(at.agents.restores.at(-1)).toBeNull();
    expect(at.agents.last.calls).toEqual(["prompt go"]);
  });

  it("TC-2.2c one that is discarded before its agent is attached leaves nothing, unless something was written in it", async () => {
    await using at = await openSession();
    const { promise: gate, resolve: openGate } = Promise.withResolvers<void>();
    at.agents.gate = gate;
    const [blank, drafted, sent] = [await begin(at), await begin(at), await begin(at)];
    await at.service.saveDraft({ type: "session:draft", sessionId: drafted, content: "half a" });
    await at.service.execute({ type: "session:send", sessionId: sent, content: "go" });
    for (const id of [blank, drafted, sent, at.sessionId]) await at.service.discard(id);
    const rows = (await at.service.list(PROJECT, true))?.map(({ id }) => id) ?? [];
    expect(rows.sort()).toEqual([at.sessionId, drafted, sent].sort());
    openGate();
    await ended();
    expect(await rowOf(at, blank)).toBeUndefined();
  });
});

describe("SessionService: a command runs once", () => {
  it("X-1 the same command again gets the first outcome, at once and after a restart", async () => {
    await using at = await openSession();
    const command = { type: "session:send", content: "go", commandId: commandId("c") } as const;
    const first = await at.send(command);
    expect(await at.send(command)).toEqual(first);
    at.restart();
    expect(await at.send(command)).toEqual(first);
    expect((await at.entries()).filter(({ type }) => type === "user")).toHaveLength(1);
    expect(at.agents.last.calls).toEqual(["prompt go"]);
  });

  it("two at the same moment create one session, and both get it", async () => {
    await using at = await openSession();
    const command = { ...CREATE, commandId: commandId("c") };
    const [one, two] = await Promise.all([at.service.create(command), at.service.create(command)]);
    expect(one).toMatchObject({ kind: "message", published: true });
    expect(two).toMatchObject({ kind: "repeated", message: one?.kind === "message" ? one.message : {} });
    expect(await at.service.list(PROJECT, true)).toHaveLength(2);
  });

  it("a refusal is an outcome, too; a fault of ours is none, so that a retry can succeed", async () => {
    await using at = await openSession();
    const empty = { type: "session:send", content: "", commandId: commandId("empty") } as const;
    const refused = await at.send(empty);
    expect(refused).toMatchObject({ kind: "refused", refusal: { code: "INVALID_MESSAGE" } });
    expect(await at.send({ ...empty, content: "now with words" })).toEqual(refused);
    at.store.db.exec("PRAGMA query_only = 1");
    const failed = await at.send({ type: "session:rename", title: "T", commandId: commandId("r") });
    expect(failed).toMatchObject({ kind: "refused", refusal: { code: "STORAGE_UNWRITABLE" } });
    at.store.db.exec("PRAGMA query_only = 0");
    expect(await at.send({ type: "session:rename", title: "T", commandId: commandId("r") })).toMatchObject({
      kind: "fact",
    });
  });

  it("without an id every command runs", async () => {
    await using at = await openSession();
    await at.send({ type: "session:rename", title: "T" });
    await at.send({ type: "session:rename", title: "T" });
    expect(at.facts.filter(({ type }) => type === "session:title-updated")).toHaveLength(2);
  });
});

describe("SessionService: reading", () => {
  it("TC-2.3a opening reads the store and starts no agent; an unknown session is null", async () => {
    await using at = await openSession();
    await at.say("go");
    at.agents.last.endTurn();
    await at.service.flush();
    at.restart();
    expect(await at.entries()).toMatchObject([{ content: "go" }]);
    expect(at.agents.attached).toHaveLength(1);
    expect([await at.service.open(NOBODY, undefined), await at.service.list(ProjectId.parse("gone"), false)]).toEqual([
      null,
      null,
    ]);
  });

  it("a reader with a usable cursor resumes, any other gets everything", async () => {
    await using at = await openSession();
    await at.say("go");
    const { seq } = await at.state();
    expect(await at.service.open(at.sessionId, seq)).toMatchObject({ type: "session:resumed", seq });
    expect(await at.service.open(at.sessionId, 0)).toMatchObject({ type: "session:resumed" });
    expect(await at.service.open(at.sessionId, seq + 1)).toMatchObject({ type: "session:history", seq });
  });

  it("a history has everything received so far, including what is not stored yet", async () => {
    await using at = await openSession();
    await at.say("go");
    at.agents.last.text("a");
    at.agents.last.text("b");
    expect((await at.history()).entries.at(-1)).toMatchObject({ content: "ab" });
    expect((await at.history(1)).entries.map(({ content }) => content)).toEqual(["go", "ab"]);
  });

  it("a page ends before a settled entry; for an unknown one there is none", async () => {
    await using at = await openSession();
    for (const content of ["one", "two", "three"]) {
      await at.say(content);
      at.agents.last.endTurn();
      await at.service.flush();
    }
    const window = await at.history(1);
    expect([window.entries.map(({ content }) => content), window.hasMore]).toEqual([["three"], true]);
    const before = window.entries[0]?.entryId ?? EntryId.parse("none");
    const page = { type: "session:page", sessionId: at.sessionId, before, limit: 1 } as const;
    expect(await at.service.page(page)).toMatchObject({ before, entries: [{ content: "two" }], hasMore: true });
    expect(await at.service.page({ ...page, before: EntryId.parse("unknown") })).toBeNull();
  });

  it("a draft is part of what a reader receives", async () => {
    await using at = await openSession();
    await at.service.saveDraft({ type: "session:draft", sessionId: at.sessionId, content: "half a thought" });
    expect((await at.history()).draft).toBe("half a thought");
  });
});

describe("SessionService: after a crash of the server", () => {
  it("W-4 a running turn ends as interrupted, with the output so far", async () => {
    await using at = await openSession();
    await at.say("go");
    await at.send({ type: "session:send", content: "queued" });
    at.agents.last.text("half an ans");
    at.agents.last.say({ type: "tool", patch: { toolCallId: "1", announced: true } });
    await at.service.flush();
    at.restart();
    expect((await at.service.recover()).interrupted).toBe(1);
    expect(await at.state()).toMatchObject({
      turn: { state: "idle", stopReason: "interrupted" },
      queue: [{ content: "queued" }],
      queuePaused: true,
    });
    expect(await at.entries()).toMatchObject([
      { content: "go" },
      { content: "half an ans" },
      { type: "tool-call", status: "error" },
      { type: "notice", turnEnd: "interrupted" },
    ]);
    expect((await at.service.recover()).interrupted).toBe(0);
  });

  it("an ended turn stays unchanged, and its session continues", async () => {
    await using at = await openSession();
    await at.say("go");
    at.agents.last.endTurn();
    await at.service.flush();
    at.restart();
    expect((await at.service.recover()).interrupted).toBe(0);
    await at.say("again");
    await ended();
    expect(at.agents.last.calls).toEqual(["prompt again"]);
    expect(at.facts.map(({ seq }) => seq)).toEqual(at.facts.map((_, index) => index + 1));
  });
});

describe("SessionService: options", () => {
  it("X-7 are sent to the agent, and answered with their new state", async () => {
    await using at = await openSession();
    const answer = await at.send({ type: "session:configure", configId: "mode", value: "plan" });
    expect(answer).toMatchObject({ kind: "config", sessionId: at.sessionId, config: { options: [] } });
    expect(at.agents.last.calls).toEqual(["configure mode plan"]);
  });

  it("row changes are published to everyone: title, turn and archive, not text", async () => {
    await using at = await openSession();
    const changes = () => at.published.filter(({ type }) => type === "session:changed").length;
    await at.send({ type: "session:rename", title: "Named" });
    expect(changes()).toBe(1);
    expect(at.published.at(-1)).toMatchObject({ type: "session:changed", title: "Named" });
    await at.say("go");
    expect(changes()).toBe(2);
    at.agents.last.text("words");
    await at.service.flush();
    expect(changes()).toBe(2);
    await at.send({ type: "session:archive" });
    expect(at.published.findLast(({ type }) => type === "session:changed")).toMatchObject({ archived: true });
  });
});
