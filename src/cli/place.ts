import { join } from "node:path";
import { changeConfigFile } from "../operations/change-config-file.ts";
import { checkPlace } from "../operations/check-place.ts";
import { loadConfigFile } from "../operations/config-file.ts";
import { COPIED_PROGRAM, copyProgram } from "../operations/copy-program.ts";
import { type Place, placeCommand } from "../places/place.ts";
import { PlaceError } from "../places/place-error.ts";
import { kubectlOf } from "../places/pod.ts";
import { RefusalError } from "../protocol/errors.ts";
import { type CommandLine, wrongSubcommand } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { print, printNote } from "./print.ts";
import { dataDirOf } from "./running-server.ts";
import { type Column, paint, Styled, styled, table } from "./terminal.ts";

const VERBS = ["list", "check", "add", "remove"];
const COLUMNS: readonly Column[] = [{ title: "NAME", style: "cyan" }, { title: "KIND" }, { title: "COMMAND" }];

/** Lists, checks, adds and removes the places of config.json. */
export async function place(line: CommandLine): Promise<ExitCode> {
  const [verb = "list", first, second] = line.args;
  const config = join(dataDirOf(line.env), "config.json");
  const { places } = loadConfigFile(config, line.env);
  try {
    if (verb === "list" && first === undefined) return list(line, places);
    if (verb === "check" && second === undefined) return await check(line, places, first);
    if (verb === "add" && first !== undefined) return await add(line, config, places, first, second);
    if (verb === "remove" && first !== undefined && second === undefined) return remove(line, config, places, first);
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
      : styled`${paint("green", "ok     ")}  ${result.name}: release ${result.release}, ${result.platform}, ${result.home}\n`,
  );
  print(line, { places: results }, rows.length > 0 ? Styled.join(rows) : "No places to check.");
  return results.some((result) => "problem" in result) ? EXIT.failed : EXIT.done;
}

async function tryPlace(one: Place, { env }: CommandLine) {
  try {
    return { name: one.name, ...(await checkPlace(one, env)) };
  } catch (error) {
    if (!(error instanceof PlaceError)) throw error;
    return { name: one.name, problem: error.message };
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

/** Nothing is written before the place has answered. */
async function add(
  line: CommandLine,
  config: string,
  places: readonly Place[],
  host: string,
  given: string | undefined,
): Promise<ExitCode> {
  const name = given ?? nameOf(host);
  if (!/^[a-z0-9][a-z0-9-]{1,31}$/.test(name))
    throw new PlaceError(`"${name}" is no name for a place: use 2 to 32 lowercase letters, digits and dashes.`);
  if (!/^(?!-)[^\s:/]+$/.test(host))
    throw new PlaceError(`"${host}" is no host: pass user@host, or a host of your SSH configuration.`);
  if (places.some((one) => one.name === name))
    throw new PlaceError(
      `There is a place "${name}" already: pass another name after the host, or remove that one first.`,
    );
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

function remove(line: CommandLine, config: string, places: readonly Place[], name: string): ExitCode {
  find(places, name);
  changeConfigFile(config, [{ path: ["places", name], value: undefined }]);
  print(line, { removed: name }, `Removed ${name} from config.json. Nothing was changed there.`);
  return EXIT.done;
}
