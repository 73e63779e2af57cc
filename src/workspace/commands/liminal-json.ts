import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type LocatedJson, parseLocatedJson } from "../../lib/located-json.ts";
import { nearestWord } from "../../lib/nearest-word.ts";
import { sourcePieces } from "../../lib/visible-text.ts";
import type { CommandMachine } from "../../ports/project-commands.ts";
import { RefusalError } from "../../protocol/errors.ts";
import { SERVICES_MAX } from "../../protocol/limits.ts";

const FILE = "liminal.json";
const FILE_BYTES_MAX = 64 * 1024;
const COMMAND_CHARS_MAX = 4_000;
const URL_CHARS_MAX = 500;
const PROBLEMS_MAX = 10;
const KEYS = ["setup", "teardown", "services"];
const SERVICE_KEYS = ["command", "port", "url", "restart", "autoStart"];
/** In the URL of a service: its port. */
export const PORT_SIGN = `\${PORT}`;
/** Without following a link, and without waiting for the other end of a FIFO. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A long-running command. */
export interface ServiceSettings {
  readonly command: string;
  /** It is given a free port by the variable `PORT`. */
  readonly port: boolean;
  /** With `${PORT}` for the port. Always an address of this machine. */
  readonly url: string | null;
  readonly restart: "never" | "on-failure";
  /** Started with a new worktree, after its setup. */
  readonly autoStart: boolean;
}

/** The commands of a project. A part with a mistake is left out and reported; the others can be used. */
export interface LiminalFile {
  readonly setup: string | null;
  readonly teardown: string | null;
  readonly services: ReadonlyMap<string, ServiceSettings>;
  /** Each with its line, and what to do about it. */
  readonly problems: readonly string[];
}

const NOTHING: LiminalFile = { setup: null, teardown: null, services: new Map(), problems: [] };

/** The commands of a project's or worktree's directory. Without the file there are none. */
export async function readLiminalJson(machine: Pick<CommandMachine, "read">, directory: string): Promise<LiminalFile> {
  const found = await machine.read(directory);
  if (found === null) return NOTHING;
  return "text" in found ? parseLiminalJson(found.text) : { ...NOTHING, problems: [found.problem] };
}

/** The same, to be shown: a machine that cannot be asked now is a problem of the file. */
export async function showLiminalJson(machine: Pick<CommandMachine, "read">, directory: string): Promise<LiminalFile> {
  try {
    return await readLiminalJson(machine, directory);
  } catch (error) {
    if (error instanceof RefusalError) return { ...NOTHING, problems: [error.message] };
    throw error;
  }
}

/** The text of `liminal.json` on this machine. */
export async function readLiminalText(directory: string): ReturnType<CommandMachine["read"]> {
  const problem = (reason: string) => ({ problem: `${FILE}: ${reason}` });
  let file: FileHandle;
  try {
    file = await open(join(directory, FILE), OPEN_FLAGS);
  } catch (error) {
    const code = error instanceof Error ? Reflect.get(error, "code") : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    if (code === "ELOOP" || code === "EMLINK")
      return problem("is a symbolic link and is not followed. Replace it with a file.");
    if (typeof code !== "string") throw error;
    return problem(`cannot be read (${code}). Check its permissions.`);
  }
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return problem("is not a file. Replace it with one.");
    const bytes = Buffer.alloc(FILE_BYTES_MAX + 1);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    if (bytesRead > FILE_BYTES_MAX)
      return problem(`is over the limit of ${FILE_BYTES_MAX / 1024} KB. Move long commands into a script.`);
    return { text: bytes.toString("utf8", 0, bytesRead) };
  } finally {
    await file.close();
  }
}

const Command = z
  .string({ error: "expected a command in double quotes" })
  .max(COMMAND_CHARS_MAX, `longer than ${COMMAND_CHARS_MAX} characters; move it into a script`)
  .refine((text) => text.trim() !== "", "is empty; remove the line, or write a command")
  .refine(isVisible, "has invisible characters; type it anew");
const Flag = z.boolean({ error: "expected true or false" });
const Restart = z.enum(["never", "on-failure"], { error: 'expected "never" or "on-failure"' });
const Url = z
  .string({ error: "expected an address in double quotes" })
  .max(URL_CHARS_MAX, `longer than ${URL_CHARS_MAX} characters`)
  .refine(isLocalUrl, `expected an http or https address of this machine, for example http://localhost:${PORT_SIGN}`);
const ServiceName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/;

export function parseLiminalJson(text: string): LiminalFile {
  const reader = new Reader(parseLocatedJson(text));
  if (!reader.isObject([])) return { ...NOTHING, problems: reader.problems };
  reader.checkNames([], KEYS);
  const setup = reader.read(["setup"], Command) ?? null;
  const teardown = reader.read(["teardown"], Command) ?? null;
  const services = new Map<string, ServiceSettings>();
  const variables = new Map<string, string>();
  for (const name of reader.names(["services"])) {
    const path = ["services", name];
    const other = variables.get(portVariable(name));
    if (!ServiceName.test(name))
      reader.report(path, "a name has up to 40 letters, digits, dashes and underscores; rename the service");
    else if (other !== undefined)
      reader.report(path, `has the same variable ${portVariable(name)} as "${other}"; rename one of them`);
    else if (services.size === SERVICES_MAX)
      reader.report(path, `over the limit of ${SERVICES_MAX} services; remove some`);
    else {
      variables.set(portVariable(name), name);
      const service = readService(reader, path);
      if (service) services.set(name, service);
    }
  }
  return { setup, teardown, services, problems: reader.problems };
}

function readService(reader: Reader, path: readonly string[]): ServiceSettings | null {
  if (!reader.isObject(path) || reader.isTorn(path)) return null;
  const before = reader.problems.length;
  reader.checkNames(path, SERVICE_KEYS);
  const command = reader.read([...path, "command"], Command);
  const port = reader.read([...path, "port"], Flag) ?? false;
  const url = reader.read([...path, "url"], Url) ?? null;
  const restart = reader.read([...path, "restart"], Restart) ?? "never";
  const autoStart = reader.read([...path, "autoStart"], Flag) ?? false;
  if (reader.problems.length > before) return null;
  if (command === undefined) {
    reader.report(path, 'has no command; add "command"');
    return null;
  }
  if (url?.includes(PORT_SIGN) && !port) {
    reader.report([...path, "url"], `uses ${PORT_SIGN}; add "port": true`);
    return null;
  }
  return { command, port, url, restart, autoStart };
}

/** The variable by which other commands of the same place learn the port of a service. */
export function portVariable(name: string): string {
  return `LIMINAL_PORT_${name.toUpperCase().replaceAll("-", "_")}`;
}

/** What the user agrees to must be what they see. */
function isVisible(command: string): boolean {
  return command.split("\n").every((line) => sourcePieces(line).every(({ kind }) => kind === "text"));
}

function isLocalUrl(template: string): boolean {
  const url = URL.parse(template.replaceAll(PORT_SIGN, "1024"));
  if (url === null || url.username !== "" || url.password !== "") return false;
  if (url.protocol !== "http:" && url.protocol !== "https:") return false;
  return /^(?:localhost|[a-z0-9-]+\.localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
}

type Path = readonly string[];

class Reader {
  readonly problems: string[] = [];
  readonly #json: LocatedJson;

  constructor(json: LocatedJson) {
    this.#json = json;
    for (const { path, line, message } of json.problems) this.#add(path.map(String), line, message);
  }

  isObject(path: Path): boolean {
    const value = this.#at(path);
    if (isRecord(value)) return true;
    if (!this.isTorn(path)) this.report(path, "expected an object: { … }");
    return false;
  }

  names(path: Path): readonly string[] {
    const value = this.#at(path);
    if (isRecord(value)) return Object.keys(value);
    if (value !== undefined) this.report(path, "expected an object: { … }");
    return [];
  }

  /** A newer version may know more names: only those that look like a mistake are reported. */
  checkNames(path: Path, known: readonly string[]): void {
    const value = this.#at(path);
    if (!isRecord(value)) return;
    const free = known.filter((name) => !Object.hasOwn(value, name));
    for (const name of Object.keys(value)) {
      const meant = known.includes(name) ? null : nearestWord(name, free);
      if (meant !== null) this.report([...path, name], `unknown. Did you mean "${meant}"?`);
    }
  }

  /** Undefined without a value, and with one that was reported. */
  read<Value>(path: Path, schema: z.ZodType<Value>): Value | undefined {
    const value = this.#at(path);
    if (value === undefined || this.isTorn(path)) return undefined;
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    this.report(path, parsed.error.issues[0]?.message ?? "not valid");
    return undefined;
  }

  report(path: Path, reason: string): void {
    this.#add(path, this.#json.lineOf(path), reason);
  }

  #add(path: Path, line: number, reason: string): void {
    if (this.problems.length === PROBLEMS_MAX) return;
    const place = path.length === 0 ? "" : `${path.join(".").slice(0, 100)}: `;
    this.problems.push(`${FILE}, line ${line}: ${place}${reason}${/[.?!]$/.test(reason) ? "" : "."}`);
  }

  #at(path: Path): unknown {
    let value: unknown = this.#json.value;
    for (const name of path) value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    return value;
  }

  /** Part of it is not valid JSON, which is reported already. */
  isTorn(path: Path): boolean {
    return this.#json.problems.some(({ path: wrong }) => path.every((name, index) => wrong[index] === name));
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
