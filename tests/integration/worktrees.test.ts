import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readdir, readFile, readlink, realpath, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ProjectId } from "../../src/protocol/ids.ts";
import type { SessionRow } from "../../src/protocol/session-schema.ts";
import type { WorktreeId } from "../../src/protocol/worktree-ref.ts";
import type { NewWorktree, Worktree } from "../../src/protocol/worktrees.ts";
import { McpCaller, sessionToken } from "../orchestration/mcp-caller.ts";
import type { SocketClient } from "../support/socket-client.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { git, write } from "../workspace/git-scene.ts";
import { chunk, script, scriptedAgent } from "./scripted-agent.ts";
import { anotherTalk, Talk } from "./talk.ts";

const AGENTS = { scripted: scriptedAgent() };

interface Scene {
  readonly client: SocketClient;
  readonly root: string;
  readonly projectId: ProjectId;
}

/** A repository with one commit, as a project. */
async function startProject(server: TestServer): Promise<Scene> {
  const client = await server.connect();
  const root = await server.directory(crypto.randomUUID());
  git(root, "init", "-q", "-b", "main");
  git(root, "config", "user.name", "a");
  git(root, "config", "user.email", "a@example.org");
  await write(root, { "a.txt": "one\ntwo\nthree\n", "src/b.txt": "b\n", ".gitignore": ".env\n" });
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
  const { project } = await client.ask("project:added", { type: "project:add", path: root });
  return { client, root, projectId: project.id };
}

/** A session in a worktree of its own. */
async function startInWorktree(
  { client, projectId }: Scene,
  create: NewWorktree = {},
): Promise<Talk & { path: string; worktreeId: WorktreeId }> {
  const request = { type: "session:create", projectId, cliType: "scripted", worktree: { create } } as const;
  const { sessionId, session } = await client.ask("session:created", request);
  await client.ask("session:history", { type: "session:open", sessionId });
  const worktreeId = idOf(session);
  const listed = (await list({ client, projectId })).find((one) => one.worktreeId === worktreeId);
  return Object.assign(new Talk(client, projectId, sessionId), { path: listed?.path ?? "", worktreeId });
}

function idOf({ worktree }: Pick<SessionRow, "worktree">): WorktreeId {
  if (worktree === null) throw new Error("the session is in no worktree");
  return worktree.worktreeId;
}

async function list({ client, projectId }: Pick<Scene, "client" | "projectId">): Promise<Worktree[]> {
  return (await client.ask("worktree:list", { type: "worktree:list", projectId })).worktrees;
}

const doing = (command: string) => script({ shell: command }, chunk("done"), { end: "end_turn" });

/** The one notice that the moment added, in words. */
async function untilNotice(talk: Talk, words: string): Promise<void> {
  await talk.until(`a notice with "${words}"`, () =>
    talk.entries.some((entry) => entry.type === "notice" && entry.content.includes(words)),
  );
}

test("[WS-25] X-8 agent, files, search, changes and policy of a session all use its worktree, and the project stays as it is", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const scene = await startProject(server);
  const { client, root, projectId } = scene;
  const talk = await startInWorktree(scene, { branch: "feature/login" });
  const { sessionId, path } = talk;
  expect(path).toStartWith(join(await realpath(server.home), ".liminal-worktrees"));
  expect(talk.state.worktree).toMatchObject({ branch: "feature/login" });
  await talk.say(doing("pwd > here.txt; echo four >> a.txt"));
  await talk.until("the changes", ({ changes }) => changes !== null);
  expect((await readFile(join(path, "here.txt"), "utf8")).trim()).toBe(path);
  expect(await readdir(root)).not.toContain("here.txt");
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
  expect(git(root, "status", "--porcelain")).toBe("");
  expect(talk.state.changes).toMatchObject({ files: 2 });
  const listing = await client.ask("files:listing", { type: "files:list", sessionId, path: "" });
  expect(listing.entries.map(({ name }) => name)).toContain("here.txt");
  const text = await client.ask("files:text", { type: "files:read", sessionId, path: "a.txt" });
  expect(text.content).toEndWith("four\n");
  const found = await client.ask("files:found", { type: "files:search", sessionId, query: "here" });
  expect(JSON.stringify(found.files)).toContain("here.txt");
  const other = await client.ask("files:found", { type: "files:search", projectId, query: "here" });
  expect(JSON.stringify(other.files)).not.toContain("here.txt");
  const { head } = await client.ask("changes:state", { type: "changes:open", sessionId, scope: { kind: "base" } });
  expect(head?.branch).toBe("feature/login");
  const { checkpoints } = await client.ask("checkpoint:list", { type: "checkpoint:list", sessionId });
  expect(checkpoints.map(({ phase }) => phase)).toEqual(["after", "before"]);
});

test("[WS-25] a mode that allows edits means the session's worktree, not the project's directory", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const scene = await startProject(server);
  const talk = await startInWorktree(scene);
  const { sessionId } = talk;
  await scene.client.ask("policy:state", { type: "policy:set", scope: "session", sessionId, mode: "edits" });
  const ask = (id: string, file: string) => ({
    ask: {
      id,
      method: "session/request_permission",
      params: {
        toolCall: {
          toolCallId: id,
          kind: "edit",
          title: "Edit",
          locations: [{ path: file }],
          rawInput: { path: file },
        },
        options: [
          { optionId: "yes", name: "Allow", kind: "allow_once" },
          { optionId: "no", name: "Reject", kind: "reject_once" },
        ],
      },
    },
  });
  await talk.say(script(ask("p1", join(talk.path, "a.txt")), { end: "end_turn" }));
  expect(talk.answer).toContain("yes");
  await talk.send(script(ask("p2", join(scene.root, "a.txt")), { end: "end_turn" }));
  await talk.asked();
  await talk.answerWith("no");
  await talk.untilIdle(talk.state.seq - 1);
});

test("[WS-25] a worktree whose directory is gone: the session reports it and works nowhere else", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const scene = await startProject(server);
  const { client } = scene;
  const talk = await startInWorktree(scene);
  const { sessionId, path } = talk;
  await talk.say(doing("true"));
  await rename(path, `${path}-elsewhere`);
  const send = { type: "session:send", sessionId, content: doing("echo x > stray.txt") } as const;
  const refused = await client.ask("error", send);
  expect(refused.code).toBe("WORKTREE_NOT_FOUND");
  expect(refused.message).toContain(path);
  expect(refused.message).toContain("move the session");
  expect(await client.ask("error", { type: "files:list", sessionId, path: "" })).toMatchObject({ code: refused.code });
  expect(await client.ask("error", { type: "files:search", sessionId, query: "a" })).toMatchObject({
    code: refused.code,
  });
  expect(await readdir(scene.root)).not.toContain("stray.txt");
  expect(existsSync(path)).toBe(false);
  await rename(`${path}-elsewhere`, path);
  await talk.say(doing("echo x > found.txt"));
  expect(await readdir(path)).toContain("found.txt");
});

test("[WS-25] a removed worktree: its session stays readable, takes no message, and continues after the return", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const scene = await startProject(server);
  const { client, projectId } = scene;
  const talk = await startInWorktree(scene);
  const { sessionId, path, worktreeId } = talk;
  await talk.send(script(chunk("busy")));
  await talk.untilAnswer("busy");
  expect(await client.ask("error", { type: "worktree:remove", worktreeId })).toMatchObject({ code: "WORKDIR_BUSY" });
  await talk.cancel();
  await talk.untilIdle();
  await writeFile(join(path, ".env"), "SECRET=1\n");
  const mark = client.mark();
  await client.ask("ok", { type: "worktree:remove", worktreeId });
  await client.next("worktree:list", ({ worktrees }) => worktrees[0]?.status === "removed", mark);
  expect(existsSync(path)).toBe(false);
  await untilNotice(talk, "was removed");
  const removed = await client.ask("error", { type: "session:send", sessionId, content: doing("true") });
  expect(removed.code).toBe("WORKTREE_NOT_FOUND");
  expect((await list({ client, projectId }))[0]?.sessionIds).toEqual([sessionId]);
  await client.ask("ok", { type: "worktree:return", worktreeId });
  await talk.say(doing("cat .env > copy.txt"));
  expect(await readFile(join(path, "copy.txt"), "utf8")).toBe("SECRET=1\n");
});

test("X-8 a repeated command makes one session in one worktree, with and without waiting for the agent", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const { client, projectId } = await startProject(server);
  for (const waitForAgent of [true, false]) {
    const request = {
      type: "session:create",
      projectId,
      cliType: "scripted",
      commandId: `make-${waitForAgent}`,
      waitForAgent,
      worktree: { create: {} },
    } as const;
    const [first, second] = await Promise.all([
      client.ask("session:created", request),
      client.ask("session:created", request),
    ]);
    const third = await client.ask("session:created", request);
    expect(second.sessionId).toBe(first.sessionId);
    expect(third.sessionId).toBe(first.sessionId);
    expect(first.session.worktree).not.toBeNull();
  }
  const worktrees = await list({ client, projectId });
  expect(worktrees).toHaveLength(2);
  expect(worktrees.map(({ sessionIds }) => sessionIds.length)).toEqual([1, 1]);
});

test("X-8 two sessions share a worktree that is there, and an unknown one is refused", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const scene = await startProject(server);
  const { client, projectId } = scene;
  const talk = await startInWorktree(scene);
  const create = { type: "session:create", projectId, cliType: "scripted" } as const;
  const { sessionId } = await client.ask("session:created", { ...create, worktree: { worktreeId: talk.worktreeId } });
  expect((await list(scene))[0]?.sessionIds.toSorted()).toEqual([talk.sessionId, sessionId].toSorted());
  const unknown = { ...create, worktree: { worktreeId: "none" as WorktreeId } };
  expect(await client.ask("error", unknown)).toMatchObject({ code: "WORKTREE_NOT_FOUND" });
});

test("[WS-28] a session whose agent does not start leaves no worktree behind, unless there is work in it", async () => {
  await using server = await startTestServer({ agents: { scripted: scriptedAgent({ refuse: "session/new" }) } });
  const scene = await startProject(server);
  const { client, projectId, root } = scene;
  const create = { type: "session:create", projectId, cliType: "scripted", worktree: { create: {} } } as const;
  expect((await client.ask("error", create)).code).not.toBe("INTERNAL_ERROR");
  expect(await list(scene)).toEqual([]);
  expect(git(root, "branch", "--format=%(refname:short)").trim()).toBe("main");
  const { sessions } = await client.ask("session:list", { type: "session:list", projectId, includeArchived: true });
  expect(sessions).toEqual([]);
  expect(git(root, "status", "--porcelain")).toBe("");
  await write(root, { "a.txt": "mine\n" });
  await client.ask("error", { ...create, worktree: { create: { carry: true } } });
  expect(await list(scene)).toMatchObject([{ status: "removed" }]);
});

test("X-8 the choice of a place: who is busy in the project, what was chosen last, and what cannot be", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const scene = await startProject(server);
  const { client, projectId } = scene;
  const options = () => client.ask("worktree:options", { type: "worktree:options", projectId });
  expect(await options()).toMatchObject({ unavailable: null, branch: "main", busySessionIds: [], lastChoice: null });
  const talk = await anotherTalk(client, projectId, "scripted");
  await talk.send(script(chunk("busy")));
  await talk.untilAnswer("busy");
  expect((await options()).busySessionIds).toEqual([talk.sessionId]);
  await talk.cancel();
  await talk.untilIdle();
  expect((await options()).busySessionIds).toEqual([]);
  await talk.say(doing("echo x > new.txt"));
  await talk.until("the changes", ({ changes }) => changes !== null);
  expect(await options()).toMatchObject({ busySessionIds: [talk.sessionId], uncommittedFiles: 1 });
  await startInWorktree(scene);
  expect((await options()).lastChoice).toBe("worktree");
  await server.stop();
  await server.start();
  const again = await server.connect();
  const create = { type: "session:create", projectId, cliType: "scripted", worktree: false } as const;
  expect((await again.ask("worktree:options", { type: "worktree:options", projectId })).lastChoice).toBe("worktree");
  await again.ask("session:created", create);
  expect((await again.ask("worktree:options", { type: "worktree:options", projectId })).lastChoice).toBe("project");
  const plain = await server.directory("plain");
  const { project } = await again.ask("project:added", { type: "project:add", path: plain });
  const none = await again.ask("worktree:options", { type: "worktree:options", projectId: project.id });
  expect(none.unavailable).not.toBeNull();
});

test("[WS-33] a session moves into a new worktree with its uncommitted work; its agent starts afresh and gets the conversation so far", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const scene = await startProject(server);
  const { client, projectId, root } = scene;
  const talk = await anotherTalk(client, projectId, "scripted");
  const { sessionId } = talk;
  await talk.say(script({ shell: "echo four >> a.txt; echo x > new.txt" }, chunk("first answer"), { end: "end_turn" }));
  await talk.until("the changes", ({ changes }) => changes !== null);
  const move = { type: "worktree:move-session", sessionId, to: { create: {} }, commandId: "move" } as const;
  const moved = await client.ask("worktree:moved", move);
  expect(await client.ask("worktree:moved", move)).toMatchObject({ worktreeId: moved.worktreeId });
  const [listed, ...others] = await list(scene);
  expect(others).toEqual([]);
  expect(listed?.sessionIds).toEqual([sessionId]);
  const path = listed?.path ?? "";
  expect(await readFile(join(path, "a.txt"), "utf8")).toBe("one\ntwo\nthree\nfour\n");
  expect(await readFile(join(path, "new.txt"), "utf8")).toBe("x\n");
  expect(git(root, "status", "--porcelain").trim().split("\n")).toHaveLength(2);
  await untilNotice(talk, "starts afresh");
  expect(talk.state.worktree?.worktreeId).toBe(moved.worktreeId ?? undefined);
  await talk.say(script({ shell: "pwd > here.txt" }, { echoPrompt: true }, { end: "end_turn" }));
  expect(talk.answer).toContain("first answer");
  expect((await readFile(join(path, "here.txt"), "utf8")).trim()).toBe(path);
  expect(await readdir(root)).not.toContain("here.txt");
  const agent = server.agentProcesses().find(({ commandLine }) => commandLine.includes("scripted-agent"));
  expect(await readlink(`/proc/${agent?.pid}/cwd`)).toBe(path);
  const notices = talk.entries.filter((entry) => entry.type === "notice");
  expect(notices).toHaveLength(1);
  const { checkpoints } = await client.ask("checkpoint:list", { type: "checkpoint:list", sessionId });
  expect(checkpoints.map(({ phase }) => phase)).toContain("safety");
});

test("[WS-33] after a move the checkpoints of the place before are listed with that place, and can be restored there", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const scene = await startProject(server);
  const { client, projectId, root } = scene;
  const talk = await anotherTalk(client, projectId, "scripted");
  const { sessionId } = talk;
  await talk.say(script({ shell: "echo changed > a.txt" }, chunk("done"), { end: "end_turn" }));
  const checkpoints = async () =>
    (await client.ask("checkpoint:list", { type: "checkpoint:list", sessionId })).checkpoints;
  const earlier = await waitFor(checkpoints, (all) => all.length === 2, "both checkpoints of the turn");
  const first = earlier.find(({ phase }) => phase === "before");
  if (!first) throw new Error("no checkpoint before the turn");
  await client.ask("worktree:moved", { type: "worktree:move-session", sessionId, to: { create: {} } });
  const placeOf = (await checkpoints()).find(({ checkpointId }) => checkpointId === first.checkpointId)?.place;
  expect(placeOf).toBe("the project's own directory");
  const { checkpointId } = first;
  const preview = { type: "checkpoint:preview", sessionId, checkpointId } as const;
  expect(await client.request(preview)).toMatchObject({
    code: "CHECKPOINT_NOT_FOUND",
    message: expect.stringContaining("Move the session back there"),
  });
  // Back in the project it is restored.
  git(root, "checkout", "-q", "a.txt");
  await client.ask("worktree:moved", { type: "worktree:move-session", sessionId, to: null });
  expect((await checkpoints()).find((one) => one.checkpointId === checkpointId)?.place).toBeUndefined();
  const { version } = await client.ask("checkpoint:preview", preview);
  await client.ask("checkpoint:restored", { ...preview, type: "checkpoint:restore", expect: version });
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
});

test("[WS-33] a move that is repeated because the server was killed before it could answer moves the session once", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const scene = await startProject(server);
  const talk = await anotherTalk(scene.client, scene.projectId, "scripted");
  await writeFile(join(scene.root, "new.txt"), "mine\n");
  const move = {
    type: "worktree:move-session",
    sessionId: talk.sessionId,
    to: { create: {} },
    commandId: "move",
  } as const;
  const { worktreeId } = await scene.client.ask("worktree:moved", move);
  await server.kill();
  // The next server's state of the command: its worktree and its session, and no answer.
  using db = new DatabaseSync(join(server.dataDir, "liminal.db"));
  expect(db.prepare("DELETE FROM receipt WHERE command_id = 'move'").run().changes).toBe(1);
  await server.start();
  const client = await server.connect();
  expect(await client.ask("worktree:moved", move)).toMatchObject({ worktreeId });
  expect(await list({ client, projectId: scene.projectId })).toHaveLength(1);
});

test("[WS-33] a move that cannot bring the work along changes nothing: no file, no worktree, not the session", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const scene = await startProject(server);
  const { client, root } = scene;
  const talk = await startInWorktree(scene);
  const { sessionId, path } = talk;
  await talk.say(doing("echo four >> a.txt"));
  await writeFile(join(root, "a.txt"), "mine\n");
  const back = { type: "worktree:move-session", sessionId, to: null } as const;
  expect(await client.ask("error", back)).toMatchObject({ code: "GIT_REFUSED" });
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe("mine\n");
  expect(await readFile(join(path, "a.txt"), "utf8")).toBe("one\ntwo\nthree\nfour\n");
  expect(talk.state.worktree).not.toBeNull();
  const named = { type: "worktree:move-session", sessionId, to: { create: { branch: "main" } } } as const;
  expect((await client.ask("error", named)).code).toBe("GIT_REFUSED");
  expect((await list(scene)).filter(({ status }) => status === "ready")).toHaveLength(1);
  await talk.send(script(chunk("busy")));
  await talk.untilAnswer("busy");
  expect(await client.ask("error", { ...back, to: { create: {} } })).toMatchObject({ code: "WORKDIR_BUSY" });
  await talk.cancel();
  await talk.untilIdle();
  git(root, "checkout", "-q", "--", "a.txt");
  await client.ask("worktree:moved", back);
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe("one\ntwo\nthree\nfour\n");
  await talk.until("its place", ({ worktree }) => worktree === null);
  await talk.say(doing("pwd > here.txt"));
  expect((await readFile(join(root, "here.txt"), "utf8")).trim()).toBe(await realpath(root));
});

test("[WS-33] a session whose worktree is gone can go on elsewhere", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const scene = await startProject(server);
  const { client, root } = scene;
  const talk = await startInWorktree(scene);
  const { sessionId, path } = talk;
  await talk.say(doing("true"));
  await rename(path, `${path}-elsewhere`);
  await client.ask("worktree:moved", { type: "worktree:move-session", sessionId, to: null });
  await untilNotice(talk, "did not come along");
  await talk.say(doing("pwd > here.txt"));
  expect((await readFile(join(root, "here.txt"), "utf8")).trim()).toBe(await realpath(root));
});

test("[WS-38] X-8 work in two worktrees that would collide is shown in the list, the agent is asked to merge, and a merge arrives", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const scene = await startProject(server);
  const { client, root, projectId } = scene;
  const one = await startInWorktree(scene, { branch: "one" });
  const two = await startInWorktree(scene, { branch: "two" });
  const mark = client.mark();
  await one.say(doing("echo one > a.txt"));
  await two.say(doing("echo two > a.txt"));
  const told = await client.next(
    "worktree:list",
    ({ worktrees }) => worktrees.length === 2 && worktrees.every(({ radar }) => radar.state === "overlap"),
    mark,
  );
  expect(told.worktrees[0]?.radar.overlaps[0]).toMatchObject({ kind: "conflict", paths: ["a.txt"] });
  git(one.path, "commit", "-qam", "one");
  const { worktreeId, sessionId } = one;
  const preview = await client.ask("merge:preview", { type: "merge:preview", worktreeId });
  expect(preview).toMatchObject({ into: "main", result: "clean", commits: 1, totalFiles: 1 });
  const draft = await client.ask("publish:preview", { type: "publish:preview", worktreeId });
  expect(draft.title).toBe((await rowOf(scene, one)).title);
  expect(draft.body).toContain("echo one > a.txt");
  expect(draft.body).toContain("`a.txt`");
  const merge = { type: "merge:run", worktreeId, into: "main", how: "merge", expect: preview.expect } as const;
  await client.ask("merge:done", merge);
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe("one\n");
  expect(git(root, "status", "--porcelain")).toBe("");
  const ask = { type: "merge:ask-agent", sessionId, into: "main" } as const;
  expect(await client.ask("error", { ...ask, worktreeId: two.worktreeId })).toMatchObject({ code: "INVALID_MESSAGE" });
  await client.ask("ok", { ...ask, worktreeId });
  await one.until("the request", () => one.messages.length === 2);
  expect(one.messages[1]).toContain("Merge the branch “main” into the branch “one”");
  const { sessions } = await client.ask("session:list", { type: "session:list", projectId });
  expect(sessions.map(({ worktree }) => worktree?.branch).toSorted()).toEqual(["one", "two"]);
});

async function rowOf({ client, projectId }: Scene, { sessionId }: Talk): Promise<SessionRow> {
  const { sessions } = await client.ask("session:list", { type: "session:list", projectId });
  const row = sessions.find(({ id }) => id === sessionId);
  if (!row) throw new Error("no such session");
  return row;
}

test("X-8 O-7 children get a worktree each, and their parent gets the files that collide", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const scene = await startProject(server);
  const talk = await anotherTalk(scene.client, scene.projectId);
  await using caller = await McpCaller.overHttp(server, sessionToken(server, talk.sessionId));
  const create = (branch: string) =>
    caller.call("create_coding_agent", {
      agent: "scripted",
      worktree: { branch },
      plan: doing(`echo ${branch} > a.txt`),
    });
  const [one, two] = [await create("child-one"), await create("child-two")];
  expect([one["worktree"], two["worktree"]]).toMatchObject([{ branch: "child-one" }, { branch: "child-two" }]);
  const told = await waitFor(
    () => caller.call("get_agent_changes", { agentId: one["agentId"] }),
    ({ radar }) => radar === "overlap",
    "the overlap",
  );
  expect(told["overlaps"]).toMatchObject([{ kind: "conflict", paths: ["a.txt"], total: 1 }]);
  expect(await readFile(join(scene.root, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
});
