import { describe, expect, it } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CommandId, type ProjectId } from "../../src/protocol/ids.ts";
import { pathThere } from "../../src/protocol/place-path.ts";
import type { ServiceInfo } from "../../src/protocol/terminals.ts";
import type { WorktreeId } from "../../src/protocol/worktree-ref.ts";
import type { Worktree } from "../../src/protocol/worktrees.ts";
import { COMMANDS_TIMEOUT_MS, liminal, liminalJson } from "../cli/liminal.ts";
import { chunk, script, scriptedAgent } from "../integration/scripted-agent.ts";
import { Talk } from "../integration/talk.ts";
import type { SocketClient } from "../support/socket-client.ts";
import { tempDir } from "../support/temp-dir.ts";
import { START, startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { git, write } from "../workspace/git-scene.ts";

/** Root alone may mount without a namespace of users, in which files would have other owners. */
const CAN_MOUNT =
  process.getuid?.() === 0 &&
  Bun.spawnSync(["unshare", "--mount", "true"], { stdio: ["ignore", "ignore", "ignore"] }).exitCode === 0;
const WHERE = CAN_MOUNT ? "whose directories are only there" : "(skipped: mount namespaces need root on Linux)";

const doing = (command: string) => script({ shell: command }, chunk("done"), { end: "end_turn" });

/** Answers with the directory it runs in. */
const PROGRAM = `Bun.serve({ hostname: "127.0.0.1", port: Number(process.env.PORT), fetch: () => new Response(process.cwd()) });`;

/**
 * A server with a place `box`. What the place has in its home is below `kept` here, by other names: of the paths that the
 * server knows of, none can be opened on its own machine.
 */
async function openScene() {
  const dir = await tempDir();
  const [kept, home] = [dir.join("kept"), dir.join("home")];
  const root = join(kept, "app");
  for (const path of [root, home]) mkdirSync(path, { recursive: true });
  git(root, "init", "-q", "-b", "main");
  git(root, "config", "user.name", "The User");
  git(root, "config", "user.email", "user@example.org");
  const services = { dev: { command: `'${process.execPath}' program.js`, port: true } };
  const file = { setup: 'echo "$LIMINAL_PROJECT $LIMINAL_WORKTREE" > set-up.txt', services };
  await write(root, { "a.txt": "1\n2\n3\n", "program.js": PROGRAM, "liminal.json": JSON.stringify(file) });
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
  const mounted = ["unshare", "--mount", "/bin/sh", "-c", 'mount --bind "$0" "$1" && HOME=$1 && shift && exec "$@"'];
  const command = [...mounted, kept, home, ...START, "runner"];
  const { command: agent = "", args = [], ...setting } = scriptedAgent();
  const places = { box: { kind: "command", command, agents: { scripted: [agent, ...args] } } };
  const server = await startTestServer({
    prepare: (dataDir) =>
      writeFileSync(
        join(dataDir, "config.json"),
        JSON.stringify({ agents: { scripted: { ...setting, command: agent, args } }, places }),
      ),
  });
  return {
    ...{ server, home, root },
    /** Where a file of the place is to be seen from here. */
    seen: (path: string) => pathThere(path).replace(home, kept),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

async function list(client: SocketClient, projectId: ProjectId): Promise<Worktree[]> {
  return (await client.ask("worktree:list", { type: "worktree:list", projectId })).worktrees;
}

async function startInWorktree(client: SocketClient, projectId: ProjectId, branch: string) {
  const request = { type: "session:create", projectId, cliType: "scripted", worktree: { create: { branch } } } as const;
  const { sessionId, session } = await client.ask("session:created", request);
  await client.ask("session:history", { type: "session:open", sessionId });
  const found = (await list(client, projectId)).find((one) => one.worktreeId === session.worktree?.worktreeId);
  if (!found) throw new Error("the session works in a worktree");
  return Object.assign(new Talk(client, projectId, sessionId), { worktreeId: found.worktreeId, path: found.path });
}

async function untilSetup(client: SocketClient, projectId: ProjectId, id: WorktreeId, state: string) {
  return waitFor(
    async () => (await list(client, projectId)).find(({ worktreeId }) => worktreeId === id)?.setup,
    (setup) => setup?.state === state,
    `the setup to be ${state}`,
  );
}

async function add(server: TestServer) {
  const client = await server.connect();
  const { project } = await client.ask("project:added", { type: "project:add", path: "box:~/app" });
  return { client, projectId: project.id, project };
}

describe.skipIf(!CAN_MOUNT)(`worktrees of sessions at a place ${WHERE}`, () => {
  it(
    "[SC-33] [WS-25] [WS-38] agents edit in two of them, the radar tells, one is merged, both are removed, one returns",
    async () => {
      await using scene = await openScene();
      const { server, home, root, seen } = scene;
      const { client, projectId } = await add(server);
      const one = await startInWorktree(client, projectId, "fix");
      const other = await startInWorktree(client, projectId, "docs");
      expect(one.path).toStartWith(`box:${home}/.liminal-worktrees/app-box/`);
      await one.say(doing("sed -i s/2/fixed/ a.txt; pwd > here.txt"));
      await other.say(doing("sed -i s/2/described/ a.txt; git commit -qam Describe"));
      expect(readFileSync(seen(join(one.path, "here.txt")), "utf8").trim()).toBe(pathThere(one.path));
      await one.until("the changes of its turn", ({ changes }) => changes?.files === 2);
      const listed = await waitFor(
        () => list(client, projectId),
        (all) => all.every(({ radar }) => radar.state === "overlap"),
        "the radar to tell both",
      );
      expect(listed.find(({ worktreeId }) => worktreeId === one.worktreeId)?.radar.overlaps[0]).toMatchObject({
        with: { worktreeId: other.worktreeId },
        kind: "conflict",
        paths: ["a.txt"],
      });

      const { worktreeId } = other;
      const { expect: shown } = await client.ask("merge:preview", { type: "merge:preview", worktreeId });
      const merge = { type: "merge:run", worktreeId, into: "main", how: "merge", expect: shown } as const;
      await client.ask("merge:done", { ...merge, commandId: CommandId.parse("m1") });
      expect(git(root, "log", "-1", "--format=%s", "main").trim()).toBe("Merge branch 'docs'");
      expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("1\ndescribed\n3\n");

      for (const talk of [one, other]) await client.ask("ok", { type: "worktree:remove", worktreeId: talk.worktreeId });
      const refused = await client.ask("error", {
        type: "session:send",
        sessionId: one.sessionId,
        content: doing("true"),
      });
      expect(refused.message).toContain("is not there");
      await client.ask("ok", { type: "worktree:return", worktreeId: one.worktreeId });
      await one.say(doing("cat here.txt a.txt > both.txt"));
      expect(readFileSync(seen(join(one.path, "both.txt")), "utf8")).toBe(`${pathThere(one.path)}\n1\nfixed\n3\n`);

      // Into the project's own directory, which has what was merged: refused, nothing is lost. Then into a new one.
      const move = { type: "worktree:move-session", sessionId: one.sessionId } as const;
      expect((await client.ask("error", { ...move, to: null })).message).toContain("different versions");
      const { worktreeId: next } = await client.ask("worktree:moved", { ...move, to: { create: { base: "fix" } } });
      await one.say(doing("pwd > there.txt"));
      const place = (await list(client, projectId)).find((all) => all.worktreeId === next);
      expect(readFileSync(seen(join(place?.path ?? "", "there.txt")), "utf8").trim()).toBe(
        pathThere(place?.path ?? ""),
      );
      expect(readFileSync(seen(join(place?.path ?? "", "a.txt")), "utf8")).toBe("1\nfixed\n3\n");
      // Nothing of the place was opened or made on this machine.
      expect(readdirSync(home)).toEqual([]);
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "[SC-33] [SC-29] [WS-27] setup and services run there with consent, and the next server goes on with them",
    async () => {
      await using scene = await openScene();
      const { server, home, seen } = scene;
      let { client, projectId } = await add(server);
      const { value } = await liminalJson(server, [
        ...["run", "--wait", "--worktree", "-p", "box:~/app", "--agent", "scripted", doing("pwd > here.txt")],
      ]);
      expect(value).toMatchObject({ status: "done" });
      const [made] = await list(client, projectId);
      const { worktreeId, path } = made ?? raise();
      expect(readFileSync(seen(join(path, "here.txt")), "utf8").trim()).toBe(pathThere(path));
      const asks = await untilSetup(client, projectId, worktreeId, "asks");
      await client.ask("ok", { type: "worktree:setup", worktreeId, hash: asks?.hash ?? "" });
      await untilSetup(client, projectId, worktreeId, "done");
      expect(readFileSync(seen(join(path, "set-up.txt")), "utf8")).toBe(`${home}/app ${pathThere(path)}\n`);

      const dev = async (): Promise<ServiceInfo> => {
        const { services } = await client.ask("service:list", { type: "service:list", projectId, worktreeId });
        return services[0] ?? raise();
      };
      const start = { type: "service:start", projectId, worktreeId, name: "dev" } as const;
      expect((await client.ask("error", start)).message).toContain("You have not agreed");
      await client.ask("service:list", { ...start, hash: (await dev()).hash });
      const running = await dev();
      // No address: it would lead to this machine.
      expect([running.state, running.url]).toEqual(["running", null]);
      const answer = () =>
        fetch(`http://127.0.0.1:${running.port}`).then(
          (reply) => reply.text(),
          () => null,
        );
      await waitFor(answer, (text) => text === pathThere(path), "the service to answer");

      await server.kill();
      await server.start();
      client = await server.connect();
      expect(await dev()).toMatchObject({ state: "running", terminalId: running.terminalId, port: running.port });
      expect(await answer()).toBe(pathThere(path));
      // The terminals of the place are known as soon as it is reached.
      await waitFor(
        async () => (await client.ask("terminal:list", { type: "terminal:list" })).terminals,
        (all) => all.some(({ terminalId }) => terminalId === running.terminalId),
        "the terminal of the service",
      );
      await client.ask("service:list", { type: "service:stop", projectId, worktreeId, name: "dev" });
      expect(await dev()).toMatchObject({ state: "stopped" });
      expect(await answer()).toBeNull();

      const shown = await liminal(server, ["worktrees", "-p", `box:${home}/app`]);
      expect(shown.stdout).toContain(path);
      expect(readdirSync(home)).toEqual([]);
    },
    COMMANDS_TIMEOUT_MS,
  );
});

function raise(): never {
  throw new Error("it is not listed");
}
