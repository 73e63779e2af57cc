import { afterEach, describe, expect, it, jest } from "bun:test";
import { commandId, permissionId } from "../../tests/core/names.ts";
import { openSession, type SessionScene } from "../../tests/core/session-scene.ts";
import { waitFor } from "../../tests/support/wait-for.ts";
import type { AgentEvent } from "../ports/agents.ts";
import { SHOWN_CHARS_MAX } from "../protocol/shown-text.ts";

const USAGE: AgentEvent = { type: "usage", usage: { used: 1, size: 2 } };

function patch(toolCallId: string, rest: object, announced = false): AgentEvent {
  return { type: "tool", patch: { toolCallId, announced, ...rest } };
}

const words = (entries: readonly { type: string; content: string }[]) => entries.map(({ content }) => content);

describe("Session: bursts", () => {
  it("stores events that arrived together as one commit, in order, and numbers facts without a gap", async () => {
    await using at = await openSession();
    await at.say("go");
    const before = at.facts.length;
    at.agents.last.text("a");
    at.agents.last.say(patch("1", { status: "complete" }, true), USAGE);
    at.agents.last.text("b");
    at.agents.last.endTurn();
    await at.service.flush();
    expect(at.facts.slice(before).map(({ type }) => type)).toEqual([
      "session:update",
      "session:complete",
      "session:update",
      "session:config",
      "session:update",
      // The tokens of the turn, before its end.
      "session:config",
      "session:complete",
      "session:turn",
    ]);
    expect(at.facts.map(({ seq }) => seq)).toEqual(at.facts.map((_, index) => index + 1));
  });

  it("late text in the same burst as the turn's end belongs to that turn, not to one before", async () => {
    await using at = await openSession();
    for (const round of ["1", "2"]) {
      await at.say(`go ${round}`);
      at.agents.last.text(`answer ${round}`);
      at.agents.last.endTurn();
      at.agents.last.text(", late");
      await at.service.flush();
    }
    expect(words(await at.entries())).toEqual(["go 1", "answer 1, late", "go 2", "answer 2, late"]);
  });

  it("a tool call finished in the same burst as the turn's end is that call, not a second one", async () => {
    await using at = await openSession();
    await at.say("go");
    at.agents.last.say(patch("1", { name: "Slow" }, true));
    at.agents.last.text("text", "m");
    at.agents.last.endTurn();
    at.agents.last.say(patch("1", { status: "complete", result: "late" }));
    at.agents.last.text(" and more", "m");
    await at.service.flush();
    const entries = await at.entries();
    expect(entries).toHaveLength(3);
    expect(entries[1]).toMatchObject({ name: "Slow", status: "complete", result: "late" });
    expect(entries[2]).toMatchObject({ content: "text and more" });
  });

  it("several late updates of one entry in one burst add up", async () => {
    await using at = await openSession();
    await at.say("go");
    at.agents.last.say(patch("1", { name: "Slow" }, true));
    at.agents.last.text("text");
    at.agents.last.endTurn();
    await at.service.flush();
    at.agents.last.text(" one");
    at.agents.last.say(USAGE, patch("1", { result: "output" }));
    at.agents.last.text(" two");
    at.agents.last.say(patch("1", { status: "complete" }));
    at.agents.last.text(" three");
    await at.service.flush();
    const entries = await at.entries();
    expect(entries[1]).toMatchObject({ name: "Slow", status: "complete", result: "output" });
    expect(entries[2]).toMatchObject({ content: "text one two three" });
    expect((await at.store.log.page(at.sessionId, null, 9))?.entries).toEqual([...entries]);
  });

  it("late output in one long piece revises its call, and the session can still be stored", async () => {
    await using at = await openSession();
    await at.say("go");
    at.agents.last.say(patch("1", { name: "Slow", result: "x".repeat(2 * SHOWN_CHARS_MAX) }, true));
    at.agents.last.endTurn();
    await at.service.flush();
    at.agents.last.say({ type: "tool-output", toolCallId: "1", text: "y".repeat(2 * SHOWN_CHARS_MAX) });
    await at.say("and on");
    at.agents.last.endTurn();
    await at.service.flush();
    expect(at.errors).toEqual([]);
    expect(await at.entries()).toMatchObject([
      { content: "go" },
      { name: "Slow", truncated: { totalChars: 4 * SHOWN_CHARS_MAX } },
      { content: "and on" },
    ]);
  });

  it("late words of one turn find it although the next has begun in the same burst", async () => {
    await using at = await openSession();
    await at.say("first");
    await at.say("second");
    at.agents.last.say(patch("1", { name: "Slow" }, true));
    at.agents.last.endTurn();
    at.agents.last.say(patch("1", { status: "complete" }));
    await at.service.flush();
    expect(await at.entries()).toMatchObject([
      { content: "first" },
      { name: "Slow", status: "complete" },
      { content: "second" },
    ]);
  });
});

describe("Session: the disk", () => {
  afterEach(() => void jest.useRealTimers());

  it("X-1 a listener that fails after a commit does not undo it: the answer is valid, and the session continues", async () => {
    await using at = await openSession();
    const { push } = at.facts;
    at.facts.push = () => {
      throw new Error("nobody hears");
    };
    expect(await at.send({ type: "session:send", content: "go" })).toMatchObject({ kind: "ok" });
    at.facts.push = push;
    at.agents.last.text("answer");
    at.agents.last.endTurn();
    await at.service.flush();
    await at.say("again");
    expect(words(await at.entries())).toEqual(["go", "answer", "again"]);
    expect(at.errors.length).toBeGreaterThan(0);
  });

  it("X-1 agent output is stored once the disk is writable again, and never shown before", async () => {
    await using at = await openSession();
    await at.say("go");
    jest.useFakeTimers();
    at.store.db.exec("PRAGMA query_only = 1");
    const before = at.facts.length;
    at.agents.last.text("not lost");
    await at.service.flush();
    expect([at.facts.length - before, at.errors.length > 0]).toEqual([0, true]);
    expect(await at.send({ type: "session:rename", title: "T" })).toMatchObject({
      kind: "refused",
      refusal: { code: "STORAGE_UNWRITABLE" },
    });
    at.store.db.exec("PRAGMA query_only = 0");
    jest.advanceTimersByTime(1_000);
    expect(words(await at.entries())).toEqual(["go", "not lost"]);
    expect(await at.send({ type: "session:rename", title: "T" })).toMatchObject({ kind: "fact" });
  });

  it("a command whose facts could not be stored has not happened: no effect, no receipt, and it can be sent again", async () => {
    await using at = await openSession();
    const command = { type: "session:send", content: "go", commandId: commandId("c") } as const;
    at.store.db.exec("PRAGMA query_only = 1");
    expect(await at.send(command)).toMatchObject({ kind: "refused", refusal: { code: "STORAGE_UNWRITABLE" } });
    at.store.db.exec("PRAGMA query_only = 0");
    expect([at.agents.last.calls, await at.entries()]).toEqual([[], []]);
    expect(await at.send(command)).toMatchObject({ kind: "ok" });
    expect([at.agents.last.calls, words(await at.entries())]).toEqual([["prompt go"], ["go"]]);
  });

  it("facts are on disk before effects reach the agent", async () => {
    await using at = await openSession();
    const stored: number[] = [];
    const { last } = at.agents;
    const prompt = last.prompt.bind(last);
    last.prompt = (...args) => {
      stored.push(at.store.log.recentAfter(at.sessionId, 0, 9)?.length ?? 0);
      prompt(...args);
    };
    await at.say("go");
    expect(stored).toEqual([3]);
  });
});

/** The agent's attachment is stored first. */
async function prompted({ agents }: SessionScene, content: string): Promise<void> {
  await waitFor(
    () => agents.last.calls,
    (calls) => calls.includes(`prompt ${content}`),
    `the prompt "${content}"`,
  );
}

describe("Session: its agent", () => {
  it("W-2 a cancel before the agent was prompted means that it never is", async () => {
    await using at = await openSession();
    at.agents.last.say({ type: "lost", reason: "crash", state: "crashed" });
    const attached = at.agents.nextAttached();
    const sent = at.send({ type: "session:send", content: "go" });
    const cancelled = at.send({ type: "session:cancel" });
    await Promise.all([sent, cancelled]);
    await at.service.flush();
    expect((await at.state()).turn).toMatchObject({ state: "idle", stopReason: "cancelled" });
    expect(at.agents.attached.flatMap(({ calls }) => calls)).toEqual([]);
    await at.say("next");
    await attached;
    await prompted(at, "next");
    expect(at.agents.last.calls).toEqual(["prompt next"]);
  });

  it("W-2 a cancel while the agent is starting ends the turn, and the late agent is not prompted", async () => {
    await using at = await openSession();
    at.agents.last.say({ type: "lost", reason: "crash", state: "crashed" });
    const { promise, resolve } = Promise.withResolvers<void>();
    at.agents.gate = promise;
    await at.say("go");
    await at.send({ type: "session:cancel" });
    await at.service.flush();
    expect((await at.state()).turn).toMatchObject({ state: "idle", stopReason: "cancelled" });
    const attached = at.agents.nextAttached();
    resolve();
    await at.say("next");
    await attached;
    expect(at.agents.last.calls).toEqual(["prompt next"]);
  });

  it("W-4 a lost agent is attached again with the next message, with its conversation", async () => {
    await using at = await openSession();
    await at.say("one");
    at.agents.last.endTurn();
    at.agents.last.say({ type: "lost", reason: "crash", state: "crashed" });
    at.agents.origin = "forgotten";
    await at.say("two");
    await prompted(at, "two");
    expect(at.agents.restores.at(-1)).toMatchObject({ agentSessionId: "agent-session-1", userMessages: 1 });
    expect(at.agents.last.calls).toEqual(["prompt two"]);
    expect((await at.entries()).at(-1)).toMatchObject({ type: "notice", severity: "warning" });
    at.restart();
    expect((await at.store.log.load(at.sessionId))?.binding.agentSessionId).toBe("agent-session-2");
  });

  it("an agent that cannot be started fails the turn with the reason, and the message stays", async () => {
    await using at = await openSession();
    at.agents.last.say({ type: "lost", reason: "crash", state: "crashed" });
    at.agents.refusal = { code: "AGENT_UNAVAILABLE", message: "Could not start Puppet.", details: "no such file" };
    await at.say("go");
    await Promise.resolve();
    await at.service.flush();
    expect((await at.state()).turn).toMatchObject({
      state: "idle",
      stopReason: "error",
      error: { code: "AGENT_UNAVAILABLE", message: "Could not start Puppet.\nno such file" },
    });
    expect([words(await at.entries()), at.errors]).toEqual([["go", "Could not start Puppet.\nno such file"], []]);
  });

  it("TC-2.4a archiving ends the turn and closes the agent's session, even if the agent refuses", async () => {
    for (const failure of [null, new Error("Internal error")]) {
      await using at = await openSession();
      await at.say("go");
      at.agents.last.failure = failure;
      expect(await at.send({ type: "session:archive" })).toMatchObject({
        kind: "fact",
        fact: { type: "session:archived" },
      });
      await new Promise((resolve) => setImmediate(resolve));
      expect(at.agents.last.calls).toEqual(["prompt go", "cancel", "close"]);
      expect(await at.state()).toMatchObject({ archived: true, turn: { state: "idle", stopReason: "cancelled" } });
      expect((await at.store.log.load(at.sessionId))?.binding.state).toBe("closed");
    }
  });

  it("answers reach the agent once, after the fact is stored", async () => {
    await using at = await openSession();
    await at.say("go");
    const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
    at.agents.last.say({
      type: "permission-requested",
      permissionId: permissionId("p"),
      patch: { toolCallId: "1", announced: true },
      options,
    });
    const respond = { type: "permission:respond", permissionId: permissionId("p"), optionId: "yes" } as const;
    expect(await at.send(respond)).toMatchObject({ kind: "fact", fact: { type: "permission:resolved" } });
    expect(await at.send(respond)).toMatchObject({
      kind: "refused",
      refusal: { code: "REQUEST_NOT_PENDING", message: expect.stringContaining('"Yes"') },
    });
    expect(at.agents.last.calls).toEqual(["prompt go", "answer p selected"]);
  });

  it("[SC-10] a command that meets a server that has handed over is no outcome: repeated at the next one, it acts", async () => {
    await using at = await openSession();
    await at.say("go");
    at.agents.last.endTurn();
    await at.service.flush();
    const send = { type: "session:send", content: "more", commandId: commandId("late") } as const;
    at.service.leave();
    expect(await at.send(send)).toMatchObject({ kind: "refused", refusal: { code: "INTERNAL_ERROR" } });
    at.restart();
    expect(await at.send(send)).toMatchObject({ kind: "ok" });
    expect((await at.entries()).filter(({ type }) => type === "user").map(({ content }) => content)).toEqual([
      "go",
      "more",
    ]);
  });
});
