import { configuredName } from "../protocol/place-path.ts";
import { clusterFailure } from "./cluster-failure.ts";
import type { Fence } from "./fence.ts";
import { PlaceError } from "./place-error.ts";
import { kubectlOf, type PodIdentity, type PodTemplate } from "./pod.ts";

/** Where agents run, as in config.json. */
export type Place = {
  readonly name: string;
  /** By agent: the words that start it there. The built-in agent needs none. */
  readonly agents: Readonly<Record<string, readonly string[]>>;
} & (
  | {
      readonly kind: "ssh";
      /** As for `ssh`: a host of its configuration, or user@host. */
      readonly host: string;
      /** How Liminal Builder is started there. */
      readonly program: string;
    }
  | {
      readonly kind: "command";
      /** Its standard input and output lead to `liminal runner`. */
      readonly command: readonly string[];
    }
  | {
      /** This machine. Each agent is fenced in. */
      readonly kind: "fence";
      readonly fence: Fence;
      /** Starts our runner. */
      readonly program: readonly string[];
    }
  | {
      /** A pod for each session. */
      readonly kind: "kubernetes";
      readonly template: PodTemplate;
      /** How Liminal Builder is started there. */
      readonly program: string;
      /** Which of them; null in the settings, which name none. */
      readonly pod: PodIdentity | null;
    }
  | {
      /** A machine that this one does not reach: its runner connects to the server. */
      readonly kind: "dial-in";
    }
);

/** Where runners dial in. */
export interface DialInSetting {
  /** On which address of this machine. */
  readonly host: string;
  /** Null: one that is chosen once, and kept. */
  readonly port: number | null;
  /** At which runners reach it, with a port if it is another one; null for an address of this machine. */
  readonly address: string | null;
}

/** One pod of a place. */
export type PodPlace = Extract<Place, { kind: "kubernetes" }> & { readonly pod: PodIdentity };

/** Never asks, because no user could answer; detects a dead network. */
const SSH_WORDS = [
  "-T",
  "-o",
  "BatchMode=yes",
  "-o",
  "ServerAliveInterval=5",
  "-o",
  "ServerAliveCountMax=3",
  "-o",
  "ConnectTimeout=15",
];

/** The command whose stdio leads to the runner; of a place that dials in, the one that has to run there. */
export function placeCommand(place: Place): readonly string[] {
  if (place.kind === "command") return place.command;
  if (place.kind === "fence") return [...place.program, "--fence", JSON.stringify(place.fence)];
  if (place.kind === "kubernetes") return podCommand(place);
  if (place.kind === "dial-in") return ["liminal", "runner", "--dial", place.name];
  return sshCommand(place.host, `${place.program} runner`);
}

/** As it is shown, and compared: in which container, and which pod a claim has got, is known when the pod is ready. */
function podCommand({ template, program, pod }: Extract<Place, { kind: "kubernetes" }>): readonly string[] {
  const { container } = template;
  const named = container === null ? [] : ["-c", container];
  return [...kubectlOf(template), "exec", "-i", pod?.name ?? "<pod>", ...named, "--", program, "runner"];
}

export function sshCommand(host: string, command: string): readonly string[] {
  return ["ssh", ...SSH_WORDS, "--", host, command];
}

interface Failure {
  readonly notStartable?: string;
  readonly isSilent?: boolean;
  readonly code?: number;
  readonly stderr?: string;
  /** What it printed instead of the runner's opening. */
  readonly noise?: string;
  readonly wasConnected?: boolean;
}

const SHOWN_CHARS_MAX = 300;

interface Symptom {
  readonly said: RegExp;
  readonly words: (place: Place, host: string) => string;
}
const MISSING: Symptom = {
  said: /not found|no such file or directory/i,
  words: (place, host) =>
    place.kind === "ssh"
      ? `Liminal Builder is not installed at ${place.name}: run "liminal place add ${host}", or set places.${place.name}.program in config.json.`
      : `The command of ${place.name} does not lead to a runner: install Liminal Builder there, or correct places.${place.name}.command in config.json.`,
};
/** Errors of the usual programs, and what the user can do. */
const KNOWN: readonly Symptom[] = [
  {
    said: /host key verification failed|remote host identification has changed/i,
    words: (_, host) =>
      `The host key of ${host} is unknown or has changed: run "ssh ${host}" once in a terminal and check the key.`,
  },
  {
    said: /permission denied/i,
    words: (_, host) => `${host} does not accept your key: run "ssh-copy-id ${host}", or load the key with "ssh-add".`,
  },
  {
    said: /could not resolve hostname|name or service not known/i,
    words: ({ name }, host) => `The host ${host} is unknown: correct places.${name}.host in config.json.`,
  },
  {
    said: /connection (?:refused|timed out)|no route to host|network is unreachable|operation timed out/i,
    words: (_, host) => `${host} does not answer: check that the machine is on and that SSH runs there.`,
  },
  { said: /no space left on device/i, words: ({ name }) => `The disk of ${name} is full: make room there.` },
  MISSING,
];

/** Why no runner answers, in one sentence with the fix. */
export function placeFailure(
  place: Place,
  { notStartable, isSilent, code, stderr = "", noise = "", wasConnected }: Failure,
): PlaceError {
  const name = configuredName(place.name);
  const host = place.kind === "ssh" ? place.host : name;
  if (notStartable !== undefined)
    return new PlaceError(
      `${placeCommand(place)[0]} could not be started (${notStartable}): install it, or correct places.${name} in config.json.`,
    );
  const said = [stderr, noise].join("\n").trim();
  // An error of our own runner on this machine is a sentence with advice.
  if (place.kind === "fence" && said !== "") return new PlaceError(said.split("\n").at(-1) ?? said);
  const ofCluster = place.kind === "kubernetes" ? clusterFailure(name, said) : null;
  if (ofCluster) return wasConnected ? new PlaceError(ofCluster.message, { isLost: true }) : ofCluster;
  const known = KNOWN.find((one) => one.said.test(said));
  if (known) return new PlaceError(known.words(place, host), { isMissing: known === MISSING });
  if (isSilent) return new PlaceError(`${name} did not answer in time: check it with "liminal place check ${name}".`);
  if (wasConnected) return new PlaceError(`The connection to ${name} was lost.`, { isLost: true });
  const shown = said.split("\n").at(-1)?.trim().slice(0, SHOWN_CHARS_MAX) ?? "";
  const words = shown === "" ? `exit code ${code}` : shown;
  return new PlaceError(`No runner answers at ${name} (${words}): check that its command starts "liminal runner".`);
}
