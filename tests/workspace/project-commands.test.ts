import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { launchHolder } from "../../src/agents/holder/launch-holder.ts";
import { ownCommand } from "../../src/operations/own-program.ts";
import type { WorktreePlace } from "../../src/ports/worktrees.ts";
import { RefusalError } from "../../src/protocol/errors.ts";
import { ProjectId } from "../../src/protocol/ids.ts";
import type { PlainServerMessage, Project } from "../../src/protocol/server-messages.ts";
import type { ServiceInfo } from "../../src/protocol/terminals.ts";
import { WorktreeId } from "../../src/protocol/worktree-ref.ts";
import { HeldTerminals } from "../../src/terminals/held-terminals.ts";
import { CommandRecords } from "../../src/workspace/commands/command-records.ts";
import { LOCAL_COMMAND_MACHINE } from "../../src/workspace/commands/local-command-machine.ts";
import { LocalProjectCommands } from "../../src/workspace/commands/project-commands.ts";
import { Services } from "../../src/workspace/commands/services.ts";
import { tempDir } from "../support/temp-dir.ts";
import { waitFor } from "../support/wait-for.ts";

const WORLD = { now: Date.now, newId: () => crypto.randomUUID() };
const WORKTREE = WorktreeId.parse("w-1");
/** Listens on its port; ends when a request asks for it. */
const SERVER = `
Bun.serve({ hostname: "127.0.0.1", port: Number(process.env.PORT), fetch: ({ url }) => {
  if (url.endsWith("/crash")) setTimeout(() => process.exit(7));
  return new Response(JSON.stringify(process.env));
} });`;

type File = {
  readonly setup?: string;
  readonly teardown?: string;
  readonly services?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

/** A project with a worktree beside it, and the real terminals. */
async function openScene(file: File, options: { restartDelaysMs?: readonly number[]; teardownMsMax?: number } = {}) {
  const dir = await tempDir();
  const [root, cwd] = [dir.join("project"), dir.join("worktree")];
  // Of its own, so that tests that run at the same time look for ports elsewhere.
  const id = ProjectId.parse(crypto.randomUUID());
  const project: Project = { id, path: root, name: "project", addedAt: "" };
  const place: WorktreePlace = {
    ...{ worktreeId: WORKTREE, projectId: project.id, name: "worktree", branch: "liminal/w", path: cwd, cwd },
  };
  const write = (to: string, content: File) => writeFile(`${to}/liminal.json`, JSON.stringify(content));
  for (const path of [root, cwd]) {
    await mkdir(path);
    await write(path, file);
    await writeFile(`${path}/server.js`, SERVER);
  }
  const errors: unknown[] = [];
  const lists: Extract<PlainServerMessage, { type: "service:list" }>[] = [];
  const terminals = new HeldTerminals({
    world: WORLD,
    dir: dir.join("t"),
    holdMs: 60_000,
    holder: ownCommand("terminal-holder"),
    env: { PATH: process.env["PATH"] ?? "", HOME: dir.path },
    launch: launchHolder,
    onError: (error) => errors.push(error),
  });
  await terminals.resume();
  const records = await CommandRecords.open({ path: dir.join("records.json"), world: WORLD, warn: console.warn });
  const services = new Services({
    world: WORLD,
    records,
    ...{ terminals, machine: LOCAL_COMMAND_MACHINE, terminalsKnown: () => null },
    projects: { list: () => [project] },
    findWorktree: async (id) => (id === WORKTREE ? place : null),
    publish: (message) => message.type === "service:list" && lists.push(message),
    onError: (error) => errors.push(error),
    ...options,
  });
  const commands = new LocalProjectCommands({
    ...{ records, services, terminals, machine: LOCAL_COMMAND_MACHINE, terminalsKnown: () => null },
    onError: (error) => errors.push(error),
    ...options,
  });
  const send = async (type: "list" | "start" | "stop" | "restart", name = "dev", hash?: string) => {
    const where = { projectId: project.id, worktreeId: WORKTREE };
    const answer = await services.answer(
      type === "list" ? { type: "service:list", ...where } : { type: `service:${type}`, ...where, name, hash },
    );
    if (answer.kind === "refused") throw new RefusalError(answer.refusal);
    return answer.message;
  };
  const service = async (name = "dev"): Promise<ServiceInfo> => {
    const found = (await send("list")).services.find((one) => one.name === name);
    if (!found) throw new Error(`no service ${name}`);
    return found;
  };
  return {
    ...{ dir, root, cwd, project, place, write, lists, terminals, records, commands, services, send, service },
    inWorktree: (name: string) => `${cwd}/${name}`,
    until: (what: string, isReached: (info: ServiceInfo) => boolean, name = "dev") =>
      waitFor(() => service(name), isReached, what),
    untilSetup: (state: string) =>
      waitFor(
        () => commands.setupOf(WORKTREE),
        (setup) => setup.state === state,
        state,
      ),
    async [Symbol.asyncDispose]() {
      commands[Symbol.dispose]();
      services[Symbol.dispose]();
      await terminals.stop();
      await records.written();
      await dir[Symbol.asyncDispose]();
      expect(errors).toEqual([]);
    },
  };
}

const refusal = (run: Promise<unknown>) =>
  run.then(
    () => null,
    (error: unknown) => (error instanceof RefusalError ? error.refusal : Promise.reject(error)),
  );

const bun = `'${process.execPath}' server.js`;

test("[WS-27] a setup runs once the user has agreed to it, with its variables, and then without asking in the next worktree", async () => {
  const setup = "echo $LIMINAL_PROJECT $LIMINAL_WORKTREE $LIMINAL_BRANCH $LIMINAL_PORT_DEV > ran";
  await using scene = await openScene({ setup, services: { dev: { command: "true", port: true } } });
  const { commands, project, place } = scene;
  const { setup: offered } = await commands.setupFor(project);
  expect(offered).toMatchObject({ state: "asks", command: setup });

  const asking = await commands.runSetup(project, place, null);
  expect(asking).toMatchObject({ state: "asks", command: setup, hash: offered.hash });
  expect(commands.setupOf(WORKTREE)).toEqual(asking);
  expect(scene.terminals.list()).toEqual([]);

  await commands.runSetup(project, place, asking.hash ?? null);
  await scene.untilSetup("done");
  const [inProject, inWorktree, branch, port] = (await readFile(scene.inWorktree("ran"), "utf8")).trim().split(" ");
  expect([inProject, inWorktree, branch]).toEqual([scene.root, scene.cwd, "liminal/w"]);
  expect(Number(port)).toBe((await scene.service()).port ?? 0);

  expect((await commands.setupFor(project)).setup.state).toBe("done");
  const next = { ...place, worktreeId: WorktreeId.parse("w-2") };
  expect((await commands.runSetup(project, next, null)).state).toBe("running");
  await waitFor(
    () => commands.setupOf(next.worktreeId).state,
    (state) => state === "done",
    "the setup of the next worktree",
  );
});

test("[WS-27] a setup that fails leaves the worktree, its exit code and its terminal", async () => {
  await using scene = await openScene({ setup: "echo begun > half; exit 3" });
  const { commands, project, place } = scene;
  const { hash } = (await commands.setupFor(project)).setup;
  const { terminalId } = await commands.runSetup(project, place, hash ?? null);
  const failed = await scene.untilSetup("failed");
  expect(failed).toMatchObject({ state: "failed", exitCode: 3, terminalId });
  expect(await readFile(scene.inWorktree("half"), "utf8")).toBe("begun\n");
  expect(scene.terminals.list().find((one) => one.terminalId === terminalId)?.end?.exitCode).toBe(3);
});

test("[WS-27] the next server follows a setup that an earlier one left running, and one that was cut off has failed", async () => {
  await using scene = await openScene({ setup: "until test -e go; do sleep 0.02; done; exit 6" });
  const { commands, project, place, terminals, records, services } = scene;
  const { hash } = (await commands.setupFor(project)).setup;
  await commands.runSetup(project, place, hash ?? null);
  commands[Symbol.dispose]();
  const cutOff = WorktreeId.parse("w-3");
  await records.keepSetup(project.id, cutOff, { state: "running", command: "x", terminalId: "gone" });
  using next = new LocalProjectCommands({
    ...{ records, services, terminals, machine: LOCAL_COMMAND_MACHINE, terminalsKnown: () => null },
    onError: console.error,
  });
  expect(next.setupOf(WORKTREE).state).toBe("running");
  expect(next.setupOf(cutOff)).toEqual({ state: "failed", command: "x", exitCode: null });
  await writeFile(scene.inWorktree("go"), "");
  const ended = await waitFor(
    () => next.setupOf(WORKTREE),
    ({ state }) => state !== "running",
    "the end of the setup",
  );
  expect(ended).toMatchObject({ state: "failed", exitCode: 6 });
});

test("[WS-27] an agent that edits liminal.json in its worktree gets nothing run: not the setup, a service, a restart or the teardown", async () => {
  const dev = { command: "test -e ok || exit 5; touch holds; exec sleep 1000", restart: "on-failure" };
  const file = { setup: "true", teardown: "echo good > torn", services: { dev } };
  await using scene = await openScene(file, { restartDelaysMs: Array.from({ length: 1_000 }, () => 1) });
  const { commands, project, place } = scene;
  const agreed = await commands.runSetup(project, place, null);
  await commands.runSetup(project, place, agreed.hash ?? null);
  await scene.untilSetup("done");
  const { hash } = await scene.service();

  // The user agrees to the service. It fails until "ok" is there; in between the agent changes its command.
  const evil = "echo evil >> evil";
  await scene.send("start", "dev", hash);
  await scene.until("a first restart", ({ restarts }) => restarts > 0);
  await scene.write(scene.cwd, { setup: evil, teardown: evil, services: { dev: { ...dev, command: evil } } });
  const { restarts: before } = await scene.service();
  await scene.until("restarts after the edit", ({ restarts }) => restarts > before + 1);
  await writeFile(scene.inWorktree("ok"), "");
  const holds = (info: ServiceInfo) => info.state === "running" && existsSync(scene.inWorktree("holds"));
  const after = await scene.until("the end of the failures", holds);
  expect(after.command).toBe(dev.command);
  expect(after.problem).toContain("Stop the service");
  expect((await refusal(scene.send("restart")))?.code).toBe("CONSENT_REQUIRED");
  expect(await scene.service()).toEqual(after);
  await scene.send("stop");
  expect(await scene.service()).toMatchObject({ state: "asks", command: evil });
  expect((await refusal(scene.send("start")))?.code).toBe("CONSENT_REQUIRED");
  expect((await refusal(scene.send("start", "dev", hash)))?.code).toBe("CONSENT_REQUIRED");

  expect((await refusal(commands.runSetup(project, place, agreed.hash ?? null)))?.code).toBe("CONSENT_REQUIRED");
  expect(commands.setupOf(WORKTREE)).toMatchObject({ state: "asks" });
  expect((await commands.runSetup(project, place, null)).state).toBe("asks");
  await commands.leave(project, place);
  expect(existsSync(scene.inWorktree("evil"))).toBe(false);
  expect(existsSync(scene.inWorktree("torn"))).toBe(false);
});

test("[WS-27] a teardown that is no longer the agreed one refuses the removal once", async () => {
  await using scene = await openScene({ setup: "true", teardown: "echo good > torn" });
  const { commands, project, place } = scene;
  const { hash, command } = (await commands.setupFor(project)).setup;
  expect(command).toBe("true\n\n# Before the worktree is removed:\necho good > torn");
  await commands.runSetup(project, place, hash ?? null);
  await scene.untilSetup("done");
  await scene.write(scene.cwd, { setup: "true", teardown: "echo evil > torn" });
  expect((await refusal(commands.leave(project, place)))?.message).toContain("is not the one that you agreed to");
  await commands.leave(project, place);
  expect(existsSync(scene.inWorktree("torn"))).toBe(false);
});

test("leaving a worktree ends its services and shells, then runs the teardown; the project's own services stay", async () => {
  const services = { dev: { command: bun, port: true }, failing: { command: "exit 1", restart: "on-failure" } };
  await using scene = await openScene({ teardown: "echo done > torn", services }, { restartDelaysMs: [600_000] });
  const { commands, project, place, terminals } = scene;
  const { hash } = (await commands.setupFor(project)).setup;
  await commands.runSetup(project, place, hash ?? null);
  const info = await scene.service();
  await scene.send("start", "dev", info.hash);
  const { url } = await scene.until("its address", (one) => one.url !== null);
  await scene.send("start", "failing", (await scene.service("failing")).hash);
  await scene.until("its wait", ({ state }) => state === "waiting", "failing");
  const inProject = { projectId: project.id, worktreeId: null };
  const { kind } = await scene.services.answer({ type: "service:start", ...inProject, name: "dev" });
  expect(kind).toBe("message");
  await terminals.open({
    ...{
      projectId: project.id,
      worktreeId: WORKTREE,
      kind: "shell",
      title: "",
      cwd: scene.cwd,
      command: null,
      env: {},
    },
  });
  await commands.leave(project, place);
  expect(await readFile(scene.inWorktree("torn"), "utf8")).toBe("done\n");
  expect(terminals.list().map(({ worktreeId, kind: of }) => ({ worktreeId, of }))).toEqual([
    { worktreeId: null, of: "service" },
  ]);
  await expect(fetch(url ?? "")).rejects.toThrow();
  expect((await scene.send("list")).services.map(({ state }) => state)).toEqual(["stopped", "stopped"]);
});

test("a teardown that fails refuses the removal once, with the reason, and its terminal can be read", async () => {
  await using scene = await openScene({ teardown: "exit 4" });
  const { commands, project, place } = scene;
  await commands.runSetup(project, place, (await commands.setupFor(project)).setup.hash ?? null);
  expect(await refusal(commands.leave(project, place))).toMatchObject({
    code: "COMMAND_FAILED",
    message:
      "The teardown failed (exit code 4). Read its terminal. The worktree is still there. Remove it again to leave the teardown out.",
  });
  expect(scene.terminals.list().map(({ kind, end }) => ({ kind, exitCode: end?.exitCode }))).toEqual([
    { kind: "teardown", exitCode: 4 },
  ]);
  await commands.leave(project, place);
  expect(scene.terminals.list()).toEqual([]);
});

test("a teardown that takes too long is ended, and refuses the removal once", async () => {
  await using scene = await openScene({ teardown: "sleep 1000" }, { teardownMsMax: 10 });
  const { commands, project, place } = scene;
  await commands.runSetup(project, place, (await commands.setupFor(project)).setup.hash ?? null);
  expect((await refusal(commands.leave(project, place)))?.message).toContain("took longer than 0.01 s and was ended");
  expect(scene.terminals.list()).toEqual([]);
  await commands.leave(project, place);
});

test("a service gets a free port and those of the others; its address is shown when it answers; stopping ends its whole group", async () => {
  const url = `http://localhost:\${PORT}/app`;
  const dev = { command: `${bun} & wait`, port: true, url };
  await using scene = await openScene({ services: { dev, api: { command: "sleep 1000", port: true } } });
  const { hash, port: none } = await scene.service();
  expect(none).toBeNull();
  const started = (await scene.send("start", "dev", hash)).services.find(({ name }) => name === "dev");
  expect(started).toMatchObject({ state: "running", url: null });
  // A server that is killed now leaves what the next one needs.
  expect(JSON.parse(await readFile(scene.dir.join("records.json"), "utf8")).running).toMatchObject([{ name: "dev" }]);
  const { url: shown, port, terminalId } = await scene.until("its address", (info) => info.url !== null);
  expect(shown).toBe(`http://localhost:${port}/app`);
  const env = await (await fetch(`http://127.0.0.1:${port}/`)).json();
  expect(env).toMatchObject({ PORT: String(port), LIMINAL_PORT_DEV: String(port), LIMINAL_WORKTREE: scene.cwd });
  expect(Number(env.LIMINAL_PORT_API)).toBe((await scene.service("api")).port ?? 0);
  const told = () => scene.lists.at(-1)?.services.find(({ name }) => name === "dev")?.url;
  await waitFor(told, (url) => url === shown, "its address to be told");

  await scene.send("stop");
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  expect(await scene.service()).toMatchObject({ state: "stopped", url: null, terminalId: null });

  await scene.send("start");
  const again = await scene.until("its address", (info) => info.url !== null);
  expect(again.port).toBe(port);
  expect(again.terminalId).not.toBe(terminalId);
  await scene.send("restart");
  const restarted = await scene.until("its address", (info) => info.url !== null);
  expect(restarted.terminalId).not.toBe(again.terminalId);
  expect(scene.terminals.list()).toHaveLength(1);
});

test("a service that crashes is started again up to the limit, then it has failed; the terminals of its last two runs stay", async () => {
  const dev = { command: "echo run >> runs; exit 9", restart: "on-failure" };
  await using scene = await openScene({ services: { dev } }, { restartDelaysMs: [1, 2, 3] });
  await scene.send("start", "dev", (await scene.service()).hash);
  const failed = await scene.until("the failure", ({ state }) => state === "failed");
  expect(failed).toMatchObject({ restarts: 3, lastEnd: { exitCode: 9 } });
  expect(failed.problem).toContain("as did 3 restarts before");
  expect(await readFile(scene.inWorktree("runs"), "utf8")).toBe("run\n".repeat(4));
  expect(scene.terminals.list().map(({ end }) => end?.exitCode)).toEqual([9, 9]);
  expect(scene.lists.flatMap(({ services }) => services.map(({ state }) => state))).toContain("waiting");
});

test("a service whose terminal is closed by hand is stopped and not started again", async () => {
  await using scene = await openScene({ services: { dev: { command: "sleep 1000", restart: "on-failure" } } });
  await scene.send("start", "dev", (await scene.service()).hash);
  const { terminalId } = await scene.service();
  await scene.terminals.close(terminalId ?? "");
  const { restarts } = await scene.until("the stop", ({ state }) => state === "stopped");
  expect(restarts).toBe(0);
  expect(scene.terminals.list()).toEqual([]);
});

test("a service with autoStart is started after the setup, if the user has agreed to it", async () => {
  const services = {
    dev: { command: "sleep 1000", autoStart: true },
    other: { command: "sleep 1001", autoStart: true },
  };
  await using scene = await openScene({ setup: "true", services });
  const { commands, project, place } = scene;
  const { hash } = (await commands.setupFor(project)).setup;
  await scene.send("start", "dev", (await scene.service()).hash);
  await scene.send("stop");
  await commands.runSetup(project, place, hash ?? null);
  await scene.until("the start", ({ state }) => state === "running");
  expect((await scene.service("other")).state).toBe("asks");
});

test("a service of a worktree that is gone, and one that the file does not have, are refused in words", async () => {
  await using scene = await openScene({});
  expect((await refusal(scene.send("start")))?.message).toContain('liminal.json has no service "dev"');
  const where = { projectId: scene.project.id, worktreeId: "w-9" };
  expect(await scene.services.answer({ type: "service:list", ...where })).toMatchObject({
    refusal: { code: "WORKTREE_NOT_FOUND" },
  });
  await writeFile(scene.inWorktree("liminal.json"), "{ nonsense");
  expect((await scene.send("list")).problem).toContain("liminal.json, line 1");
});

test("[WS-27] a consent that is revoked asks again, and a service is not started again by itself after that", async () => {
  const settings = { command: `'${process.execPath}' server.js`, port: true, restart: "on-failure" };
  await using at = await openScene({ setup: "true", services: { dev: settings } }, { restartDelaysMs: [1, 1] });
  const projectId = at.project.id;
  const consents = async () => {
    const answer = await at.services.consents({ type: "service:consents", projectId });
    return answer.kind === "message" ? answer.message.consents : [];
  };
  expect(await consents()).toEqual([]);
  const { hash } = await at.service();
  await at.send("start", "dev", hash);
  const { url } = await at.until("its address", (info) => info.url !== null);
  expect(await consents()).toMatchObject([{ hash, kind: "service:dev", command: settings.command }]);
  // Of another project nothing is revoked.
  await at.records.revoke(ProjectId.parse("p-2"), hash);
  expect(await consents()).toHaveLength(1);
  await at.services.consents({ type: "service:revoke", projectId, hash });
  expect(await consents()).toEqual([]);
  expect(await at.service()).toMatchObject({ state: "running" });
  await fetch(`${url}/crash`);
  expect(await at.until("the question", ({ state }) => state === "asks")).toMatchObject({ restarts: 0 });
  expect(await refusal(at.send("start"))).toMatchObject({ code: "CONSENT_REQUIRED" });
});

test("a project that is removed leaves no service behind, in its directory or in a worktree", async () => {
  await using at = await openScene({ services: { dev: { command: "exec sleep 1000" } } });
  const { hash } = await at.service();
  await at.send("start", "dev", hash);
  const own = { projectId: at.project.id, worktreeId: null, name: "dev" };
  await at.services.answer({ type: "service:start", ...own });
  expect(at.terminals.list().filter(({ kind, end }) => kind === "service" && end === null)).toHaveLength(2);
  await at.services.forget(ProjectId.parse("p-2"));
  expect(at.terminals.list()).toHaveLength(2);
  await at.services.forget(at.project.id);
  expect(at.terminals.list()).toEqual([]);
});
