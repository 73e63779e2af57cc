import { afterEach, describe, expect, it, jest } from "bun:test";
import { AcpScene, EPOCH } from "../../../tests/core/acp-scene.ts";
import { turnId } from "../../../tests/core/names.ts";
import type { AgentEvent, AgentSession } from "../../ports/agents.ts";
import { RefusalError } from "../../protocol/errors.ts";
import { CommandId } from "../../protocol/ids.ts";

function methodsOf(at: AcpScene): unknown[] {
  return at.sent.flatMap(({ method }) => (method === undefined ? [] : [method]));
}

async function refusalOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof RefusalError) return error.refusal;
    throw error;
  }
  throw new Error("it should have been refused");
}

/** Answers every permission request with the first option. */
async function answering(at: AcpScene & { session: AgentSession }, prompt: string): Promise<AgentEvent> {
  const answered = new Set<string>();
  const turn = turnId("answering");
  at.session.prompt(turn, prompt, []);
  for (;;) {
    const next = await at.until(
      (event) =>
        (event.type === "permission-requested" && !answered.has(event.permissionId)) ||
        ("turnId" in event && event.turnId === turn),
    );
    if (next.type !== "permission-requested") return next;
    answered.add(next.permissionId);
    const optionId = next.options[0]?.optionId ?? "";
    at.session.answerPermission(next.permissionId, { outcome: "selected", optionId });
  }
}

describe("AcpAgent: starting", () => {
  it("initializes, and its ids belong to this run", async () => {
    await using at = await AcpScene.open();
    expect(at.sent[0]).toMatchObject({
      id: `${EPOCH}-0`,
      method: "initialize",
      params: { protocolVersion: 1, clientInfo: { name: "liminal-builder" } },
    });
    await at.ask(at.session, "help");
    for (const { id } of at.sent.filter(({ method }) => method !== undefined))
      expect(String(id)).toMatch(new RegExp(`^${EPOCH}-(p.+|\\d+)$`));
  });

  it("TC-5.5b fails on an unknown version, an error, and a process that exits, with the end of its stderr", async () => {
    await using future = await AcpScene.start("--scenario", "future-version");
    await expect(future.agent.initialize()).rejects.toThrow("protocol version 99");
    await using refused = await AcpScene.start("--scenario", "initialize-error");
    await expect(refused.agent.initialize()).rejects.toMatchObject({ code: -32603 });
    await using crashed = await AcpScene.start("--scenario", "crash-at-start");
    await expect(crashed.agent.initialize()).rejects.toThrow();
    expect(await crashed.agent.exited).toMatchObject({ code: 1, stderrTail: expect.stringContaining("cannot start") });
  });

  it("TC-2.2f a refused session is reported with the agent's message, or with the sign-in methods", async () => {
    await using refused = await AcpScene.start("--scenario", "refused-new");
    await refused.agent.initialize();
    expect(await refusalOf(refused.newSession())).toMatchObject({ code: "AGENT_PROTOCOL_ERROR" });
    await using locked = await AcpScene.start("--scenario", "auth-required");
    await locked.agent.initialize();
    const [method] = locked.agent.signInMethods;
    expect(await refusalOf(locked.newSession())).toMatchObject({
      code: "AGENT_AUTH_REQUIRED",
      message: expect.stringContaining(String(method?.name)),
    });
    await locked.agent.authenticate("guide-sign-in");
    expect((await locked.newSession()).origin).toBe("new");
  });

  it("updates that arrive before the session id is known are not lost (copilot sends such)", async () => {
    await using at = await AcpScene.open("--scenario", "update-before-new");
    await at.until(({ type }) => type === "commands");
    expect(at.of("options")).toHaveLength(1);
  });
});

describe("AcpAgent: turns", () => {
  it("end after their last update, even if everything arrives in one write", async () => {
    await using at = await AcpScene.open();
    const end = await at.ask(at.session, "scenario burst");
    expect(end).toMatchObject({ type: "turn-ended", stopReason: "end_turn" });
    expect(at.events.at(-1)).toBe(end);
    expect(at.text).toBe(Array.from({ length: 200 }, (_, index) => `b${index + 1} `).join(""));
    expect([at.agent.isBusy, at.turnsCompleted]).toEqual([false, 1]);
  });

  it("W-2 a missing stop reason counts as a normal end; a failed turn carries the agent's message", async () => {
    await using at = await AcpScene.open();
    expect(await at.ask(at.session, "scenario missing-stop-reason")).toMatchObject({ stopReason: "end_turn" });
    expect(await at.ask(at.session, "fail")).toMatchObject({
      type: "turn-failed",
      error: { code: "AGENT_PROTOCOL_ERROR", message: expect.any(String) },
    });
    expect(at.turnsCompleted).toBe(1);
  });

  it("continue after lines that are not messages, which are not answered", async () => {
    await using at = await AcpScene.open();
    await at.ask(at.session, "scenario junk-output");
    expect(at.text).toStartWith("j1 j2 j3 j4 j5 j6 j7 j8 j9 ");
    expect(methodsOf(at)).toEqual(["initialize", "session/new", "session/prompt"]);
    expect(at.sent).toHaveLength(3);
  });

  it("two sessions of one process do not mix", async () => {
    await using at = await AcpScene.open();
    const heard: AgentEvent[] = [];
    const sink = (event: AgentEvent) => {
      heard.push(event);
      at.sink({ type: "unknown", update: "of the other" });
    };
    const other = await at.agent.newSession({ cwd: at.cwd, sink, signal: at.signal });
    other.prompt(turnId("other"), "stream 3 words", []);
    await at.ask(at.session, "stream 2 words");
    await at.until(() => heard.some(({ type }) => type === "turn-ended"));
    const words = heard.map((event) => (event.type === "text" ? event.text : "")).join("");
    expect([words.trim(), at.text.trim()]).toEqual(["w1 w2 w3", "w1 w2"]);
  });

  it("W-4 a lost process ends the turns of all its sessions", async () => {
    await using at = await AcpScene.open();
    at.session.prompt(turnId("t"), "crash", []);
    expect(await at.agent.exited).toMatchObject({ code: 1 });
    at.agent.lose({ reason: "It stopped.", state: "crashed" });
    expect(at.events.at(-1)).toEqual({ type: "lost", reason: "It stopped.", state: "crashed" });
  });
});

describe("AcpAgent: permission requests", () => {
  it("W-8 ids of any JSON type are answered unchanged, with the chosen option", async () => {
    await using at = await AcpScene.open();
    await answering(at, "scenario odd-ids");
    const ids = ['"question-1"', '""', '"null"', '"0"', "0", "-7", "1.5", "null"];
    const said = ids.map((id) => `${id}: {"outcome":{"outcome":"selected","optionId":"allow-once"}}\n`);
    expect(at.text).toStartWith(said.join(""));
  });

  it("a request cancelled by the agent is withdrawn and answered with -32800; a late answer is ignored", async () => {
    await using at = await AcpScene.open();
    await at.ask(at.session, "scenario withdrawn-permission");
    const [asked] = at.of("permission-requested");
    expect(at.of("permission-withdrawn")).toMatchObject([{ permissionId: asked?.permissionId }]);
    expect(at.text).toStartWith("Answer after withdrawal: error -32800");
    const before = at.sent.length;
    if (asked) at.session.answerPermission(asked.permissionId, { outcome: "cancelled" });
    expect(at.sent).toHaveLength(before);
  });

  it("a request about an unannounced tool call includes the call", async () => {
    await using at = await AcpScene.open();
    await answering(at, "scenario permission-unknown-tool");
    expect(at.of("permission-requested")).toMatchObject([
      { patch: { name: "Unannounced", kind: "execute", announced: true }, options: [{ kind: "allow_once" }, {}, {}] },
    ]);
  });

  it("an unknown method is refused, and the agent continues", async () => {
    await using at = await AcpScene.open();
    await at.ask(at.session, "scenario unknown-request");
    expect(at.text).toStartWith("Answer: error -32601");
  });
});

describe("AcpAgent: cancel", () => {
  afterEach(() => void jest.useRealTimers());

  it("W-2 sends one notification, however often it is requested, and the same process serves the next turn", async () => {
    await using at = await AcpScene.open();
    at.session.prompt(turnId("t"), "sleep", []);
    await at.until(({ type }) => type === "text");
    for (let times = 0; times < 3; times += 1) at.session.cancel();
    const end = await at.until(({ type }) => type === "turn-ended");
    expect(end).toMatchObject({ stopReason: "cancelled" });
    expect(methodsOf(at).filter((method) => method === "session/cancel")).toHaveLength(1);
    await at.ask(at.session, "stream 1 words");
    expect(at.text).toContain("w1");
  });

  it("is followed by `$/cancel_request` after ten seconds if it is ignored", async () => {
    await using at = await AcpScene.open();
    at.session.prompt(turnId("t"), "scenario never-ending-cancel", []);
    await at.until(({ type }) => type === "text");
    jest.useFakeTimers();
    at.session.cancel();
    jest.advanceTimersByTime(9_999);
    expect(methodsOf(at)).not.toContain("$/cancel_request");
    jest.advanceTimersByTime(1);
    jest.useRealTimers();
    expect(methodsOf(at).at(-1)).toBe("$/cancel_request");
    expect(await at.until(({ type }) => type === "turn-ended")).toMatchObject({ stopReason: "cancelled" });
  });

  it("is reported once as ignored after five more seconds", async () => {
    await using at = await AcpScene.open();
    at.session.prompt(turnId("t"), "sleep", []);
    await at.until(({ type }) => type === "text");
    // The agent process is stopped with SIGSTOP.
    process.kill(at.agent.pid, "SIGSTOP");
    jest.useFakeTimers();
    at.session.cancel();
    jest.advanceTimersByTime(14_999);
    expect(at.of("cancel-ignored")).toEqual([]);
    jest.advanceTimersByTime(60_000);
    jest.useRealTimers();
    expect(at.of("cancel-ignored")).toHaveLength(1);
    process.kill(at.agent.pid, "SIGCONT");
  });
});

describe("AcpAgent: options", () => {
  it("X-7 options are set by id, and the complete list is returned", async () => {
    await using at = await AcpScene.open();
    await at.session.configure("mode", "edits");
    await at.session.configure("thoughts", true);
    expect(at.of("options").at(-1)?.options).toMatchObject([
      { id: "mode", currentValue: "edits" },
      { id: "voice" },
      { id: "thoughts", currentValue: true },
    ]);
  });

  it("modes of older agents are set with their own method, and our option id is never sent", async () => {
    await using at = await AcpScene.open("--without", "config");
    const [mode] = at.of("options").at(-1)?.options ?? [];
    expect(mode).toMatchObject({ category: "mode", type: "select" });
    await at.session.configure(mode?.id ?? "", "edits");
    expect(at.sent.at(-1)).toMatchObject({ method: "session/set_mode", params: { modeId: "edits" } });
    expect(at.of("option-chosen")).toMatchObject([{ category: "mode", value: "edits" }]);
  });
});

describe("AcpAgent: steering", () => {
  it("CV-30 (A9) a steering message after the turn's end starts no turn without an owner: it is not accepted", async () => {
    await using at = await AcpScene.open();
    await at.ask(at.session, "stream 1 words");
    at.session.steer?.(CommandId.parse("late"), "stream 9 words", []);
    expect(await at.until(({ type }) => type === "steered")).toMatchObject({ commandId: "late", outcome: "not-taken" });
    await at.ask(at.session, "stream 2 words");
    expect(at.text.trim()).toBe("w1w1 w2");
  });
});
