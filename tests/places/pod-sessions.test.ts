import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { podIdIn, podIdOf } from "../../src/places/pod.ts";
import { CliType, type SessionId } from "../../src/protocol/ids.ts";
import { COMMANDS_TIMEOUT_MS } from "../cli/liminal.ts";
import { anotherTalk, reopen, Talk } from "../integration/talk.ts";
import { type ProcessWatch, watchProcesses } from "../support/leftover-processes.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { git } from "../workspace/git-scene.ts";
import { PlayedCluster } from "./played-cluster.ts";
import type { Played } from "./played-objects.ts";

const STREAMED = Array.from({ length: 400 }, (_, index) => `w${index + 1}`).join(" ");
const SPEC = { containers: [{ name: "agent", image: "liminal-builder", command: ["sleep", "infinity"] }] };

describe("sessions in pods", () => {
  let dir: TempDir;
  let processes: ProcessWatch;
  let cluster: PlayedCluster;
  let server: TestServer;

  beforeAll(async () => {
    dir = await tempDir();
    processes = watchProcesses();
    mkdirSync(dir.join("repo/app"), { recursive: true });
    git(dir.join("repo/app"), "init", "-q");
    cluster = new PlayedCluster({ dir: dir.path, env: processes.env });
    server = await startTestServer({
      env: { PATH: `${cluster.bin}:${process.env["PATH"]}` },
      prepare: (dataDir) =>
        writeFileSync(
          join(dataDir, "config.json"),
          JSON.stringify({ places: { pods: { kind: "kubernetes", pod: SPEC, namespace: "agents" } } }),
        ),
    });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    cluster[Symbol.dispose]();
    processes[Symbol.dispose]();
    await dir[Symbol.asyncDispose]();
  });

  const podOf = (sessionId: SessionId): Played | undefined =>
    cluster.pods.find(({ metadata }) => podIdIn(metadata.labels) === podIdOf(sessionId));

  async function newTalk(): Promise<Talk> {
    const client = await server.connect();
    const { projects } = await client.next("hello", () => true, 0);
    const known = projects[0]?.id;
    if (known !== undefined) return anotherTalk(client, known);
    const { project } = await client.ask("project:added", {
      type: "project:add",
      path: `pods:${dir.path}/repo/app`,
    });
    return anotherTalk(client, project.id);
  }

  async function gone(sessionId: SessionId): Promise<void> {
    await waitFor(
      () => podOf(sessionId),
      (pod) => pod === undefined,
      "the pod to be deleted",
    );
  }

  it(
    "[SC-32] have a pod each, which goes when its session is archived, and comes back empty with the next message",
    async () => {
      const one = await newTalk();
      const two = await newTalk();
      await Promise.all([one.say("help"), two.say("help")]);
      const pod = podOf(one.sessionId);
      expect(pod?.metadata["annotations"]).toEqual({ "liminal-builder/place": "pods" });
      // That of the place, and one for each session.
      expect(cluster.pods).toHaveLength(3);
      const { terminalId } = await one.client.ask("terminal:opened", {
        type: "terminal:open",
        sessionId: one.sessionId,
      });
      const { terminals } = await one.client.ask("terminal:list", { type: "terminal:list" });
      expect(terminals).toMatchObject([{ terminalId, cwd: `pods.${podIdOf(one.sessionId)}:${dir.path}/repo/app` }]);

      await one.client.ask("session:archived", { type: "session:archive", sessionId: one.sessionId });
      await gone(one.sessionId);
      expect(podOf(two.sessionId)).toBeDefined();
      expect((await one.client.ask("terminal:list", { type: "terminal:list" })).terminals).toEqual([]);
      const { sessionId } = one;
      const listed = await one.client.ask("error", { type: "files:list", sessionId, path: "" });
      expect(listed.message).toContain("The pod of this session at pods is gone, with all that was in it.");
      expect(podOf(sessionId)).toBeUndefined();

      await one.client.ask("session:unarchived", { type: "session:unarchive", sessionId });
      await one.say("help");
      expect(podOf(sessionId)).toBeDefined();
      await two.client.ask("session:deleted", { type: "session:delete", sessionId: two.sessionId });
      await gone(two.sessionId);
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "[SC-29] [SC-32] go on in the same pod when the server is killed in a turn",
    async () => {
      let talk = await newTalk();
      const seq = await talk.send("stream 400 words at 100/s");
      await talk.until("the first words", () => talk.answer.includes("w20"));
      const before = cluster.pods.map(({ metadata }) => metadata.name).sort();
      await server.kill();
      await server.start();
      talk = await reopen(await server.connect(), talk);
      await talk.untilIdle(seq);
      expect(talk.answer).toBe(STREAMED);
      expect(cluster.pods.map(({ metadata }) => metadata.name).sort()).toEqual(before);
      await talk.client.ask("session:archived", { type: "session:archive", sessionId: talk.sessionId });
      await gone(talk.sessionId);
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "[SC-32] keep a pod in which another session goes on that branched from its own",
    async () => {
      const source = await newTalk();
      await source.say("help");
      const { client, sessionId } = source;
      const branched = await client.ask("session:created", { type: "session:branch", sessionId });
      const pods = cluster.pods.length;
      const branch = await reopen(client, new Talk(client, source.projectId, branched.sessionId));
      await branch.say("help");
      expect(cluster.pods).toHaveLength(pods);
      await client.ask("session:archived", { type: "session:archive", sessionId });
      expect(podOf(sessionId)).toBeDefined();
      await client.ask("session:archived", { type: "session:archive", sessionId: branch.sessionId });
      await gone(sessionId);
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "[SC-32] have no worktrees, whose files would be in no pod of a session, and the reason is told",
    async () => {
      const { client, projectId } = await newTalk();
      const pods = cluster.pods.length;
      const unavailable = "Each session at this place has a pod of its own, so it needs no worktree.";
      expect(await client.ask("worktree:options", { type: "worktree:options", projectId })).toMatchObject({
        unavailable,
      });
      const refused = await client.ask("error", {
        ...{ type: "session:create", projectId, cliType: CliType.parse("builtin") },
        worktree: { create: { branch: "work/one" } },
      });
      expect(refused.message).toBe(unavailable);
      expect(cluster.pods).toHaveLength(pods);
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "[SC-34] [SC-35] are refused in one sentence while the cluster refuses, and leave no process when the server stops",
    async () => {
      const client = await server.connect();
      cluster.refuse({
        get: "The connection to the server 10.0.0.1:6443 was refused - did you specify the right host or port?",
      });
      const checked = await client.ask("settings:tested", {
        type: "place:check",
        name: "pods",
        setting: { kind: "kubernetes", namespace: "agents" },
      });
      expect(checked).toMatchObject({
        ok: false,
        message:
          'The cluster of pods does not answer: check with "kubectl get pods" that it runs, and which one the kubeconfig names.',
      });
      const { projects } = await client.next("hello", () => true, 0);
      const refused = await client.ask("error", {
        ...{ type: "session:create", projectId: projects[0]?.id ?? raise(), cliType: CliType.parse("builtin") },
      });
      expect(refused.message).toBe(
        'Could not start Liminal Guide at pods. The cluster of pods does not answer: check with "kubectl get pods" that it runs, and which one the kubeconfig names.',
      );
      cluster.refuse({});
      const pods = cluster.pods.length;
      const again = await client.ask("settings:tested", {
        type: "place:check",
        name: "pods",
        setting: { kind: "kubernetes", namespace: "agents" },
      });
      expect(again).toMatchObject({ ok: true });
      expect(cluster.pods).toHaveLength(pods);
      const bad = await client.ask("error", { type: "project:add", path: "pods.abc:/tmp" });
      expect(bad.details).toContain("pods.abc is the pod of one session: use pods:/tmp");
      await server.stop();
      expect(await processes.leftAfter(20_000)).toEqual([]);
    },
    COMMANDS_TIMEOUT_MS,
  );
});

function raise(): never {
  throw new Error("there is no project");
}
