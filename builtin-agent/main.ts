import { join } from "node:path";
import { LineSplitter } from "../src/lib/line-splitter.ts";
import { Guide } from "./agent/guide.ts";
import { OpenSessions } from "./agent/open-sessions.ts";
import { FlagError, type Flags, parseFlags } from "./flags.ts";
import { ModelSource } from "./model/model-source.ts";
import { chooseModel, secretVariable } from "./model/settings.ts";
import { noQuirks } from "./scenarios/scenario.ts";
import { SessionStore } from "./sessions/session-store.ts";
import { RunningCommands } from "./turn/running-commands.ts";
import { Connection } from "./wire/connection.ts";
import { LineWriter } from "./wire/lines.ts";
import { RPC_CODE, RpcError } from "./wire/rpc-error.ts";
import type { World } from "./world.ts";

/** A longer line from the client is dropped and answered with an error. Prompts with images are far shorter. */
const INBOUND_LINE_BYTES_MAX = 64 * 1024 * 1024;
const USAGE_EXIT_CODE = 2;
/** The client may still read the last output, but a client that reads nothing must not block the exit. */
const EXIT_FLUSH_MS = 200;
/** The timer does nothing; it keeps a process alive that must not exit. */
const KEEP_ALIVE_MS = 60_000;

/** Each sends one request to the endpoint and exits; neither serves a client. */
const ASK_MODEL_FLAG = "--ask-model";
const LIST_MODELS_FLAG = "--list-models";

const REAL_WORLD: World = {
  now: () => Date.now(),
  newId: (prefix) => `${prefix}_${crypto.randomUUID()}`,
  env: process.env,
};

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
  // Commands must not see the model's key.
  const commands = new RunningCommands(world.env, () => secretVariable(world.env));
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
  const model = new ModelSource(world.env);
  const guide = new Guide({ world, sessions, commands, quirks, without, scenarios, model, report }, () => connection);
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

/** For the doctor and the settings: whether the model answers, or which ones there are, as one line of JSON. */
async function reportModel({ env, now }: World, flag: string): Promise<void> {
  const choice = chooseModel(env);
  process.stdout.write(`${JSON.stringify(await reportOf())}\n`);
  async function reportOf(): Promise<object> {
    if (choice.state === "none")
      return { ok: false, message: "No model is set.", fix: "Set an address and a model: liminal model set." };
    if (choice.state === "wrong")
      return { ok: false, message: `The model cannot be used. ${choice.problem}`, fix: "Correct this setting." };
    if (flag === ASK_MODEL_FLAG) return (await import("./model/ask-model.ts")).askModel(choice.settings, now);
    return (await import("./model/list-models.ts")).listModels(choice.settings, now);
  }
}

try {
  const words = process.argv.slice(2);
  const [first] = words;
  if (first === ASK_MODEL_FLAG || first === LIST_MODELS_FLAG) {
    await reportModel(REAL_WORLD, first);
    process.exit(0);
  }
  await main(parseFlags(words), REAL_WORLD);
} catch (error) {
  report(error instanceof FlagError ? error.message : error);
  process.exit(USAGE_EXIT_CODE);
}
