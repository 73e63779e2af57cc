import { existsSync, readFileSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { asLogText, asPlainJson } from "../lib/harmless-text.ts";
import { parseJson } from "../lib/parse-json.ts";
import { LOG_LEVELS, LOG_OLD_FILES_MAX, LOG_PATH, type LogLevel } from "../lib/server-log-place.ts";
import { type CommandLine, wrongUsage } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { findSession } from "./find-session.ts";
import { pour } from "./print.ts";
import { bodyOf, dataDirOf } from "./running-server.ts";
import { connect } from "./server-link.ts";
import { paint, type Style, styled } from "./terminal.ts";

/** Prints the wire trace of a session's agent (messages in both directions, stderr), or the server's log. */
export async function logs(line: CommandLine): Promise<ExitCode> {
  if (line.has("server")) {
    await printServerLog(line);
    return EXIT.done;
  }
  if (line.args[0] === undefined)
    throw wrongUsage(line, "Missing argument: <session>, or use --server for the server log.");
  using link = await connect(line.env, "fail");
  const sessionId = await findSession(link, line.args[0] ?? "");
  const query = new URLSearchParams({ sessionId });
  await pour(await bodyOf(await link.server.get(`/api/trace?${query}`)), asPlainJson);
  return EXIT.done;
}

const LOOK_AGAIN_MS = 250;
const LEVEL_STYLES: Readonly<Partial<Record<LogLevel, Style>>> = { error: "red", warn: "yellow", debug: "dim" };
const Line = z.object({ at: z.string(), level: z.enum(LOG_LEVELS), text: z.string() });

/** The server's log, oldest first, read from its files: available with and without a server. */
export async function printServerLog(line: CommandLine): Promise<void> {
  const level = z.enum(LOG_LEVELS).parse(line.text("level") ?? "debug");
  const path = join(dataDirOf(line.env), LOG_PATH);
  if (!existsSync(path))
    throw new CliError(EXIT.failed, `No log yet. The first start of the server creates ${path}.`, "NO_LOG");
  const show = (text: string) => {
    for (const one of text.split("\n")) process.stdout.write(shown(one, level, line));
  };
  for (let number = LOG_OLD_FILES_MAX; number >= 1; number--)
    if (existsSync(`${path}.${number}`)) show(readFileSync(`${path}.${number}`, "utf8"));
  const whole = readFileSync(path);
  show(whole.toString("utf8"));
  if (line.has("follow")) await follow(path, whole.byteLength, show);
}

function shown(text: string, level: LogLevel, { json: isJson, screen }: CommandLine): string {
  const parsed = Line.safeParse(parseJson(text)).data;
  if (!parsed || LOG_LEVELS.indexOf(parsed.level) > LOG_LEVELS.indexOf(level)) return "";
  if (isJson) return `${asPlainJson(text)}\n`;
  const { at, level: own, text: words } = parsed;
  return styled`${paint("dim", at)} ${paint(LEVEL_STYLES[own], own)} ${asLogText(words)}\n`.render(screen);
}

/** Until the process is stopped. A full file is read to its end before the next one starts. */
async function follow(path: string, from: number, show: (text: string) => void): Promise<never> {
  let file = await open(path, "r");
  let position = from;
  const readOn = async () => {
    const { size } = await file.stat();
    if (size <= position) return;
    const { buffer } = await file.read(Buffer.alloc(size - position), 0, size - position, position);
    const end = buffer.lastIndexOf(0x0a) + 1;
    position += end;
    show(buffer.subarray(0, end).toString("utf8"));
  };
  for (;;) {
    await readOn();
    if (existsSync(path) && statSync(path).ino !== (await file.stat()).ino) {
      await file.close();
      file = await open(path, "r");
      position = 0;
    } else await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}
