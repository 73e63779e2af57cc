import { expect, test } from "bun:test";
import { join } from "node:path";
import { z } from "zod";
import { chunk, script, scriptedAgent } from "../integration/scripted-agent.ts";
import { anotherTalk } from "../integration/talk.ts";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { git, write } from "../workspace/git-scene.ts";
import { McpCaller, sessionToken } from "./mcp-caller.ts";

const Overlapping = z.object({
  agents: z.array(z.looseObject({ agentId: z.string(), overlaps: z.unknown().optional() })),
});

test("[O-1] [WS-1] get_agent_changes: a parent sees what its agent's turn changed, in pages and as a patch; others do not", async () => {
  await using server = await startTestServer({ agents: { scripted: scriptedAgent() } });
  const client = await server.connect();
  const root = await server.directory("shop");
  git(root, "init", "-q", "-b", "main");
  await write(root, { "a.txt": "one\ntwo\n", "b.txt": "b\n" });
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
  const { project } = await client.ask("project:added", { type: "project:add", path: root });
  const parent = await anotherTalk(client, project.id, "scripted");
  const stranger = await anotherTalk(client, project.id, "scripted");
  await using own = await McpCaller.overHttp(server, sessionToken(server, parent.sessionId));
  await using other = await McpCaller.overHttp(server, sessionToken(server, stranger.sessionId));

  const work = { shell: "echo three >> a.txt; rm b.txt; echo x > c.txt" };
  const agentId = await own.create({ plan: script(work, chunk("done"), { end: "end_turn" }) });
  await own.wait({ agentIds: [agentId] });
  const files = [
    { path: "a.txt", status: "modified", added: 1, removed: 0 },
    { path: "b.txt", status: "deleted", added: 0, removed: 1 },
    { path: "c.txt", status: "added", added: 1, removed: 0 },
  ];
  const all = { agentId, total: 3, added: 2, removed: 1 };
  expect(await own.call("get_agent_changes", { agentId })).toEqual({ ...all, files });
  const first = await own.call("get_agent_changes", { agentId, limit: 2, path: "a.txt" });
  expect(first).toEqual({
    ...all,
    files: files.slice(0, 2),
    nextCursor: "2",
    patch: "@@ -1,2 +1,3 @@\n one\n two\n+three\n",
  });
  const next = { agentId, scope: "base", cursor: first["nextCursor"] };
  expect(await own.call("get_agent_changes", next)).toEqual({ ...all, files: files.slice(2) });

  expect(await other.refusalOf("get_agent_changes", { agentId })).toBe("Agent not found");
  const idle = await own.create({});
  expect(await own.call("get_agent_changes", { agentId: idle })).toEqual({
    ...{ agentId: idle, files: [], total: 0, added: 0, removed: 0 },
  });
  expect(await own.refusalOf("get_agent_changes", { agentId, path: "no/such" })).toContain("Files changed since");
});

test("[X-24] [O-1] [WS-38] a wait and a digest name the conflicts between agents in worktrees", async () => {
  await using server = await startTestServer({ agents: { scripted: scriptedAgent() } });
  const client = await server.connect();
  const root = await server.directory("shop");
  git(root, "init", "-q", "-b", "main");
  await write(root, { "a.txt": "one\n", "b.txt": "b\n" });
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
  const { project } = await client.ask("project:added", { type: "project:add", path: root });
  const parent = await anotherTalk(client, project.id, "scripted");
  await using own = await McpCaller.overHttp(server, sessionToken(server, parent.sessionId));
  const begin = (command: string) =>
    own.create({ worktree: {}, plan: script({ shell: command }, chunk("done"), { end: "end_turn" }) });
  const [one, two] = [await begin("echo 1 > a.txt"), await begin("echo 2 > a.txt; git commit -qam two")];
  const three = await begin("echo 3 > b.txt");
  // A wait does not wait longer than a few seconds for the look at the worktrees: on a busy machine the next one has it.
  const overlaps = await waitFor(
    async () => {
      const waited = Overlapping.parse(await own.wait({ agentIds: [one, two, three] }));
      return new Map(waited.agents.map((agent) => [agent.agentId, agent.overlaps]));
    },
    (found) => found.get(one) !== undefined && found.get(two) !== undefined,
    "both conflicts",
  );
  expect(overlaps.get(one)).toMatchObject([{ kind: "conflict", paths: ["a.txt"], total: 1 }]);
  expect(overlaps.get(two)).toMatchObject([{ kind: "conflict", paths: ["a.txt"], total: 1 }]);
  expect(overlaps.get(three)).toBeUndefined();

  const four = await own.create({ plan: script({ untilFile: join(root, "go") }, { end: "end_turn" }) });
  await own.wait({ agentIds: [one, four], wake: true });
  await write(root, { go: "" });
  await parent.until("the digest", () => parent.messages.length > 0);
  const [digest = ""] = parent.messages;
  expect(digest).toMatch(/Conflict: merging it with \S+ would conflict in a\.txt\./);
});
