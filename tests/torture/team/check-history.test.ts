import { describe, expect, it } from "bun:test";
import type { Fact, FactBody } from "../../../src/protocol/facts.ts";
import { reduceSession } from "../../../src/protocol/reduce-session.ts";
import { EMPTY_SESSION, type SessionState } from "../../../src/protocol/session-schema.ts";
import { idle, running, update } from "../../core/log-writer.ts";
import { commandId, entryId, SESSION, turnId } from "../../core/names.ts";
import { assistantEntry, toolEntry, userEntry } from "../../core/some-entries.ts";
import { checkHistory } from "./check-history.ts";
import type { AgentTurn, HistoryEvent, LoggedFact } from "./history.ts";

const WORDS = 3;

interface Run {
  readonly events: HistoryEvent[];
  readonly log: LoggedFact[];
  readonly turns: Map<string, AgentTurn>;
  shown: SessionState;
}

/** Two messages, each with its turn: one is words, one runs a tool and asks. */
function bodies(): readonly FactBody[] {
  const turn = (nth: number, ...rest: readonly FactBody[]): readonly FactBody[] => [
    running(`t${nth}`),
    update(
      userEntry(`u${nth}`, {
        turnId: turnId(`t${nth}`),
        commandId: commandId(`send-${nth}`),
        content: `#${nth} say ${WORDS} 1`,
      }),
    ),
    ...rest,
    idle(`t${nth}`),
  ];
  const chunk = (nth: number, content: string): FactBody => ({
    type: "session:chunk",
    entryId: entryId(`a${nth}`),
    content,
  });
  return [
    ...turn(
      1,
      update(assistantEntry("a1", { turnId: turnId("t1"), content: "1.0 " })),
      chunk(1, "1.1 "),
      chunk(1, "1.2 "),
    ),
    ...turn(
      2,
      update(toolEntry("c2", { turnId: turnId("t2"), toolCallId: "call-2", result: "line\n", status: "complete" })),
      update(assistantEntry("a2", { turnId: turnId("t2"), content: "counted" })),
    ),
  ];
}

/** Of one user and one reader, in which nothing went wrong; the reader was cut off in the middle. */
function soundRun(): Run {
  const log = bodies().map((body, index): LoggedFact => {
    const fact: Fact = { ...body, sessionId: SESSION, seq: index + 1 };
    return { seq: fact.seq, json: JSON.stringify(fact) };
  });
  const state = log.reduce<SessionState>((folded, { json }) => reduceSession(folded, JSON.parse(json)), EMPTY_SESSION);
  const read = (client: string, from: number, to: number): HistoryEvent[] =>
    log
      .filter(({ seq }) => seq > from && seq <= to)
      .map(({ seq, json }) => ({ type: "read", client, sessionId: SESSION, seq, fact: json }));
  const opened = (client: string, seq: number, from: number): HistoryEvent => ({
    ...{ type: "opened", client, sessionId: SESSION, seq, from },
  });
  const send = (nth: number, seq: number): HistoryEvent[] => [
    { type: "asked", client: "user", sessionId: SESSION, commandId: `send-${nth}` },
    { type: "answered", client: "user", commandId: `send-${nth}`, answer: "acknowledged", seq },
  ];
  return {
    events: [
      opened("user", 0, 0),
      opened("reader", 0, 0),
      ...send(1, 2),
      ...read("user", 0, 6),
      ...read("reader", 0, 4),
      opened("reader", 6, 4),
      ...read("reader", 4, 6),
      ...send(2, 8),
      ...read("user", 6, 99),
      opened("reader", 8, 8),
      ...read("reader", 8, 99),
    ],
    log,
    turns: new Map([
      ["1", agentTurn({ text: "1.0 1.1 1.2 " })],
      ["2", agentTurn({ text: "counted", outputs: new Map([["call-2", "line\n"]]), asks: 1, answers: 1 })],
    ]),
    shown: state,
  };
}

function agentTurn(extra: Partial<AgentTurn>): AgentTurn {
  return { starts: 1, text: "", outputs: new Map(), asks: 0, answers: 0, ends: ["end_turn"], ...extra };
}

function judged({ events, log, turns, shown }: Run): readonly string[] {
  const logs = new Map([[String(SESSION), log]]);
  return checkHistory(events, { logs, turns, shown: [{ client: "reader", sessionId: SESSION, state: shown }] }).map(
    ({ what }) => what,
  );
}

function changeTurn(run: Run, turn: string, extra: Partial<AgentTurn>): void {
  run.turns.set(turn, agentTurn({ ...run.turns.get(turn), ...extra }));
}

/** The facts after one get other numbers, in the log and for everyone who read it. */
function renumbered(run: Run, change: (log: LoggedFact[]) => void): void {
  change(run.log);
  const facts = run.log.map(({ json }, index) => {
    const fact = { ...JSON.parse(json), seq: index + 1 };
    return { seq: fact.seq, json: JSON.stringify(fact) };
  });
  run.log.splice(0, run.log.length, ...facts);
  run.events.splice(0, run.events.length, ...run.events.filter(({ type }) => type === "asked" || type === "answered"));
  run.shown = facts.reduce<SessionState>((folded, { json }) => reduceSession(folded, JSON.parse(json)), EMPTY_SESSION);
}

const at = (run: Run, find: (event: HistoryEvent) => boolean) => run.events.findIndex(find);

/** What a store, a server or a runner that is wrong would do; and what the checker must say to it. */
const PLANTED: readonly (readonly [string, (run: Run) => void, string])[] = [
  [
    "an acknowledged message is lost",
    (run) => {
      renumbered(run, (log) => log.splice(6));
      run.turns.delete("2");
    },
    "send-2 was acknowledged and is nowhere",
  ],
  [
    "a message is stored twice",
    (run) =>
      renumbered(run, (log) => {
        const said = bodies()[1];
        if (said?.type !== "session:update") throw new Error("a message");
        const again = update({ ...said.entry, entryId: entryId("u1-again") });
        log.splice(2, 0, { seq: 0, json: JSON.stringify({ ...again, sessionId: SESSION }) });
      }),
    "send-1 is 2 times in the log",
  ],
  [
    "a word is stored twice",
    (run) => renumbered(run, (log) => log.splice(4, 0, ...log.slice(3, 4))),
    "turn 1: stored is 16 characters",
  ],
  [
    "a word is lost between agent and log",
    (run) => renumbered(run, (log) => log.splice(3, 1)),
    "turn 1: stored is 8 characters",
  ],
  [
    "two words change places",
    (run) => renumbered(run, (log) => log.splice(3, 2, ...log.slice(3, 5).reverse())),
    "turn 1: stored is 12 characters",
  ],
  ["a fact is missing in the log", (run) => run.log.splice(3, 1), "the log has no fact 4"],
  ["a number is given twice", (run) => run.log.splice(4, 0, ...run.log.slice(3, 4)), "the log has fact 4 twice"],
  [
    "the log is out of order",
    (run) => run.log.splice(3, 2, ...run.log.slice(3, 5).reverse()),
    "fact 4 stands after 5 in the log",
  ],
  [
    "a reader is shown an earlier state after a reconnect",
    (run) => {
      const index = at(run, (event) => event.type === "opened" && event.client === "reader" && event.seq === 8);
      run.events.splice(index, 1, { type: "opened", client: "reader", sessionId: SESSION, seq: 3, from: 3 });
    },
    "reader in builtin:session-1 went back from 6 to 3",
  ],
  [
    "whoever was told that it is done does not see it",
    (run) => {
      const index = at(run, (event) => event.type === "answered" && event.commandId === "send-2");
      run.events.splice(index + 1, 0, { type: "opened", client: "user", sessionId: SESSION, seq: 7, from: 7 });
    },
    "user in builtin:session-1 went back from 8 to 7",
  ],
  [
    "a reader gets a fact twice",
    (run) => {
      const index = at(run, (event) => event.type === "read" && event.client === "user" && event.seq === 3);
      run.events.splice(index, 0, ...run.events.slice(index, index + 1));
    },
    "user in builtin:session-1 got fact 3 after 3",
  ],
  [
    "a reader misses a fact",
    (run) =>
      run.events.splice(
        at(run, (event) => event.type === "read" && event.seq === 4),
        1,
      ),
    "user in builtin:session-1 got fact 5 right after 3",
  ],
  [
    "a reader sees what was never stored",
    (run) => {
      const fact = JSON.stringify({ type: "session:archived", sessionId: SESSION, seq: 12 });
      run.events.push({ type: "read", client: "user", sessionId: SESSION, seq: 12, fact });
    },
    "user in builtin:session-1 saw fact 12, which is not in the log",
  ],
  [
    "a reader sees other words than the log has",
    (run) => {
      const index = at(run, (event) => event.type === "read" && event.seq === 5);
      const event = run.events[index];
      if (event?.type === "read") run.events.splice(index, 1, { ...event, fact: event.fact.replace("1.2", "9.9") });
    },
    "user in builtin:session-1 saw another fact 5 than the log has",
  ],
  [
    "a reader is given a state that the log never reached",
    (run) => run.events.push({ type: "opened", client: "reader", sessionId: SESSION, seq: 40, from: 40 }),
    "reader in builtin:session-1 was given 40, the log ends at 11",
  ],
  [
    "a reader shows something else at the end",
    (run) => {
      run.shown = { ...run.shown, settled: run.shown.settled.slice(1) };
    },
    "reader shows in builtin:session-1: 4 entries, not 5",
  ],
  [
    "a refused message is done all the same",
    (run) => {
      const index = at(run, (event) => event.type === "answered" && event.commandId === "send-2");
      const refused = { type: "answered", client: "user", commandId: "send-2", answer: "refused", seq: null } as const;
      run.events.splice(index, 1, refused);
    },
    "send-2 was refused and yet done",
  ],
  [
    "a message gets two different answers",
    (run) => {
      run.events.push({ type: "answered", client: "user", commandId: "send-1", answer: "acknowledged", seq: 9 });
    },
    "send-1 was answered differently",
  ],
  [
    "a message is done that nobody sent",
    (run) =>
      run.events.splice(
        at(run, (event) => event.type === "asked" && event.commandId === "send-1"),
        1,
      ),
    "send-1 is in the log, and nobody asked for it",
  ],
  ["a prompt is sent twice", (run) => changeTurn(run, "1", { starts: 2 }), "turn 1 was prompted 2 times"],
  ["a prompt is never sent", (run) => run.turns.delete("1"), "turn 1 never reached the agent, and ended as end_turn"],
  [
    "a prompt is sent that is in no log",
    (run) => run.turns.set("7", agentTurn({})),
    "turn 7 reached an agent, and no log has it",
  ],
  [
    "prompts reach the agent out of order",
    (run) => {
      const [first, second] = [...run.turns];
      run.turns.clear();
      for (const turn of [second, first]) if (turn) run.turns.set(...turn);
    },
    "turn 2 reached the agent out of order",
  ],
  [
    "a permission is answered twice",
    (run) => changeTurn(run, "2", { answers: 2 }),
    "its question was answered 2 times",
  ],
  [
    "the output of a tool is lost",
    (run) => changeTurn(run, "2", { outputs: new Map([["call-2", "line\nline\n"]]) }),
    "call-2 is stored as 5 characters",
  ],
  [
    "a turn that went on is stored as interrupted",
    (run) => changeTurn(run, "1", { ends: ["cancelled"] }),
    "turn 1 ended as end_turn, the agent says cancelled",
  ],
];

describe("[SC-48] the checker of a team's history", () => {
  it("finds nothing where nothing went wrong", () => {
    expect(judged(soundRun())).toEqual([]);
  });

  it.each(PLANTED)("finds that %s", (_, plant, words) => {
    const run = soundRun();
    plant(run);
    expect(judged(run).join("\n")).toContain(words);
  });

  it("lets a message that was stopped before it was sent end as cancelled", () => {
    const run = soundRun();
    renumbered(run, (log) => {
      const last = log.pop();
      log.splice(8);
      if (last) log.push({ ...last, json: last.json.replace("end_turn", "cancelled") });
    });
    run.turns.delete("2");
    expect(judged(run)).toEqual([]);
  });
});
