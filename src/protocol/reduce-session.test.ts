import { describe, expect, it } from "bun:test";
import { commandId, elicitationId, entryId, NOW, permissionId, SESSION, turnId } from "../../tests/core/names.ts";
import { assistantEntry, idsOf, toolEntry, userEntry } from "../../tests/core/some-entries.ts";
import { FactBody, FactType } from "./facts.ts";
import { reduceSession } from "./reduce-session.ts";
import { EMPTY_CONFIG } from "./session-parts.ts";
import { EMPTY_SESSION, type SessionState } from "./session-schema.ts";
import { WorktreeId } from "./worktree-ref.ts";

/** Folds facts numbered from the state on. */
function fold(state: SessionState, ...facts: FactBody[]): SessionState {
  return facts.reduce((folded, fact) => reduceSession(folded, { ...fact, seq: folded.seq + 1 }), state);
}

const RUNNING: FactBody = { type: "session:turn", turn: { state: "running", turnId: turnId("t") } };
const IDLE: FactBody = { type: "session:turn", turn: { state: "idle", turnId: turnId("t"), stopReason: "end_turn" } };
const update = (entry: Extract<FactBody, { type: "session:update" }>["entry"]): FactBody => ({
  type: "session:update",
  entry,
});
const chunk = (id: string, content: string, field?: "content" | "result"): FactBody => ({
  type: "session:chunk",
  entryId: entryId(id),
  content,
  ...(field && { field }),
});
const question = (id: string) => ({
  permissionId: permissionId(id),
  toolCall: { toolCallId: "c", name: "Run" },
  options: [],
  askedAt: NOW,
});

const page = (id: string) => ({
  elicitationId: elicitationId(id),
  mode: "url" as const,
  message: "Visit it",
  fields: [],
  url: "https://example.com/",
  askedAt: NOW,
});

/** One of each type: a new type of fact has to be added here. */
const EACH: Readonly<Record<FactBody["type"], FactBody>> = {
  "session:update": update(userEntry("u")),
  "session:chunk": chunk("a", "more"),
  "session:complete": { type: "session:complete", entryId: entryId("a") },
  "session:cancelled": { type: "session:cancelled", entryId: entryId("a") },
  "session:turn": RUNNING,
  "session:queue": { type: "session:queue", items: [{ commandId: commandId("c"), content: "next" }], paused: true },
  "session:config": { type: "session:config", config: { ...EMPTY_CONFIG, usage: { used: 1, size: 2 } } },
  "session:title-updated": { type: "session:title-updated", title: "T", source: "agent" },
  "session:waits": {
    type: "session:waits",
    items: [{ waitId: "w", agentIds: [SESSION], until: "all", armedAt: NOW }],
  },
  "session:worktree": {
    type: "session:worktree",
    worktree: { worktreeId: WorktreeId.parse("w-1"), name: "fix", branch: "liminal/fix-1a2b" },
  },
  "session:pause": {
    type: "session:pause",
    pause: {
      limit: { kind: "usage", text: "You've hit your limit" },
      dueAt: null,
      resumesAt: null,
      tries: 0,
      isUntouched: true,
    },
  },
  "session:organized": { type: "session:organized", pinned: true, labels: ["later"], dismissed: true },
  "session:away": { type: "session:away", away: { command: "claude --resume 1", since: NOW } },
  "session:changes": { type: "session:changes", counts: { files: 1, added: 2, removed: 3 } },
  "session:primer": {
    type: "session:primer",
    primer: { context: { chars: 900, turns: 2, omitted: 0 }, options: { model: "deep" } },
  },
  "session:agent-notes": {
    type: "session:agent-notes",
    notes: ["The user restored a file."],
    told: ["The user kept a file."],
  },
  "session:archived": { type: "session:archived" },
  "session:unarchived": { type: "session:unarchived" },
  "permission:request": { type: "permission:request", ...question("p") },
  "permission:resolved": {
    type: "permission:resolved",
    permissionId: permissionId("p"),
    outcome: { outcome: "cancelled" },
  },
  "elicitation:request": { type: "elicitation:request", ...page("e") },
  "elicitation:resolved": { type: "elicitation:resolved", elicitationId: elicitationId("e"), action: "accept" },
  "session:raw": { type: "session:raw", update: { sessionUpdate: "new" } },
};

const BASE = fold(EMPTY_SESSION, RUNNING, update(assistantEntry("a", { content: "some " })));

describe("reduceSession: what each fact means", () => {
  it("there is one of each type here, and each is valid", () => {
    expect(Object.keys(EACH).toSorted()).toEqual([...FactType.options].toSorted());
    for (const fact of Object.values(EACH)) expect(FactBody.parse(fact)).toEqual(fact);
  });

  it.each([
    ["session:queue", { queue: [{ commandId: commandId("c"), content: "next" }], queuePaused: true }],
    ["session:config", { config: { ...EMPTY_CONFIG, usage: { used: 1, size: 2 } } }],
    ["session:title-updated", { title: "T", titleSource: "agent" }],
    ["session:archived", { archived: true }],
    ["session:unarchived", { archived: false }],
    ["permission:request", { pending: [question("p")] }],
    ["elicitation:request", { pending: [page("e")] }],
    ["elicitation:resolved", {}],
    ["session:complete", {}],
    ["session:cancelled", {}],
    ["session:raw", {}],
  ] as const)("%s changes its own part and nothing else", (type, change) => {
    expect(fold(BASE, EACH[type])).toEqual({ ...BASE, ...change, seq: BASE.seq + 1 });
  });

  it("W-9 an accepted page is no longer asked but awaited, until it is reported as done", () => {
    const resolved = EACH["elicitation:resolved"];
    if (resolved.type !== "elicitation:resolved") throw new Error("each stands under its type");
    const agreed = fold(BASE, EACH["elicitation:request"], resolved);
    expect([agreed.pending, agreed.visits]).toEqual([[], [page("e")]]);
    const done = fold(agreed, { ...resolved, done: true });
    const declined = fold(BASE, EACH["elicitation:request"], { ...resolved, action: "decline" });
    for (const state of [done, declined]) expect([state.pending, state.visits]).toEqual([[], []]);
  });

  it("a question stays open until it is resolved, each by its id", () => {
    const asked = fold(BASE, EACH["permission:request"], { type: "permission:request", ...question("q") });
    expect(fold(asked, EACH["permission:resolved"]).pending).toEqual([question("q")]);
    expect(fold(BASE, EACH["permission:resolved"]).pending).toEqual([]);
    expect(fold(BASE, { type: "permission:request", ...question("p"), by: "policy" }).pending).toEqual([]);
  });

  it("an update appends an unknown entry and replaces a known one at its position", () => {
    const two = fold(BASE, update(toolEntry("c")));
    expect(idsOf(two.open)).toEqual(["a", "c"]);
    const replaced = fold(two, update(assistantEntry("a", { content: "other" })));
    expect(replaced.open).toEqual([assistantEntry("a", { content: "other" }), toolEntry("c")]);
  });

  it("a chunk appends to the text it names, by default the content; without a target it has no effect", () => {
    const state = fold(BASE, update(toolEntry("c")), chunk("a", "words"), chunk("c", "out", "result"));
    const grown = fold(state, chunk("c", "put", "result"), chunk("nobody", "lost"));
    expect(grown.open).toMatchObject([{ content: "some words" }, { content: "", result: "output" }]);
    expect(fold(BASE, chunk("a", "x", "result")).open).toEqual(BASE.open);
  });

  it("the turn's end settles open entries, in order; a continuing turn settles nothing", () => {
    const first = fold(BASE, IDLE);
    expect([idsOf(first.settled), first.open]).toEqual([["a"], []]);
    const waiting = fold(first, RUNNING, update(userEntry("u")), {
      type: "session:turn",
      turn: { state: "waiting", turnId: turnId("t2") },
    });
    expect([idsOf(waiting.settled), idsOf(waiting.open)]).toEqual([["a"], ["u"]]);
    expect(idsOf(fold(waiting, IDLE).settled)).toEqual(["a", "u"]);
  });

  it("a late update revises a settled entry at its position, and has no effect for a reader without it", () => {
    const settled = fold(BASE, update(userEntry("u")), IDLE);
    const late: FactBody = { type: "session:update", entry: assistantEntry("a", { content: "revised" }), late: true };
    expect(fold(settled, late).settled.map(({ content }) => content)).toEqual(["revised", "said u"]);
    expect(fold(EMPTY_SESSION, late)).toEqual({ ...EMPTY_SESSION, seq: 1 });
  });
});

describe("reduceSession: the time for which a tool call waits for the user", () => {
  const at = (seconds: number) => new Date(Date.parse(NOW) + seconds * 1_000).toISOString();
  const call = toolEntry("c", { toolCallId: "c", turnId: turnId("t") });
  const answered = (permission: string, time?: string): FactBody[] => [
    { type: "permission:request", ...question(permission) },
    {
      type: "permission:resolved",
      permissionId: permissionId(permission),
      outcome: { outcome: "cancelled" },
      ...(time !== undefined && { at: time }),
    },
  ];
  const waitedMs = (state: SessionState) =>
    [...state.settled, ...state.open].flatMap((entry) => (entry.type === "tool-call" ? [entry.waitedMs] : []));

  it("is the sum of all its requests, of either kind", () => {
    const once = fold(EMPTY_SESSION, RUNNING, update(call), ...answered("p", at(5)));
    expect(waitedMs(once)).toEqual([5_000]);
    const twice = fold(
      once,
      ...answered("q", at(0.001)),
      { type: "elicitation:request", ...page("e"), toolCallId: "c" },
      { type: "elicitation:resolved", elicitationId: elicitationId("e"), action: "decline", at: at(2) },
    );
    expect([waitedMs(twice), twice.pending]).toEqual([[7_001], []]);
  });

  it.each<[string, SessionState, FactBody[]]>([
    ["an answer at once", fold(EMPTY_SESSION, RUNNING, update(call)), answered("p", at(0))],
    ["a clock that was set back", fold(EMPTY_SESSION, RUNNING, update(call)), answered("p", at(-9))],
    ["an answer of before times were kept", fold(EMPTY_SESSION, RUNNING, update(call)), answered("p")],
    ["no turn", fold(EMPTY_SESSION, update(toolEntry("c", { toolCallId: "c" }))), answered("p", at(5))],
    [
      "a call of another turn",
      fold(EMPTY_SESSION, RUNNING, update({ ...call, turnId: turnId("other") })),
      answered("p", at(5)),
    ],
    ["another call", fold(EMPTY_SESSION, RUNNING, update({ ...call, toolCallId: "another" })), answered("p", at(5))],
  ])("does not count with %s", (_, state, facts) => {
    expect(waitedMs(fold(state, ...facts))).toEqual([undefined]);
  });
});

describe("reduceSession: its promises", () => {
  it("a fact that was already folded changes nothing, not even the object", () => {
    for (const fact of Object.values(EACH)) {
      expect(reduceSession(BASE, { ...fact, seq: BASE.seq })).toBe(BASE);
      expect(reduceSession(BASE, { ...fact, seq: 1 })).toBe(BASE);
    }
  });

  it("the number is the fact's own, also after a gap: facts that readers do not understand are not sent", () => {
    expect(reduceSession(BASE, { ...EACH["session:archived"], seq: 99 }).seq).toBe(99);
  });

  it("inputs are not modified", () => {
    const frozen = deepFreeze(fold(BASE, EACH["permission:request"], IDLE, RUNNING, update(toolEntry("c"))));
    for (const fact of Object.values(EACH)) expect(() => fold(frozen, deepFreeze(fact))).not.toThrow();
  });

  it("a chunk does not touch the settled entries: its cost does not grow with the session", () => {
    const settled = fold(BASE, IDLE, RUNNING, update(assistantEntry("b")));
    expect(fold(settled, chunk("b", "x")).settled).toBe(settled.settled);
  });
});

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}
