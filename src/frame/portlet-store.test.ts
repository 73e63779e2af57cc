import { beforeEach, describe, expect, test } from "bun:test";
import { CommandId, EntryId, PermissionId } from "../protocol/ids.ts";
import { readFromShell, type ShellToPortlet } from "../protocol/portlet-messages.ts";
import { PortletStore } from "./portlet-store.ts";

const at = "2026-01-15T09:00:00.000Z";
const read = (data: object): ShellToPortlet => {
  const message = readFromShell(data);
  if (message === null || message.type === "portlet:facts") throw new Error("the shell says no such thing");
  return message;
};
const history = (more: object = {}): ShellToPortlet =>
  read({
    type: "session:history",
    seq: 10,
    entries: [{ type: "assistant", entryId: "a1", content: "hi", timestamp: at }],
    hasMore: true,
    turn: { state: "idle" },
    pending: [],
    queue: [],
    queuePaused: false,
    config: { options: [], commands: [], usage: null },
    title: "New Session",
    titleSource: "none",
    archived: false,
    ...more,
  });
const userEntry = (commandId: string) =>
  ({
    type: "user",
    entryId: EntryId.parse("u1"),
    content: "hello",
    timestamp: at,
    commandId: CommandId.parse(commandId),
  }) as const;

let said: { type: string }[] = [];
let found: string[] = [];
let count = 0;
const open = (...messages: readonly ShellToPortlet[]) => {
  const store = new PortletStore({
    post: (message) => said.push(message),
    newCommandId: () => CommandId.parse(`c${++count}`),
    onChange: () => undefined,
    onFound: (entryId) => found.push(entryId),
  });
  for (const message of messages) store.receive(message);
  return store;
};
const saidOf = (type: string) => said.filter((message) => message.type === type);
beforeEach(() => {
  said = [];
  found = [];
  count = 0;
});

describe("sending", () => {
  test("[TC-3.1a] a message is outgoing until the entry with its command id arrives", () => {
    const store = open(history());
    store.type("hello");
    store.submit();
    expect<readonly unknown[]>(saidOf("session:send")).toEqual([
      { type: "session:send", commandId: "c1", content: "hello" },
    ]);
    expect(store.composer.outgoing).toHaveLength(1);
    store.receive({ type: "session:update", seq: 11, entry: userEntry("c1") });
    expect(store.composer.outgoing).toEqual([]);
  });

  test("[X-6] a message in the server's queue is confirmed, too, and removing it sends the rest of the queue", () => {
    const store = open(history({ turn: { state: "running", turnId: "t" } }));
    store.submit("first");
    store.submit("second");
    const items = ["c1", "c2"].map((id) => ({ commandId: CommandId.parse(id), content: id }));
    store.receive({ type: "session:queue", seq: 11, items, paused: false });
    expect(store.composer.outgoing).toEqual([]);
    store.removeQueued(CommandId.parse("c1"));
    expect(saidOf("session:queue-edit")).toMatchObject([{ items: [{ commandId: "c2" }] }]);
  });

  test("[X-6] arrow-up moves the last queued message from the queue to the composer", () => {
    const item = { commandId: CommandId.parse("q"), content: "queued" };
    const store = open(history({ queue: [item] }));
    store.editQueued();
    expect(store.composer.text).toBe("queued");
    expect(saidOf("session:queue-edit")).toMatchObject([{ items: [] }]);
  });

  test("a sent message clears its draft", () => {
    const store = open(history());
    store.type("hello");
    store.keepDraft();
    store.submit();
    expect(saidOf("session:draft")).toEqual([
      { type: "session:draft", content: "hello" },
      { type: "session:draft", content: "" },
    ] as never);
  });
});

describe("messages of the shell", () => {
  test("a fresh history does not remove typed text; a first one restores the draft", () => {
    const store = open(history({ draft: "kept" }));
    expect(store.composer.text).toBe("kept");
    store.type("kept and more");
    store.receive(history({ seq: 20, draft: "kept" }));
    expect(store.composer.text).toBe("kept and more");
  });

  test("older entries are requested once per position", () => {
    const store = open(history());
    store.askForOlder();
    store.askForOlder();
    expect(saidOf("session:page")).toEqual([{ type: "session:page", before: "a1", limit: 200 }] as never);
    const older = { type: "assistant", entryId: EntryId.parse("a0"), content: "older", timestamp: at } as const;
    store.receive({ type: "session:page", before: EntryId.parse("a1"), entries: [older], hasMore: false });
    store.askForOlder();
    expect(saidOf("session:page")).toHaveLength(1);
    expect(store.state.session.settled.map(({ entryId }) => String(entryId))).toEqual(["a0", "a1"]);
  });

  test("[X-10] an entry that is far back is requested step by step until it is loaded, and reported once", () => {
    const store = open();
    store.receive({ type: "portlet:reveal", entryId: EntryId.parse("old") });
    expect(saidOf("session:page")).toEqual([]);
    store.receive(history());
    expect(saidOf("session:page")).toEqual([{ type: "session:page", before: "a1", until: "old" }] as never);
    const page = (entryId: string, before: string, hasMore: boolean): ShellToPortlet => ({
      type: "session:page",
      before: EntryId.parse(before),
      entries: [{ type: "assistant", entryId: EntryId.parse(entryId), content: "older", timestamp: at }],
      hasMore,
    });
    store.receive(page("a0", "a1", true));
    expect(saidOf("session:page").at(-1)).toEqual({ type: "session:page", before: "a0", until: "old" } as never);
    expect(found).toEqual([]);
    store.receive(page("old", "a0", true));
    store.receive({ type: "session:title-updated", seq: 11, title: "Later", source: "agent" });
    expect(found).toEqual(["old"]);
    expect(saidOf("session:page")).toHaveLength(2);
  });

  test("[X-10] a missing entry is reported as text, and not requested again", () => {
    const gone = open(history({ hasMore: false }));
    gone.receive({ type: "portlet:reveal", entryId: EntryId.parse("nowhere") });
    expect(gone.composer.error).toContain("no longer in the session");
    const refused = open(history());
    refused.receive({ type: "portlet:reveal", entryId: EntryId.parse("nowhere") });
    refused.receive({ type: "session:error", message: "no such entry" });
    refused.receive(history());
    expect(saidOf("session:page")).toHaveLength(1);
    expect(found).toEqual([]);
  });

  test("[X-6] a user message that was not loaded yet is loaded and recalled (D14)", () => {
    const store = open(history());
    store.recall(1);
    expect(saidOf("session:page")).toEqual([{ type: "session:page", before: "a1", limit: 200 }] as never);
    const before = EntryId.parse("a1");
    store.receive({ type: "session:page", before, entries: [userEntry("c0")], hasMore: true });
    expect(store.composer.text).toBe("hello");
    expect(saidOf("session:page")).toHaveLength(1);
  });

  test("[W-8] a permission request is answered once, and again only if the answer was refused or may be lost", () => {
    const permissionId = PermissionId.parse("p1");
    const options = [{ optionId: "allow", name: "Allow", kind: "allow_once" }];
    const pending = [{ permissionId, askedAt: at, toolCall: { toolCallId: "t1", name: "ls" }, options }];
    const store = open(history({ pending }));
    const respond = () => {
      store.respond(permissionId, "allow");
      return saidOf("permission:respond").length;
    };
    expect([respond(), respond()]).toEqual([1, 1]);
    store.receive(read({ type: "session:error", code: "LIMIT_EXCEEDED", message: "No.", commandId: "c1" }));
    expect([respond(), respond()]).toEqual([2, 2]);
    store.receive(history({ pending }));
    expect(respond()).toBe(3);
  });

  test("a new title is sent to the shell, the same one is not", () => {
    const store = open(history());
    store.receive({ type: "session:title-updated", seq: 11, title: "Fix it", source: "derived" });
    store.receive({ type: "session:title-updated", seq: 12, title: "Fix it", source: "agent" });
    expect(saidOf("portlet:title")).toEqual([{ type: "portlet:title", title: "Fix it" }] as never);
  });
});

describe("a restore that is taken back", () => {
  const answer = (more: object) => read({ type: "portlet:answer", id: 1, ...more });
  const stateOf = (store: PortletStore) => store.state.undos.get("undo-1");

  test("is requested once, and reported when it is done", async () => {
    const store = open(history());
    store.undoRestore("undo-1");
    store.undoRestore("undo-1");
    expect(saidOf("portlet:request")).toMatchObject([{ command: { type: "changes:undo", undoId: "undo-1" } }]);
    expect(stateOf(store)).toEqual({ state: "asked" });
    store.receive(answer({ answer: { type: "ok" } }));
    await Promise.resolve();
    expect(stateOf(store)).toEqual({ state: "undone" });
  });

  test("is not offered again: the notice of the undo is in the history, or comes while the page is open", () => {
    const undone = { type: "notice", entryId: "n", severity: "info", content: "Undid the restore.", undone: "undo-1" };
    expect(stateOf(open(history({ entries: [undone] })))).toEqual({ state: "undone" });
    const store = open(history());
    store.receive(read({ type: "session:update", seq: 11, entry: undone }));
    expect(stateOf(store)).toEqual({ state: "undone" });
  });

  test("shows why it was refused, and can be requested again", async () => {
    const store = open(history());
    store.undoRestore("undo-1");
    store.receive(answer({ refusal: { code: "WORKDIR_BUSY", message: "An agent is working." } }));
    await Promise.resolve();
    expect(stateOf(store)).toEqual({ state: "failed", words: "An agent is working." });
    store.undoRestore("undo-1");
    expect(saidOf("portlet:request")).toHaveLength(2);
  });
});
