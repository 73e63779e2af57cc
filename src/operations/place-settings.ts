import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { AboutPlaces } from "../bridge/answer-message.ts";
import type { DialInSetting, Place } from "../places/place.ts";
import { PlaceError } from "../places/place-error.ts";
import type { Places } from "../places/places.ts";
import type { PodTemplate } from "../places/pod.ts";
import type { Tested } from "../protocol/agent-settings.ts";
import { REFUSE, RefusalError } from "../protocol/errors.ts";
import type { PlaceSetting, ShownPlace } from "../protocol/places.ts";
import type { PlainServerMessage } from "../protocol/server-messages.ts";
import type { Answer } from "../sessions/answer.ts";
import { shownWords, storedWords } from "./agent-settings.ts";
import { changeConfigFile } from "./change-config-file.ts";
import { type LoadedConfigFile, loadConfigFile } from "./config-file.ts";
import { ownCommand } from "./own-program.ts";

/** Places with unchanged settings start `liminal`. */
const PROGRAM = "liminal";

const OF_PLACES = /\b(?:places|dialIn)\b/;

type UsedPlaces = Pick<Places, "standing" | "connect" | "listen" | "invite" | "revoke">;

interface PlaceSettingsParts {
  /** config.json. */
  readonly path: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The places of config.json, which the user edits by hand, on the page or with `liminal place`. */
export class PlaceSettings {
  readonly #parts: PlaceSettingsParts;
  #read: { readonly stamp: string; readonly file: LoadedConfigFile } | null = null;

  constructor(parts: PlaceSettingsParts) {
    this.#parts = parts;
  }

  /** As the file is now. It is read again only when it has changed. */
  configured(): readonly Place[] {
    return this.#file().places;
  }

  /** The places that dial in, and those of a kind that cannot be read; null while a mistake in the file hides some. */
  dialInNames(): readonly string[] | null {
    const { places, placeNames } = this.#file();
    const others = places.flatMap(({ name, kind }) => (kind === "dial-in" ? [] : [name]));
    return placeNames?.filter((name) => !others.includes(name)) ?? null;
  }

  dialIn(): DialInSetting {
    return this.#file().dialIn;
  }

  async answer(message: AboutPlaces, places: UsedPlaces): Promise<Answer> {
    try {
      switch (message.type) {
        case "place:list":
          break;
        case "place:save":
          this.#save(message);
          break;
        case "place:remove":
          changeConfigFile(this.#parts.path, [{ path: ["places", message.name], value: undefined }]);
          break;
        case "place:invite":
          return reply({ type: "place:invited", ...(await invited(message.name, places)) });
        case "place:revoke":
          await places.revoke(message.name);
          break;
        case "place:check":
          return reply({ type: "settings:tested", ...(await this.#check(message, places)) });
        default:
          return message satisfies never;
      }
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      return { kind: "refused", refusal: error.refusal };
    }
    // Of what was added or removed, on the page or in the file.
    await places.listen();
    return reply({ type: "place:list", ...(await this.#tell(places)) });
  }

  async #tell(places: Pick<Places, "standing">) {
    const { places: configured, problems } = this.#file();
    const shown = configured.map(
      async (place): Promise<ShownPlace> => ({
        name: place.name,
        setting: shownSetting(place),
        ...(await places.standing(place.name)),
      }),
    );
    const ofPlaces = problems.filter((problem) => OF_PLACES.test(problem));
    return { path: this.#parts.path, places: await Promise.all(shown), problems: ofPlaces };
  }

  #save({ name, isNew, setting }: Extract<AboutPlaces, { type: "place:save" }>): void {
    const before = this.configured().find((place) => place.name === name);
    if (isNew && before)
      throw new RefusalError(REFUSE.invalidMessage(`name: there is a place "${name}" already; choose another name`));
    if (!isNew && !before)
      throw new RefusalError(REFUSE.invalidMessage(`name: there is no place "${name}" any more; add it as a new one`));
    const place = placeOf(this.#parts.path, name, setting, before);
    const path = ["places", name];
    const isSame = before?.kind === place.kind;
    const agents = Object.keys(place.agents).length === 0 ? {} : { agents: place.agents };
    const fields = Object.entries(fieldsOf(place)).map(([key, value]) => ({ path: [...path, key], value }));
    // For another kind, the old settings have no meaning; the agents there stay.
    changeConfigFile(this.#parts.path, [
      ...(isSame ? [] : [{ path, value: { kind: place.kind, ...agents } }]),
      ...fields,
    ]);
  }

  async #check({ name, setting }: Extract<AboutPlaces, { type: "place:check" }>, places: UsedPlaces): Promise<Tested> {
    const before = this.configured().find((place) => place.name === name);
    if (setting === undefined) {
      if (!before) throw new RefusalError(REFUSE.placeFailed(`There is no place "${name}" any more. Add it again.`));
      await places.connect(name);
      const { state, problem, release = "", platform = "" } = await places.standing(name);
      return state === "connected" ? answers(name, release, platform) : failed(problem ?? `${name} does not answer.`);
    }
    try {
      const { checkPlace } = await import("./check-place.ts");
      const { release, platform } = await checkPlace(placeOf(this.#parts.path, name, setting, before), this.#parts.env);
      return answers(name, release, platform);
    } catch (error) {
      if (error instanceof PlaceError) return failed(error.message);
      throw error;
    }
  }

  #file(): LoadedConfigFile {
    const { path, env } = this.#parts;
    const stat = statSync(path, { throwIfNoEntry: false });
    const stamp = stat ? `${stat.ino} ${stat.mtimeMs} ${stat.size}` : "";
    if (this.#read?.stamp !== stamp) this.#read = { stamp, file: loadConfigFile(path, env) };
    return this.#read.file;
  }
}

async function invited(name: string, places: UsedPlaces) {
  const { link, expiresAtMs } = await places.invite(name);
  return {
    ...{ name, link, command: `liminal runner --join ${link}` },
    expiresAt: new Date(expiresAtMs).toISOString(),
  };
}

function reply(message: PlainServerMessage): Answer {
  return { kind: "message", message, published: false };
}

function answers(name: string, release: string, platform: string): Tested {
  return { ok: true, message: `${name} answers: release ${release}, ${platform}.`, details: [] };
}

function failed(message: string): Tested {
  return { ok: false, message, details: [] };
}

/** As config.json has them; what is undefined is not written. */
function fieldsOf(place: Place): Readonly<Record<string, unknown>> {
  switch (place.kind) {
    case "ssh":
      return { host: place.host, program: place.program === PROGRAM ? undefined : place.program };
    case "command":
      return { command: [...place.command] };
    case "fence": {
      const { network, read, write, variables } = place.fence;
      const named = { read, write, variables };
      const lists = Object.entries(named).map(([key, list]) => [key, list.length === 0 ? undefined : [...list]]);
      return { network, ...Object.fromEntries(lists) };
    }
    case "kubernetes": {
      const { from, namespace, context, kubeconfig, container, idleMinutes } = place.template;
      const named = { namespace, context, kubeconfig, container, idleMinutes };
      const given = Object.entries(named).map(([key, value]) => [key, value ?? undefined]);
      const pod = from.kind === "file" ? from.path : from.kind === "spec" ? from.spec : undefined;
      const sandbox = from.kind === "sandbox" ? from.pool : undefined;
      const program = place.program === PROGRAM ? undefined : place.program;
      return { pod, sandbox, program, ...Object.fromEntries(given) };
    }
    case "dial-in":
      return {};
    default:
      return place satisfies never;
  }
}

/** A command may contain a secret: parts that look like one are hidden. */
function shownSetting(place: Place): PlaceSetting {
  if (place.kind === "dial-in") return { kind: "dial-in" };
  if (place.kind === "command") return { kind: "command", command: shownWords(place.command) };
  if (place.kind === "fence") {
    const { network, read, write, variables } = place.fence;
    return { kind: "fence", network, read, write, variables };
  }
  if (place.kind === "kubernetes") {
    // What a template in config.json says of variables may be secret: it stays there.
    const { from, namespace, context, kubeconfig, container, idleMinutes } = place.template;
    return {
      kind: "kubernetes",
      ...(from.kind === "file" && { pod: from.path }),
      ...(from.kind === "sandbox" && { sandbox: from.pool }),
      ...(namespace !== null && { namespace }),
      ...(context !== null && { context }),
      ...(kubeconfig !== null && { kubeconfig }),
      ...(container !== null && { container }),
      ...(idleMinutes !== null && { idleMinutes }),
      ...(place.program !== PROGRAM && { program: place.program }),
    };
  }
  const { host, program } = place;
  return { kind: "ssh", host, ...(program !== PROGRAM && { program }) };
}

/** A template that is written in config.json is changed there. */
function templateOf(
  { pod, sandbox }: Extract<PlaceSetting, { kind: "kubernetes" }>,
  before: Place | undefined,
): PodTemplate["from"] {
  if (pod !== undefined && sandbox !== undefined)
    throw new RefusalError(REFUSE.invalidMessage("pod: name a template or a pool of sandboxes, not both"));
  if (pod !== undefined) return { kind: "file", path: pod };
  if (sandbox !== undefined) return { kind: "sandbox", pool: sandbox };
  if (before?.kind === "kubernetes" && before.template.from.kind === "spec") return before.template.from;
  throw new RefusalError(REFUSE.invalidMessage("pod: name the file of a pod template, or a pool of sandboxes"));
}

function placeOf(file: string, name: string, setting: PlaceSetting, before: Place | undefined): Place {
  const shared = { name, agents: before?.agents ?? {} };
  if (setting.kind === "ssh")
    return { ...shared, kind: "ssh", host: setting.host, program: setting.program ?? PROGRAM };
  if (setting.kind === "fence") {
    const { network = false, read = [], write = [], variables = [] } = setting;
    const fence = { network, read, write, variables, hidden: [dirname(file)] };
    return { ...shared, kind: "fence", fence, program: ownCommand("liminal", "runner") };
  }
  if (setting.kind === "kubernetes") {
    const { namespace = null, context = null, kubeconfig = null, container = null, idleMinutes = null } = setting;
    const from = templateOf(setting, before);
    const template = { from, namespace, context, kubeconfig, container, idleMinutes };
    return { ...shared, kind: "kubernetes", template, program: setting.program ?? PROGRAM, pod: null };
  }
  if (setting.kind === "dial-in") return { ...shared, kind: "dial-in" };
  const known = before?.kind === "command" ? before.command : [];
  return { ...shared, kind: "command", command: storedWords(setting.command, known) };
}
