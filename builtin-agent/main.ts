import { join } from "node:path";
import { LineSplitter } from "../src/lib/line-splitter.ts";
import { Guide } from "./agent/guide.ts";
import { OpenSessions } from "./agent/open-sessions.ts";
import type { Mind } from "./agent/run-turn.ts";
import { FlagError, type Flags, parseFlags } from "./flags.ts";
import { chooseModel, keyVariable } from "./model/settings.ts";
import { noQuirks } from "./scenarios/scenario.ts";
import { SessionStore } from "./sessions/session-store.ts";
import { RunningCommands } from "./turn/running-commands.ts";
import { Connection } from "./wire/connection.ts";
import { LineWriter } from "./wire/lines.ts";
import { RPC_CODE, RpcError } from "./wire/rpc-error.ts";
import type { World } from "./world.ts";

/** A longer line of the client is dropped and answered with an error. Prompts with images are far shorter. */
const INBOUND_LINE_BYTES_MAX = 64 * 1024 * 1024;
const USAGE_EXIT_CODE = 2;
/** The client may still read what was said last, but a client that reads nothing must not hold us. */
const EXIT_FLUSH_MS = 200;
/** Nothing happens then: a process that must not leave only needs something to wait for. */
const KEEP_ALIVE_MS = 60_000;

/** Asks the model once and leaves; nothing is served. */
const ASK_MODEL_FLAG = "--ask-model";

const REAL_WORLD: World = {
  now: () => Date.now(),
  newId: (prefix) => `${prefix}_${crypto.randomUUID()}`,
  env: process.env,
};

/** Loaded only when there is a model: the plain guide starts in a few milliseconds. */
async function openMind({ env }: World): Promise<Mind | undefined> {
  const choice = chooseModel(env);
  if (choice.state === "none") return undefined;
  if (choice.state === "ready") return new (await import("./model/orchestrator.ts")).Orchestrator(choice.settings);
  const refuse = () => Promise.reject(new RpcError(RPC_CODE.internal, `The model cannot be used. ${choice.problem}`));
  return { answer: refuse, compactNow: refuse };
}

function report(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`liminal-guide: ${text}\n`);
}

function sessionsDirectory({ env }: World): string {
  return env["LIMINAL_GUIDE_DIR"] || join(env["HOME"] || "/", ".liminal-builder", "guide");
}

/** Serves one client on stdio until it closes stdin or asks us to stop. */
async function main(flags: Flags, world: World): Promise<void> {
  for (const scenario of flags.scenarios) scenario.atStart?.();
  const quirks = noQuirks();
  for (const scenario of flags.scenarios) Object.assign(quirks, scenario.quirks);
  // The model's key is no business of the commands that run here.
  const commands = new RunningCommands(world.env, keyVariable(world.env));
  const writer = new LineWriter({ recordFile: world.env["LIMINAL_GUIDE_RECORD"], onBroken: () => leave() });
  const leave = () => {
    commands.killAll();
    process.exit(0);
  };
  const exit = () => {
    if (quirks.deafToExit) {
      setInterval(() => undefined, KEEP_ALIVE_MS);
      process.stderr.write("liminal-guide: still here, as asked\n");
      return;
    }
    setTimeout(leave, EXIT_FLUSH_MS);
    writer.drained().then(leave, leave);
  };
  process.on("SIGTERM", exit);
  process.on("SIGINT", exit);
  const sessions = new OpenSessions(world, new SessionStore(sessionsDirectory(world)), flags.without);
  const { without, scenarios } = flags;
  const mind = await openMind(world);
  const guide = new Guide({ world, sessions, commands, quirks, without, scenarios, mind, report }, () => connection);
  const connection = new Connection(writer, guide, report);
  connection.idOf = (count) => (quirks.stringIds ? `guide-request-${count}` : count);
  const tooLong = new RpcError(RPC_CODE.invalidRequest, "The line is too long.");
  const splitter = new LineSplitter({
    lineBytesMax: INBOUND_LINE_BYTES_MAX,
    onLine: (line) => {
      if (line.trim() !== "") connection.receive(line);
    },
    onTooLong: () => connection.respondError(null, tooLong),
  });
  if (flags.startDelayMs > 0) await Bun.sleep(flags.startDelayMs);
  for await (const chunk of Bun.stdin.stream()) splitter.push(chunk);
  exit();
}

/** For the doctor: whether the model answers, as one line of JSON. */
async function reportModel({ env, now }: World): Promise<void> {
  const choice = chooseModel(env);
  if (choice.state === "ready") {
    const { askModel } = await import("./model/ask-model.ts");
    process.stdout.write(`${JSON.stringify(await askModel(choice.settings, now))}\n`);
    return;
  }
  const message = choice.state === "wrong" ? `The model cannot be used. ${choice.problem}` : "No model is set.";
  process.stdout.write(`${JSON.stringify({ ok: false, message, fix: "Set LIMINAL_MODEL_URL and LIMINAL_MODEL." })}\n`);
}

try {
  const words = process.argv.slice(2);
  if (words[0] === ASK_MODEL_FLAG) {
    await reportModel(REAL_WORLD);
    process.exit(0);
  }
  await main(parseFlags(words), REAL_WORLD);
} catch (error) {
  report(error instanceof FlagError ? error.message : error);
  process.exit(USAGE_EXIT_CODE);
}
