import { describe, expect, it } from "bun:test";
import { FactMessage, PlainServerMessage } from "../../protocol/server-messages.ts";
import { foldShell } from "./fold-shell.ts";
import { groupRows } from "./session-rows.ts";
import { agentStateOf, EMPTY_SHELL, isComplete, type ShellState } from "./shell-state.ts";

const project = (id: string) => ({ id, path: `/code/${id}`, name: id, addedAt: "2026-03-01T00:00:00Z" });
const agent = { id: "codex", name: "Codex", status: "idle", availability: "ready", capabilities: {} };
const row = (id: string, projectId: string, minute: number) => ({
  id: `codex:${id}`,
  projectId,
  title: id,
  lastActiveAt: `2026-03-01T12:${String(minute).padStart(2, "0")}:00Z`,
  createdAt: "2026-03-01T12:00:00Z",
  cliType: "codex",
  archived: false,
  turn: { state: "idle" },
});
const hello = { type: "hello", version: "1", protocol: 1, projects: [project("a"), project("b")], agents: [agent] };
const list = (projectId: string, ...sessions: unknown[]) => ({ type: "session:list", projectId, sessions });

/** Folds messages as received. */
function after(...messages: object[]): ShellState {
  return messages.reduce<ShellState>((state, message) => {
    const plain = PlainServerMessage.safeParse(message);
    return foldShell(state, plain.success ? plain.data : FactMessage.parse(message));
  }, EMPTY_SHELL);
}
const titles = (state: ShellState, id: string) => {
  const of = state.projects.find((each) => each.id === id);
  return of === undefined ? [] : (groupRows(state.sessions, new Map()).get(of.id) ?? []).map(({ title }) => title);
};

describe("foldShell", () => {
  it("[TC-1.1a] keeps projects in the order they were added, and a repeated one is not added twice", () => {
    const state = after(
      hello,
      { type: "project:added", project: project("c") },
      { type: "project:added", project: project("c") },
    );
    expect(state.projects.map(({ name }) => name)).toEqual(["a", "b", "c"]);
  });

  it("[TC-2.1b] lists the most recent activity first, whatever the order of arrival", () => {
    const state = after(hello, list("a", row("old", "a", 1), row("new", "a", 9)), {
      type: "session:changed",
      ...row("old", "a", 20),
    });
    expect(titles(state, "a")).toEqual(["old", "new"]);
  });

  it("is complete only when every project of the last greeting was listed", () => {
    expect(isComplete(EMPTY_SHELL)).toBe(false);
    expect(isComplete(after(hello, list("a")))).toBe(false);
    expect(isComplete(after(hello, list("a"), list("b")))).toBe(true);
    expect(isComplete(after(hello, list("a"), list("b"), hello))).toBe(false);
    expect(isComplete(after(hello, list("a"), { type: "project:removed", projectId: "b" }))).toBe(true);
  });

  it("keeps showing known sessions while a new greeting's lists are loading, and drops those they do not name", () => {
    const before = [hello, list("a", row("one", "a", 1)), list("b")];
    expect(titles(after(...before, hello), "a")).toEqual(["one"]);
    expect(titles(after(...before, hello, list("a")), "a")).toEqual([]);
  });

  it("[TC-1.3b] [TC-2.4a] removes the sessions of a removed project, and archived ones", () => {
    const known = [hello, list("a", row("one", "a", 1), row("two", "a", 2)), list("b", row("three", "b", 1))];
    expect(after(...known, { type: "project:removed", projectId: "a" }).sessions.size).toBe(1);
    const state = after(...known, { type: "session:archived", sessionId: "codex:two", seq: 3 });
    expect(titles(state, "a")).toEqual(["one"]);
  });

  it("[TC-2.4a] keeps archived ones separately and moves them back, and removes a deleted one from both", () => {
    const archived = { ...row("old", "a", 1), archived: true };
    const known = [hello, list("a", row("one", "a", 2), archived), list("b")];
    const titlesOf = (rows: ShellState["sessions"]) => [...rows.values()].map(({ title }) => title);
    const both = (state: ShellState) => [titlesOf(state.sessions), titlesOf(state.archived)];
    expect(both(after(...known))).toEqual([["one"], ["old"]]);
    expect(both(after(...known, { type: "session:unarchived", sessionId: "codex:old", seq: 3 }))).toEqual([
      ["one", "old"],
      [],
    ]);
    expect(both(after(...known, { type: "session:archived", sessionId: "codex:one", seq: 3 }))).toEqual([
      [],
      ["old", "one"],
    ]);
    for (const [id, left] of [
      ["old", [["one"], []]],
      ["one", [[], ["old"]]],
    ] as const)
      expect(both(after(...known, { type: "session:deleted", sessionId: `codex:${id}` }))).toEqual(left as never);
  });

  it("follows title and turn of a known session, and ignores those of an unknown one", () => {
    const facts = ["codex:one", "codex:nobody"].flatMap((sessionId) => [
      { type: "session:title-updated", sessionId, seq: 2, title: "Fix it", source: "derived" },
      { type: "session:turn", sessionId, seq: 3, turn: { state: "running" } },
    ]);
    const state = after(hello, list("a", row("one", "a", 1)), ...facts);
    expect([...state.sessions.values()]).toMatchObject([{ title: "Fix it", turn: { state: "running" } }]);
  });

  it("[TC-5.6b] reads the state of each session's process from the greeting, and drops earlier states", () => {
    const ownProcesses = [
      { cliType: "codex", sessionId: "codex:two", status: "disconnected", message: "exit 1" },
      { cliType: "codex", sessionId: "codex:one", status: "connected" },
    ];
    const state = after(
      { type: "agent:status", cliType: "codex", sessionId: "codex:one", status: "starting" },
      { ...hello, ownProcesses },
      list("a", row("one", "a", 1), row("two", "a", 2)),
    );
    const standings = [...state.sessions.values()].map((session) => agentStateOf(state, session));
    expect(standings).toMatchObject([{ status: "connected" }, { status: "disconnected", message: "exit 1" }]);
  });

  it("[TC-5.2b] distinguishes a session's own process from the shared one", () => {
    const state = after(
      hello,
      list("a", row("one", "a", 1), row("two", "a", 2)),
      { type: "agent:status", cliType: "codex", status: "connected" },
      { type: "agent:status", cliType: "codex", sessionId: "codex:two", status: "disconnected", message: "exit 1" },
    );
    const standings = [...state.sessions.values()].map((session) => agentStateOf(state, session));
    expect(standings).toMatchObject([{ status: "connected" }, { status: "disconnected", message: "exit 1" }]);
  });
});
