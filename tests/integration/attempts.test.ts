import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CommandId, type SessionId } from "../../src/protocol/ids.ts";
import type { Worktree } from "../../src/protocol/worktrees.ts";
import { COMMANDS_TIMEOUT_MS, liminalJson } from "../cli/liminal.ts";
import { McpCaller, sessionToken } from "../orchestration/mcp-caller.ts";
import type { SocketClient } from "../support/socket-client.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { git, write } from "../workspace/git-scene.ts";
import { chunk, script, scriptedAgent } from "./scripted-agent.ts";
import { anotherTalk } from "./talk.ts";

const doing = (command: string) => script({ shell: command }, chunk("done"), { end: "end_turn" });
/** Every attempt gets the same words; the name of its directory makes its work its own. */
const TASK = doing('printf "%s\\n" "$(basename "$PWD")" > a.txt && echo new > new.txt');

const MODELS = ["small", "large", "huge"];
const NAME_MODEL = doing('echo "$MODEL" > model.txt');

let server: TestServer;
let client: SocketClient;
beforeAll(async () => {
  const agents = { scripted: scriptedAgent(), other: scriptedAgent(), choosy: scriptedAgent({ models: MODELS }) };
  server = await startTestServer({ agents });
  client = await server.connect();
});
afterAll(() => server[Symbol.asyncDispose]());

async function repository(name: string) {
  const root = await server.directory(name);
  git(root, "init", "-q", "-b", "main");
  git(root, "config", "user.name", "User");
  git(root, "config", "user.email", "user@example.org");
  await write(root, { "a.txt": "before\n", "b.txt": "b\n" });
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
  const { project } = await client.ask("project:added", { type: "project:add", path: root });
  const projectId = project.id;
  const rows = async () =>
    (await client.ask("session:list", { type: "session:list", projectId, includeArchived: true })).sessions;
  const rowOf = async (id: SessionId) => {
    const found = (await rows()).find((row) => row.id === id);
    if (found === undefined) throw new Error("no row");
    return found;
  };
  const places = async () => (await client.ask("worktree:list", { type: "worktree:list", projectId })).worktrees;
  const placeOf = async (id: SessionId): Promise<Worktree> => {
    const { worktree } = await rowOf(id);
    const found = (await places()).find(({ worktreeId }) => worktreeId === worktree?.worktreeId);
    if (found === undefined) throw new Error("no worktree");
    return found;
  };
  const start = async (content: string, agents: readonly { cliType: string; model?: string }[], commandId?: string) => {
    const mark = client.mark();
    const started = await client.ask("attempts:started", {
      type: "attempts:start",
      projectId,
      content,
      agents: [...agents] as never,
      ...(commandId !== undefined && { commandId: CommandId.parse(commandId) }),
    });
    for (const id of started.sessionIds) await untilDone(id, mark);
    return started;
  };
  const untilDone = async (id: SessionId, mark: ReturnType<SocketClient["mark"]>) => {
    const isDone = ({ turn }: { turn: { state: string; stopReason?: string | undefined } }) =>
      turn.state === "idle" && turn.stopReason !== undefined;
    if (isDone(await rowOf(id))) return;
    await client.next("session:changed", (row) => row.id === id && isDone(row), mark);
  };
  return { root, projectId, rows, rowOf, places, placeOf, start };
}

test(
  "[CV-45] attempts touch neither each other's files nor the project's; the kept one is merged, the others are put away and come back whole",
  async () => {
    const { root, rowOf, placeOf, start } = await repository("kept");
    await writeFile(join(root, "b.txt"), "the user's\n");
    const { groupId, sessionIds } = await start(TASK, [
      { cliType: "scripted" },
      { cliType: "other" },
      { cliType: "scripted" },
    ]);
    expect(sessionIds).toHaveLength(3);
    const places = await Promise.all(sessionIds.map(placeOf));
    for (const [index, id] of sessionIds.entries()) {
      expect((await rowOf(id)).attempt).toEqual({ groupId, number: index + 1 });
      const { path, name } = places[index] as Worktree;
      expect(await readFile(join(path, "a.txt"), "utf8")).toBe(`${name}\n`);
    }
    expect(new Set(places.map(({ path }) => path)).size).toBe(3);
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe("before\n");

    const [first, kept, third] = sessionIds as [SessionId, SessionId, SessionId];
    const done = await client.ask("attempts:kept", {
      type: "attempts:keep",
      sessionId: kept,
      message: "Keep the second",
    });
    expect(done).toMatchObject({ groupId, sessionId: kept, into: "main", left: [] });
    expect(git(root, "rev-parse", "main").trim()).toBe(done.commit ?? "");
    expect(git(root, "show", "main:a.txt")).toBe(`${places[1]?.name}\n`);
    expect(git(root, "show", "main:new.txt")).toBe("new\n");
    expect(await readFile(join(root, "b.txt"), "utf8")).toBe("the user's\n");
    expect((await rowOf(kept)).archived).toBe(false);
    for (const id of [first, third]) {
      expect((await rowOf(id)).archived).toBe(true);
      expect((await placeOf(id)).status).toBe("removed");
    }

    await client.ask("ok", { type: "worktree:return", worktreeId: places[0]?.worktreeId as Worktree["worktreeId"] });
    const back = await placeOf(first);
    expect(back.status).toBe("ready");
    expect(await readFile(join(back.path, "a.txt"), "utf8")).toBe(`${back.name}\n`);
    expect(await readFile(join(back.path, "new.txt"), "utf8")).toBe("new\n");
  },
  COMMANDS_TIMEOUT_MS,
);

test(
  "[CV-45] an attempt that conflicts is not merged, and no other is touched",
  async () => {
    const { root, rowOf, placeOf, start } = await repository("conflict");
    const { sessionIds } = await start(TASK, [{ cliType: "scripted" }, { cliType: "other" }]);
    await writeFile(join(root, "a.txt"), "moved on\n");
    git(root, "commit", "-qam", "moved on");
    const head = git(root, "rev-parse", "main");
    const [first, second] = sessionIds as [SessionId, SessionId];
    const refused = await client.ask("error", { type: "attempts:keep", sessionId: first, message: "mine" });
    expect(refused).toMatchObject({ code: "GIT_REFUSED", details: "a.txt" });
    expect(git(root, "rev-parse", "main")).toBe(head);
    expect((await rowOf(second)).archived).toBe(false);
    expect((await placeOf(second)).status).toBe("ready");
  },
  COMMANDS_TIMEOUT_MS,
);

test("[CV-45] nothing is made when one of the agents cannot start, and a repeated command makes no second group", async () => {
  const { root, projectId, rows, start } = await repository("refused");
  const ask = (agents: unknown) =>
    client.ask("error", { type: "attempts:start", projectId, content: "do it", agents: agents as never });
  expect(await ask([{ cliType: "scripted" }, { cliType: "nobody" }])).toMatchObject({ code: "AGENT_UNKNOWN" });
  expect(await ask([])).toMatchObject({ code: "INVALID_MESSAGE" });
  expect(await ask(Array.from({ length: 9 }, () => ({ cliType: "scripted" })))).toMatchObject({
    code: "INVALID_MESSAGE",
  });
  expect(await rows()).toEqual([]);
  expect(git(root, "worktree", "list", "--porcelain").match(/^worktree /gm)).toHaveLength(1);

  const once = await start(TASK, [{ cliType: "scripted" }, { cliType: "scripted" }], "one-and-the-same");
  const again = await start(TASK, [{ cliType: "scripted" }, { cliType: "scripted" }], "one-and-the-same");
  expect(again.sessionIds).toEqual(once.sessionIds);
  expect(await rows()).toHaveLength(2);
});

test(
  "[CV-45] each attempt has its own agent and model, by id or name, also on the command line; a model that is not offered makes none",
  async () => {
    const { root, projectId, rows, placeOf, start } = await repository("models");
    const workOf = async (id: SessionId) =>
      (await readFile(join((await placeOf(id)).path, "model.txt"), "utf8")).trim();
    const { groupId, sessionIds } = await start(NAME_MODEL, [
      { cliType: "choosy", model: "large" },
      { cliType: "choosy", model: "HUGE" },
      { cliType: "choosy" },
      { cliType: "scripted" },
    ]);
    expect(await Promise.all(sessionIds.map(workOf))).toEqual(["large", "huge", "small", ""]);
    const { results } = await client.ask("attempts:compared", { type: "attempts:compare", projectId, groupId });
    expect(results.map(({ model }) => model)).toEqual(["LARGE", "HUGE", "SMALL", undefined]);
    const words = ["run", "--attempts", "choosy=huge,choosy=large", "--wait", NAME_MODEL];
    const ran = (await liminalJson(server, words, { cwd: root })).value as { attempts: { sessionId: SessionId }[] };
    expect(await Promise.all(ran.attempts.map(({ sessionId }) => workOf(sessionId)))).toEqual(["huge", "large"]);
    // The choice for an attempt is not the one for the next session.
    const again = await start(NAME_MODEL, [{ cliType: "choosy" }]);
    expect(await Promise.all(again.sessionIds.map(workOf))).toEqual(["small"]);

    const before = (await rows()).filter(({ archived }) => !archived).length;
    const words2 = ["run", "--attempts", "choosy=large,choosy=tiny", NAME_MODEL];
    const refused = await liminalJson(server, words2, { cwd: root });
    expect(refused.code).toBe(1);
    expect(JSON.stringify(refused.value)).toContain("Choose one of: small, large, huge.");
    expect((await rows()).filter(({ archived }) => !archived)).toHaveLength(before);
  },
  COMMANDS_TIMEOUT_MS,
);

test("[CV-45] a session that is no attempt cannot be kept", async () => {
  const { projectId } = await repository("single");
  const { sessionId } = await client.ask("session:created", {
    type: "session:create",
    projectId,
    cliType: "scripted" as never,
  });
  expect(await client.ask("error", { type: "attempts:keep", sessionId, message: "m" })).toMatchObject({
    code: "INVALID_MESSAGE",
  });
});

test(
  "[CV-45] [X-14] run --attempts waits for all attempts and lists them, and keep merges one",
  async () => {
    const { root, rowOf } = await repository("line");
    const inProject = { cwd: root };
    const ran = await liminalJson(server, ["run", "--attempts", "scripted,other", "--wait", TASK], inProject);
    expect(ran).toMatchObject({ code: 0, value: { attempts: [{ status: "done" }, { status: "done" }] } });
    const [first, second] = (ran.value as { attempts: { sessionId: SessionId }[] }).attempts;
    if (!first || !second) throw new Error("no attempts");
    const asked = await liminalJson(server, ["keep", first.sessionId], inProject);
    expect(asked.code).toBe(1);
    expect((await rowOf(second.sessionId)).archived).toBe(false);
    const kept = await liminalJson(server, ["keep", first.sessionId, "--yes", "-m", "By the first"], inProject);
    expect(kept).toMatchObject({ code: 0, value: { into: "main", left: [] } });
    expect(git(root, "log", "--format=%s", "main")).toContain("By the first");
    expect((await rowOf(second.sessionId)).archived).toBe(true);
    expect(await liminalJson(server, ["run", "--attempts", "scripted", "x"], inProject)).toMatchObject({ code: 2 });
    expect(
      await liminalJson(server, ["run", "--attempts", "scripted,other", "--model", "m", "x"], inProject),
    ).toMatchObject({ code: 2 });
  },
  COMMANDS_TIMEOUT_MS,
);

test("[CV-45] [O-1] an agent starts attempts over MCP, which the user compares; overlaps among them are no warning", async () => {
  const { projectId, rowOf } = await repository("parent");
  const parent = await anotherTalk(client, projectId, "scripted");
  await using own = await McpCaller.overHttp(server, sessionToken(server, parent.sessionId));
  const start = (number: number) => own.create({ plan: TASK, worktree: true, attempt: { group: "importer", number } });
  const ids = [await start(1), await start(2)] as SessionId[];
  await own.wait({ agentIds: ids });
  const rows = await Promise.all(ids.map(rowOf));
  const groupId = rows[0]?.attempt?.groupId;
  if (groupId === undefined) throw new Error("no group");
  expect(rows.map(({ attempt }) => attempt)).toEqual([1, 2].map((number) => ({ groupId, number })));
  const { results } = await client.ask("attempts:compared", { type: "attempts:compare", projectId, groupId });
  expect(results).toMatchObject(
    ids.map((sessionId) => ({ sessionId, totalFiles: 2, added: 2, removed: 1, uncommittedFiles: 2, lastLine: "done" })),
  );
  const isLookedAt = (all: readonly Worktree[]) => all.every(({ radar }) => radar.state !== "unknown");
  const now = (await client.ask("worktree:list", { type: "worktree:list", projectId })).worktrees;
  const seen = isLookedAt(now)
    ? now
    : (
        await client.next(
          "worktree:list",
          (list) => list.projectId === projectId && isLookedAt(list.worktrees),
          client.mark(),
        )
      ).worktrees;
  expect(seen.map(({ radar }) => radar)).toMatchObject([
    { state: "clean", overlaps: [] },
    { state: "clean", overlaps: [] },
  ]);
  const refused = await own.refusalOf("create_coding_agent", { attempt: { group: "importer", number: 3 } });
  expect(refused).toContain("needs a worktree");
});
