import { join } from "node:path";
import { changeConfigFile } from "../operations/change-config-file.ts";
import { checkPlace } from "../operations/check-place.ts";
import { loadConfigFile } from "../operations/config-file.ts";
import { COPIED_PROGRAM, copyProgram } from "../operations/copy-program.ts";
import { RUNNERS_DIR } from "../operations/data-dir.ts";
import { type Place, placeCommand } from "../places/place.ts";
import { PlaceError } from "../places/place-error.ts";
import { kubectlOf } from "../places/pod.ts";
import { RefusalError } from "../protocol/errors.ts";
import { PlaceName } from "../protocol/places.ts";
import { type CommandLine, wrongSubcommand } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { print, printNote } from "./print.ts";
import { dataDirOf, NoServerError } from "./running-server.ts";
import { connect } from "./server-link.ts";
import { type Column, paint, Styled, styled, table } from "./terminal.ts";

const VERBS = ["list", "check", "add", "remove", "link", "revoke"];
const COLUMNS: readonly Column[] = [{ title: "NAME", style: "cyan" }, { title: "KIND" }, { title: "COMMAND" }];

/** Lists, checks, adds and removes the places of config.json. */
export async function place(line: CommandLine): Promise<ExitCode> {
  const [verb = "list", first, second] = line.args;
  const config = join(dataDirOf(line.env), "config.json");
  const { places } = loadConfigFile(config, line.env);
  try {
    if (verb === "list" && first === undefined) return list(line, places);
    if (verb === "check" && second === undefined) return await check(line, places, first);
    if (verb === "add" && first !== undefined && second === undefined && line.has("dial-in"))
      return await addDialIn(line, config, places, first);
    if (verb === "link" && first !== undefined && second === undefined) return await link(line, first);
    if (verb === "revoke" && first !== undefined && second === undefined) return await revoke(line, places, first);
    if (verb === "add" && first !== undefined) return await add(line, config, places, first, second);
    if (verb === "remove" && first !== undefined && second === undefined)
      return await remove(line, config, places, first);
  } catch (error) {
    if (error instanceof PlaceError) throw new CliError(EXIT.failed, error.message, "PLACE_FAILED");
    if (error instanceof RefusalError) throw new CliError(EXIT.failed, error.refusal.message, error.refusal.code);
    throw error;
  }
  throw wrongSubcommand(line, VERBS);
}

function list(line: CommandLine, places: readonly Place[]): ExitCode {
  const rows = places.map((one) => [one.name, one.kind, wayTo(one)]);
  const none = "No places: agents run on this machine. Add one with: liminal place add user@host";
  print(line, { places: places.map(shown) }, rows.length > 0 ? table(COLUMNS, rows, line.screen) : none);
  return EXIT.done;
}

function wayTo(one: Place): string {
  if (one.kind === "dial-in") return `dials in: ${placeCommand(one).join(" ")}`;
  if (one.kind === "kubernetes") return `${kubectlOf(one.template).join(" ")} …, a pod for each session`;
  if (one.kind !== "fence") return placeCommand(one).join(" ");
  return `this machine, fenced in, ${one.fence.network ? "with" : "without"} network`;
}

function shown(one: Place) {
  return { name: one.name, kind: one.kind, command: placeCommand(one) };
}

async function check(line: CommandLine, places: readonly Place[], name: string | undefined): Promise<ExitCode> {
  const wanted = name === undefined ? places : [find(places, name)];
  const results = await Promise.all(wanted.map((one) => tryPlace(one, line)));
  const rows = results.map((result) =>
    "problem" in result
      ? styled`${paint("red", "PROBLEM")}  ${result.name}: ${result.problem}\n`
      : styled`${paint("green", "ok     ")}  ${result.name}: release ${result.release}, ${result.platform}${"home" in result ? `, ${result.home}` : ""}\n`,
  );
  print(line, { places: results }, rows.length > 0 ? Styled.join(rows) : "No places to check.");
  return results.some((result) => "problem" in result) ? EXIT.failed : EXIT.done;
}

async function tryPlace(one: Place, { env }: CommandLine) {
  if (one.kind === "dial-in") return ofServer(one.name, env);
  try {
    return { name: one.name, ...(await checkPlace(one, env)) };
  } catch (error) {
    if (!(error instanceof PlaceError)) throw error;
    return { name: one.name, problem: error.message };
  }
}

/** Who dials in is connected to the server that runs, and to nobody else. */
async function ofServer(name: string, env: CommandLine["env"]) {
  try {
    using server = await connect(env, "fail");
    const { ok, message } = await server.ask("settings:tested", { type: "place:check", name });
    const { places } = await server.ask("place:list", { type: "place:list" });
    const { release = "", platform = "" } = places.find((one) => one.name === name) ?? {};
    return ok ? { name, release, platform } : { name, problem: message };
  } catch (error) {
    if (!(error instanceof NoServerError)) throw error;
    return { name, problem: `${name} dials in, and no server runs here: start it with "liminal serve".` };
  }
}

function find(places: readonly Place[], name: string): Place {
  const found = places.find((one) => one.name === name);
  if (found) return found;
  const known = places.map((one) => one.name).join(", ");
  throw new PlaceError(
    `There is no place "${name}" in config.json. ${known === "" ? "There is none." : `Known: ${known}.`}`,
  );
}

function checkName(name: string): void {
  if (!PlaceName.safeParse(name).success)
    throw new PlaceError(`"${name}" is no name for a place: use 2 to 32 lowercase letters, digits and dashes.`);
}

function refuseKnown(places: readonly Place[], name: string, instead: string): void {
  if (places.some((one) => one.name === name))
    throw new PlaceError(`There is a place "${name}" already: ${instead}, or remove that one first.`);
}

/** A machine that the server does not reach: nothing can be tried before it has joined. */
async function addDialIn(line: CommandLine, config: string, places: readonly Place[], name: string): Promise<ExitCode> {
  checkName(name);
  refuseKnown(places, name, "pass another name");
  changeConfigFile(config, [{ path: ["places", name], value: { kind: "dial-in" } }]);
  return link(line, name);
}

/** Only the server that is running can give one: it is what the machine connects to. */
async function link(line: CommandLine, name: string): Promise<ExitCode> {
  using server = await connect(line.env);
  const { type: _, ...made } = await server.ask("place:invited", { type: "place:invite", name });
  const until = new Date(made.expiresAt).toLocaleTimeString();
  print(
    line,
    made,
    `Run this on the machine that shall be ${name}. It works once, until ${until}, and says later how to start it again:\n\n  ${made.command}\n`,
  );
  return EXIT.done;
}

async function revoke(line: CommandLine, places: readonly Place[], name: string): Promise<ExitCode> {
  try {
    using server = await connect(line.env, "fail");
    await server.ask("place:list", { type: "place:revoke", name });
  } catch (error) {
    if (!(error instanceof NoServerError)) throw error;
    find(places, name);
    await forget(line, name);
  }
  print(line, { revoked: name }, `Revoked: the machine that was ${name} is not let in any more.`);
  return EXIT.done;
}

/** Nothing is written before the place has answered. */
async function add(
  line: CommandLine,
  config: string,
  places: readonly Place[],
  host: string,
  given: string | undefined,
): Promise<ExitCode> {
  const name = given ?? nameOf(host);
  checkName(name);
  if (!/^(?!-)[^\s:/]+$/.test(host))
    throw new PlaceError(`"${host}" is no host: pass user@host, or a host of your SSH configuration.`);
  refuseKnown(places, name, "pass another name after the host");
  const wanted = { name, kind: "ssh", host, program: line.text("program") ?? "liminal", agents: {} } as const;
  const { place: added, answer } = await prepared(line, wanted);
  const { program } = added;
  changeConfigFile(config, [
    { path: ["places", name], value: { kind: "ssh", host, ...(program !== "liminal" && { program }) } },
  ]);
  const words = `Added ${name}: release ${answer.release}, ${answer.platform}.`;
  print(line, { place: shown(added), ...answer }, words);
  return EXIT.done;
}

type SshPlace = Extract<Place, { kind: "ssh" }>;

/** With the installed program there, or else a copy of this one. */
async function prepared(line: CommandLine, wanted: SshPlace) {
  const { env } = line;
  const copy = line.text("copy") ?? (Bun.isStandaloneExecutable ? process.execPath : undefined);
  if (line.text("copy") === undefined) {
    try {
      return { place: wanted, answer: await checkPlace(wanted, env) };
    } catch (error) {
      if (!(error instanceof PlaceError) || !error.isMissing) throw error;
      if (copy === undefined)
        throw new PlaceError(
          `Liminal Builder is not installed at ${wanted.host}: install it there (npm install -g liminal-builder), or pass an executable with --copy.`,
        );
    }
  }
  printNote(`Copying Liminal Builder to ${wanted.host}…`);
  await copyProgram(wanted, copy ?? process.execPath, env);
  const place: SshPlace = { ...wanted, program: COPIED_PROGRAM };
  return { place, answer: await checkPlace(place, env) };
}

/** Of `me@build-1.example.org`: `build-1`. */
function nameOf(host: string): string {
  return (host.split("@").at(-1) ?? host).split(".")[0]?.toLowerCase() ?? host;
}

async function remove(line: CommandLine, config: string, places: readonly Place[], name: string): Promise<ExitCode> {
  const { kind } = find(places, name);
  changeConfigFile(config, [{ path: ["places", name], value: undefined }]);
  if (kind === "dial-in") await forget(line, name);
  print(line, { removed: name }, `Removed ${name} from config.json. Nothing was changed there.`);
  return EXIT.done;
}

/** Its certificate is refused from now on, whether a server runs or not. One that runs cuts it by itself. */
async function forget({ env }: CommandLine, name: string): Promise<void> {
  const { revokeIn } = await import("../places/runner-certificates.ts");
  revokeIn(join(dataDirOf(env), RUNNERS_DIR), name);
}
