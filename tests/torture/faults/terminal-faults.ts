import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { TERMINAL_CREDIT_BYTES, TERMINAL_KEPT_BYTES_MAX } from "../../../src/protocol/limits.ts";
import { waitFor } from "../../support/wait-for.ts";
import { TerminalView } from "../../terminals/screen.ts";
import type { Scene } from "../scene/scene.ts";
import { SERVICE, SERVICE_COMMAND, type Workshop } from "../scene/workshop.ts";
import { killQuietly } from "./cut-off.ts";
import { type Fault, outcomeOf } from "./fault.ts";

const HALF = 0.5;
const GONE_MS_MAX = 30_000;
/** Longer than the job of any other fault, so that its process is found by it. */
const JOB_SECONDS = 864_100;
const LINES_MAX = 60;
/** A holder keeps a megabyte; the rest is the runtime's own. */
const FLOODED_BYTES_MAX = 80 * TERMINAL_KEPT_BYTES_MAX;

/** `kill -9` of the server while a program in a terminal prints: the program goes on, and the screen is as if nothing was. */
export const terminalServerKill: Fault = {
  name: "terminal-server-kill",
  async inject({ scene, random }) {
    const { terminal } = await scene.workshop();
    const lines = random.between(1, LINES_MAX);
    const word = await terminal.begin(`for n in $(seq ${lines}); do echo line $n; sleep 0.02; done`);
    await scene.server.kill();
    await scene.server.start();
    await terminal.shows(word);
    const difference = await terminal.difference();
    return outcomeOf(difference === null ? [] : [`after a kill of the server, ${difference}`]);
  },
};

/** `kill -9` of the holder of a terminal: its program ends, also one that ignores a hang-up, and no other terminal notices. */
export const terminalHolderKill: Fault = {
  name: "terminal-holder-kill",
  async inject({ scene, random }) {
    const workshop = await scene.workshop();
    const { terminalId } = await open(workshop);
    const job = `sleep ${JOB_SECONDS + random.between(1, 99)}`;
    {
      using client = await workshop.connect();
      const view = await TerminalView.attach(client, terminalId);
      view.type(`set -m; (trap '' HUP TERM; ${job}) & echo "job"-up\r`);
      await view.shows("job-up");
    }
    const isServerToo = random.fraction() < HALF;
    if (isServerToo) await scene.server.kill();
    for (const pid of holdersOf(scene, terminalId)) killQuietly(pid);
    if (isServerToo) await scene.server.start();
    const left = await scene.until(() => (running(scene, job).length > 0 ? `${job} still runs` : null), GONE_MS_MAX);
    const breaches = left === null ? [] : [`the holder of its terminal was killed, and ${left}`];
    await workshop.terminal.answers();
    // The server looks every few milliseconds whether everything in the terminal has ended, then forgets it.
    const listed = await scene.until(async () => {
      const { terminals } = await workshop.ask("terminal:list", { type: "terminal:list" });
      return terminals.some((one) => one.terminalId === terminalId) ? "a terminal without a holder is listed" : null;
    }, GONE_MS_MAX);
    return outcomeOf(listed === null ? breaches : [...breaches, listed]);
  },
};

/** A program floods a terminal that nobody reads: it is stopped, its holder stays small, and others answer meanwhile. */
export const terminalFlood: Fault = {
  name: "terminal-flood",
  async inject({ scene, random }) {
    const workshop = await scene.workshop();
    const { terminalId } = await open(workshop);
    const breaches: string[] = [];
    {
      using client = await workshop.connect();
      const view = await TerminalView.attach(client, terminalId);
      view.type("yes flood\r");
      const received = () => client.outputs.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
      await client.until("as much as one gets without an answer", () => received() > TERMINAL_CREDIT_BYTES - 4_096);
      await workshop.terminal.answers();
      if (received() > TERMINAL_CREDIT_BYTES) breaches.push(`${received()} bytes were sent without an answer`);
    }
    for (const pid of holdersOf(scene, terminalId)) {
      const bytes = residentBytes(pid);
      if (bytes > FLOODED_BYTES_MAX) breaches.push(`the holder of a flood has ${bytes} bytes`);
    }
    if (random.fraction() < HALF) {
      await scene.server.kill();
      await scene.server.start();
      await workshop.terminal.answers();
    }
    await workshop.ask("ok", { type: "terminal:close", terminalId });
    const left = running(scene, "yes flood").map(({ pid }) => pid);
    return outcomeOf(left.length === 0 ? breaches : [...breaches, `the flood goes on as ${left.join(", ")}`]);
  },
};

/** A service of `liminal.json` is killed and started again; the server is killed and the service goes on; it is stopped. */
export const serviceKill: Fault = {
  name: "service-kill",
  async inject({ scene, random }) {
    const workshop = await scene.workshop();
    const place = { projectId: workshop.projectId, worktreeId: null };
    const command = SERVICE_COMMAND.replace(/^.*exec /, "");
    const service = async () => {
      const { services } = await workshop.ask("service:list", { type: "service:list", ...place });
      return services.find(({ name }) => name === SERVICE);
    };
    const untilRunning = async (before: readonly number[]): Promise<readonly number[]> => {
      const isNew = () => running(scene, command).some(({ pid }) => !before.includes(pid));
      await scene.until(() => (isNew() ? null : "it does not run"), GONE_MS_MAX);
      return running(scene, command).map(({ pid }) => pid);
    };
    const hash = (await service())?.hash;
    await workshop.ask("service:list", { type: "service:start", ...place, name: SERVICE, ...(hash && { hash }) });
    const first = await untilRunning([]);
    const breaches = first.length === 1 ? [] : [`a service runs as ${first.join(", ") || "nothing"}`];
    const firstTerminal = (await service())?.terminalId;
    for (const pid of first) killQuietly(pid);
    const isServerToo = random.fraction() < HALF;
    if (isServerToo) {
      await scene.server.kill();
      await scene.server.start();
    }
    const second = await untilRunning(first);
    if (second.length !== 1) breaches.push(`a killed service runs as ${second.join(", ") || "nothing"}`);
    // It runs a moment before the server says so.
    const { terminalId } = (await waitFor(
      service,
      (now) => now?.state === "running" && now.terminalId !== firstTerminal,
      "the killed service to run again",
    )) ?? { terminalId: null };
    await scene.server.kill();
    await scene.server.start();
    const after = await service();
    if (after?.state !== "running" || after.terminalId !== terminalId)
      breaches.push(`after a kill of the server a service is ${JSON.stringify(after)}, it was in ${terminalId}`);
    if (String(running(scene, command).map(({ pid }) => pid)) !== String(second))
      breaches.push("a service did not outlive the server");
    await workshop.ask("service:list", { type: "service:stop", ...place, name: SERVICE });
    const left = running(scene, command);
    if (left.length > 0) breaches.push(`a service that was stopped runs as ${left.map(({ pid }) => pid).join(", ")}`);
    const { terminals } = await workshop.ask("terminal:list", { type: "terminal:list" });
    for (const one of terminals)
      if (one.kind === "service") await workshop.ask("ok", { type: "terminal:close", terminalId: one.terminalId });
    return outcomeOf(breaches);
  },
};

function open(workshop: Workshop) {
  return workshop.ask("terminal:opened", { type: "terminal:open", projectId: workshop.projectId });
}

function running({ server }: Scene, text: string) {
  return server.processes.alive().filter(({ commandLine }) => commandLine.includes(text));
}

/** Each works in the directory of its terminal. */
function holdersOf(scene: Scene, terminalId: string): readonly number[] {
  return scene.terminalHolderPids().filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`).endsWith(join("terminals", terminalId));
    } catch (error) {
      if (error instanceof Error && "code" in error) return false;
      throw error;
    }
  });
}

function residentBytes(pid: number): number {
  const status = readdirSync("/proc").includes(String(pid)) ? readFileSync(`/proc/${pid}/status`, "utf8") : "";
  return Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024;
}
