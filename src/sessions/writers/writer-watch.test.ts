import { expect, it } from "bun:test";
import { openSession, type SessionScene } from "../../../tests/core/session-scene.ts";
import { waitFor } from "../../../tests/support/wait-for.ts";
import type { AgentHistories } from "../../ports/agent-history.ts";
import type { AgentEvent } from "../../ports/agents.ts";
import type { SessionWriters } from "../../ports/session-writers.ts";
import type { OtherWriter } from "../../protocol/conversations.ts";

const said = (kind: "user" | "assistant", text: string): AgentEvent => ({ type: "text", kind, text });
const FIRST = [said("user", "one"), said("assistant", "The first answer.")];
const BEGUN = [...FIRST, said("user", "two"), said("assistant", "I begin. ")];
const WHOLE = [...BEGUN, said("assistant", "It is done.")];
/** The check of the watch and the check of its decision. */
const LOOKS = 3;

/** A terminal that has the conversation open, and what it has stored of it. */
class Terminal {
  isOpen = false;
  doing: OtherWriter["doing"] = "idle";
  stored: readonly AgentEvent[] = FIRST;
  /** When something was stored last, in milliseconds since 1970. */
  storedAt = 0;
  looks = 0;
  readings = 0;
  /** What happens there while it is read. */
  onRead: () => void = () => undefined;

  readonly writers: SessionWriters = {
    writerOf: () => {
      this.looks += 1;
      return this.isOpen ? { state: "held", program: "claude", pid: 1, doing: this.doing } : { state: "free" };
    },
    isHeldByUs: () => false,
    saidAfter: (_conversation, time) => this.storedAt > time,
    terminalCommand: () => "claude --resume 1",
  };

  store(at: SessionScene, events: readonly AgentEvent[]): void {
    this.stored = events;
    this.storedAt = at.world.now();
  }

  readonly histories: AgentHistories = {
    openHistory: async () => ({
      brings: "words",
      list: () => Promise.reject(new Error("nobody lists")),
      read: async (_session, begin) => {
        this.readings += 1;
        const sink = begin();
        for (const event of this.stored) sink(event, null);
        this.onRead();
      },
      [Symbol.asyncDispose]: async () => undefined,
    }),
  };
}

/** A session of one turn that is open in a terminal, too, and followed here. */
async function openFollowed(terminal: Terminal): Promise<SessionScene> {
  const at = await openSession(undefined, terminal);
  await at.say("one");
  at.agents.last.text("The first answer.");
  at.agents.last.endTurn();
  await at.service.recover();
  terminal.isOpen = true;
  await at.service.seen({ type: "session:seen", sessionId: at.sessionId, seq: 0, showing: true }, at);
  await until(at, "the terminal", async () => (await at.state()).away?.writer !== undefined);
  await at.send({ type: "session:elsewhere", follow: true });
  return at;
}

async function until(at: SessionScene, what: string, isReached: () => Promise<boolean>): Promise<void> {
  await waitFor(isReached, (reached) => reached, `${what}; errors: ${Bun.inspect(at.errors)}`);
}

const words = async (at: SessionScene) => (await at.entries()).map(({ type, content }) => [type, content]);

const EXPECTED = [
  ["user", "one"],
  ["assistant", "The first answer."],
  ["user", "two"],
  ["assistant", "I begin. It is done."],
];

it("CV-4 a turn elsewhere that waits for an answer is read at its end, whole", async () => {
  const terminal = new Terminal();
  await using at = await openFollowed(terminal);
  terminal.doing = "asking";
  terminal.store(at, BEGUN);
  const looks = terminal.looks + LOOKS;
  await until(at, "looks at the question", async () => terminal.looks >= looks);
  expect(terminal.readings).toBe(0);
  terminal.store(at, WHOLE);
  terminal.doing = "idle";
  await until(at, "the whole turn", async () => (await words(at)).length === EXPECTED.length);
  expect(await words(at)).toEqual(EXPECTED);
  at.service.stop();
});

it("CV-4 a turn that begins elsewhere while the conversation is read is added once, whole", async () => {
  const terminal = new Terminal();
  await using at = await openFollowed(terminal);
  terminal.onRead = () => {
    terminal.onRead = () => undefined;
    // The read returned what was stored before it. The rest arrives now.
    terminal.store(at, WHOLE);
  };
  terminal.store(at, BEGUN);
  await until(at, "the whole turn", async () => (await words(at)).length === EXPECTED.length);
  expect(await words(at)).toEqual(EXPECTED);
  expect(terminal.readings).toBe(2);
  at.service.stop();
});
