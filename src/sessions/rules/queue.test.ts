import { describe, expect, it } from "bun:test";
import { commandId } from "../../../tests/core/names.ts";
import { PureSession } from "../../../tests/core/pure-session.ts";
import { EMPTY_CONFIG } from "../../protocol/session-parts.ts";

const IMAGE = { type: "image", mimeType: "image/png", data: "AAAA" } as const;
const STEERABLE = { image: true, audio: false, embeddedContext: true, steering: true };

function running(...queued: readonly string[]): PureSession {
  const session = new PureSession({ config: { ...EMPTY_CONFIG, abilities: STEERABLE } }).start("work");
  for (const content of queued) session.tell({ type: "session:send", content, commandId: commandId(content) });
  return session;
}
const queueOf = ({ state }: PureSession) => state.queue.map(({ content }) => content);
const item = (content: string) => ({ commandId: commandId(content), content });
const ids = (...names: readonly string[]) => names.map((name) => commandId(name));

describe("X-6 session:queue-edit", () => {
  it("keeps messages newer than the editor's list, and drops those that the editor dropped", () => {
    const session = running("a", "b", "c");
    session.tell({ type: "session:queue-edit", items: [item("b")], seen: ids("a", "b") });
    expect(queueOf(session)).toEqual(["b", "c"]);
    session.tell({ type: "session:queue-edit", items: [] });
    expect(queueOf(session)).toEqual([]);
  });

  it("does not restore a message that has started meanwhile, even if the editor still had it", () => {
    const session = running("a", "b");
    session.end();
    session.tell({ type: "session:queue-edit", items: [item("b"), item("a")], seen: ids("a", "b") });
    expect(queueOf(session)).toEqual(["b"]);
  });

  it("leaves attachments unchanged unless it names them", () => {
    const session = running();
    session.tell({ type: "session:send", content: "look", attachments: [IMAGE], commandId: commandId("look") });
    const edit = (more: object) => session.tell({ type: "session:queue-edit", items: [{ ...item("look"), ...more }] });
    edit({ content: "look here" });
    expect(session.state.queue).toMatchObject([{ content: "look here", attachments: [IMAGE] }]);
    expect(edit({ content: "", attachments: [] })).toMatchObject({ ok: false });
    edit({ attachments: [] });
    expect(session.state.queue).toEqual([item("look")]);
    expect(edit({ attachments: [{ ...IMAGE, mimeType: "text/html" }] })).toMatchObject({ ok: false });
  });
});

describe("X-6 session:send with aheadOf", () => {
  const putBack = (session: PureSession, content: string, ...behind: readonly string[]) =>
    session.tell({ type: "session:send", content, commandId: commandId(content), aheadOf: ids(...behind) });

  it("puts an edited message back ahead of those that were behind it and are still queued (A12)", () => {
    const session = running("a", "c", "d");
    putBack(session, "b", "c", "d");
    expect(queueOf(session)).toEqual(["a", "b", "c", "d"]);
    putBack(session, "c2", "gone", "d");
    putBack(session, "e", "gone");
    expect(queueOf(session)).toEqual(["a", "b", "c", "c2", "d", "e"]);
  });

  it("leaves a paused queue paused, and starts a turn if nothing is queued (A12)", () => {
    const session = running("a", "c");
    session.tell({ type: "session:cancel" });
    session.end("cancelled");
    putBack(session, "b", "c");
    expect([queueOf(session), session.state.queuePaused, session.state.turn.state]).toEqual([
      ["a", "b", "c"],
      true,
      "idle",
    ]);
    session.tell({ type: "session:queue-edit", items: [] });
    putBack(session, "d", "c");
    expect([queueOf(session), session.effects.at(-1)]).toMatchObject([[], { type: "prompt", content: "d" }]);
  });
});

describe("X-6 session:send-now", () => {
  it("stops the running turn, waits for its end, then goes before all others, which follow it", () => {
    const session = running("a", "b", "c");
    session.tell({ type: "session:send-now", queuedId: commandId("c") });
    expect(session.effects.at(-1)).toMatchObject({ type: "cancel" });
    expect([queueOf(session), session.state.turn.state, session.state.queuePaused]).toEqual([
      ["c", "a", "b"],
      "running",
      false,
    ]);
    session.end("cancelled");
    expect(session.effects.at(-1)).toMatchObject({ type: "prompt", content: "c" });
    session.end();
    expect([session.entries.at(-1)?.content, queueOf(session)]).toEqual(["a", ["b"]]);
  });

  it("starts at once if nothing runs, and resumes a paused queue", () => {
    const session = running("a", "b");
    session.tell({ type: "session:cancel" });
    session.end("cancelled");
    session.tell({ type: "session:send-now", queuedId: commandId("b") });
    expect([session.entries.at(-1)?.content, queueOf(session), session.state.queuePaused]).toEqual(["b", ["a"], false]);
  });

  it("keeps the others in their order if nothing runs, and they follow it", () => {
    const session = running("a", "b", "c");
    session.tell({ type: "session:cancel" });
    session.end("cancelled");
    session.tell({ type: "session:send-now", queuedId: commandId("b") });
    expect(session.effects.at(-1)).toMatchObject({ type: "prompt", content: "b" });
    expect([queueOf(session), session.state.turn.state]).toEqual([["a", "c"], "running"]);
    session.end();
    session.end();
    expect([session.entries.at(-1)?.content, queueOf(session)]).toEqual(["c", []]);
  });

  it("has no effect on a message that has started meanwhile: its turn is not stopped", () => {
    const session = running("a");
    session.end();
    expect(session.since(() => session.tell({ type: "session:send-now", queuedId: commandId("a") }))).toEqual([]);
    expect(session.effects.some(({ type }) => type === "cancel")).toBe(false);
  });
});

describe("X-6 session:queue-resume", () => {
  it("sends the messages that were held back, in order, and has no effect on a running queue", () => {
    const session = running("a", "b");
    expect(session.since(() => session.tell({ type: "session:queue-resume" }))).toEqual([]);
    session.tell({ type: "session:cancel" });
    session.end("cancelled");
    session.tell({ type: "session:queue-resume" });
    expect([session.entries.at(-1)?.content, queueOf(session)]).toEqual(["a", ["b"]]);
  });

  it("waits while the stopped turn is still ending", () => {
    const session = running("a");
    session.tell({ type: "session:cancel" });
    session.tell({ type: "session:queue-resume" });
    expect([queueOf(session), session.state.queuePaused]).toEqual([["a"], false]);
    session.end("cancelled");
    expect(session.entries.at(-1)?.content).toBe("a");
  });
});

describe("X-6 session:steer", () => {
  const steer = (session: PureSession, content = "left") =>
    session.tell({ type: "session:steer", content, commandId: commandId(content) });

  it("waits first in the queue until the agent has it, then is shown in the running turn", () => {
    const session = running("a");
    steer(session);
    expect(session.effects.at(-1)).toMatchObject({ type: "steer", turnId: session.turn, content: "left" });
    expect(session.state.queue).toMatchObject([{ content: "left", steering: true }, { content: "a" }]);
    session.hear({ type: "steered", commandId: commandId("left"), outcome: "joined" });
    expect(session.entries.at(-1)).toMatchObject({
      type: "user",
      content: "left",
      turnId: session.turn,
      steered: true,
    });
    expect([queueOf(session), session.state.turn.state]).toEqual([["a"], "running"]);
  });

  it("stays in the queue if the agent does not accept it, and goes next", () => {
    const session = running("a");
    steer(session);
    session.hear({ type: "steered", commandId: commandId("left"), outcome: "not-taken" });
    expect(session.state.queue).toEqual([item("left"), item("a")]);
    session.end();
    expect(session.entries.at(-1)).toMatchObject({ content: "left" });
  });

  it("is not sent a second time by a turn that ends before the answer", () => {
    const session = running("a");
    steer(session);
    session.end();
    expect([session.state.turn.state, queueOf(session)]).toEqual(["idle", ["left", "a"]]);
    session.hear({ type: "steered", commandId: commandId("left"), outcome: "joined" });
    expect(session.effects.filter((effect) => effect.type === "prompt").map(({ content }) => content)).toEqual([
      "work",
      "a",
    ]);
    expect(session.entries.map(({ content }) => content)).toEqual(["work", "left", "a"]);
  });

  it("starts its own turn if the answer is no and the turn has ended", () => {
    const session = running();
    steer(session);
    session.end();
    session.hear({ type: "steered", commandId: commandId("left"), outcome: "not-taken" });
    expect([session.entries.at(-1)?.content, session.state.turn.state]).toEqual(["left", "running"]);
  });

  it("pauses the rest if the agent started separate work with it", () => {
    const session = running("a");
    steer(session);
    session.end();
    session.hear({ type: "steered", commandId: commandId("left"), outcome: "elsewhere" });
    expect([session.entries.at(-1)?.content, queueOf(session), session.state.queuePaused]).toEqual([
      "left",
      ["a"],
      true,
    ]);
  });

  it("waits like any other message if the agent has ended, and the user decides", () => {
    const session = running();
    steer(session);
    session.hear({ type: "lost", reason: "It crashed.", state: "crashed" });
    expect([session.state.queue, session.state.queuePaused]).toEqual([[item("left")], true]);
  });

  it("cannot be removed while the agent may have it, and an echo of it is not a second message", () => {
    const session = running();
    steer(session);
    session.tell({ type: "session:queue-edit", items: [] });
    session.tell({ type: "session:send-now", queuedId: commandId("left") });
    session.text("left", undefined, "user");
    expect([queueOf(session), session.entries.length]).toEqual([["left"], 1]);
    expect(session.effects.some(({ type }) => type === "cancel")).toBe(false);
  });

  it("is an ordinary send without a turn, and is refused by an agent that does not support it", () => {
    const idle = running().end();
    steer(idle);
    expect(idle.effects.at(-1)).toMatchObject({ type: "prompt", content: "left" });
    const plain = new PureSession().start();
    expect(steer(plain)).toMatchObject({ ok: false, refusal: { code: "INVALID_MESSAGE" } });
    expect(plain.state.queue).toEqual([]);
  });
});
