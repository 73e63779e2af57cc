import { z } from "zod/mini";

const TEXT_CHARS_MAX = 4_000;
const WORDS_MAX = 100;
const PROBLEM_CHARS_MAX = 2_000;

/** Also before the colon of a path, where one letter is a drive elsewhere. */
export const PlaceName = z.string().check(
  z.regex(/^[a-z0-9][a-z0-9-]{1,31}$/, {
    error: "the name of a place has 2 to 32 lowercase letters, digits and dashes",
  }),
);
/** No option, and nothing that `ssh` would read as something else. */
export const PlaceHost = z
  .string()
  .check(z.maxLength(TEXT_CHARS_MAX), z.regex(/^(?!-)[^\s:/]+$/, { error: "expected a host, or user@host" }));
/** A shell at the place reads it. */
export const PlaceProgram = z
  .string()
  .check(z.maxLength(TEXT_CHARS_MAX), z.regex(/^[A-Za-z0-9_./~+-]+$/, { error: "expected the path of a program" }));
const word = z.string().check(z.maxLength(TEXT_CHARS_MAX));
export const PlaceWords = z
  .array(word, { error: "expected a list of words: [ … ]" })
  .check(z.minLength(1), z.maxLength(WORDS_MAX));

/** From the root or from `~`. */
const path = z
  .string()
  .check(z.maxLength(TEXT_CHARS_MAX), z.regex(/^(?:\/|~$|~\/)[^\0]*$/, { error: "expected a path from / or ~ on" }));
export const PlacePaths = z.array(path, { error: "expected a list of paths: [ … ]" }).check(z.maxLength(WORDS_MAX));
const variable = z
  .string()
  .check(z.maxLength(TEXT_CHARS_MAX), z.regex(/^[A-Za-z_]\w*$/, { error: "expected the name of a variable" }));
export const PlaceVariables = z
  .array(variable, { error: "expected a list of names of variables: [ … ]" })
  .check(z.maxLength(WORDS_MAX));

/** A name of the cluster, which is no option for `kubectl`. */
export const PodWord = z.string().check(
  z.regex(/^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/, {
    error: "expected lowercase letters, digits, dots and dashes",
  }),
);
export const PodContext = z
  .string()
  .check(z.maxLength(TEXT_CHARS_MAX), z.regex(/^(?!-)\S+$/, { error: "expected the name of a context" }));
/** A file of the server's machine, from the root or from `~`. */
export const PodFile = path;
const IDLE_MINUTES_MAX = 525_600;
export const IdleMinutes = z.int({ error: "expected whole minutes" }).check(z.minimum(1), z.maximum(IDLE_MINUTES_MAX));

/** How a place is reached, as config.json says it. */
export const PlaceSetting = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ssh"), host: PlaceHost, program: z.optional(PlaceProgram) }),
  z.object({ kind: z.literal("command"), command: PlaceWords }),
  /** This machine, where agents can use the session's directory and the directories named here. */
  z.object({
    kind: z.literal("fence"),
    network: z.optional(z.boolean()),
    read: z.optional(PlacePaths),
    write: z.optional(PlacePaths),
    variables: z.optional(PlaceVariables),
  }),
  /** A pod for each session. Without a file and a pool, its template is in config.json. */
  z.object({
    kind: z.literal("kubernetes"),
    pod: z.optional(PodFile),
    sandbox: z.optional(PodWord),
    namespace: z.optional(PodWord),
    context: z.optional(PodContext),
    kubeconfig: z.optional(PodFile),
    container: z.optional(PodWord),
    program: z.optional(PlaceProgram),
    idleMinutes: z.optional(IdleMinutes),
  }),
  /** A machine that the server does not reach: its runner connects to the server. */
  z.object({ kind: z.literal("dial-in") }),
]);
export type PlaceSetting = z.infer<typeof PlaceSetting>;

/** For one machine, which becomes the place by it. */
export const joinLinkFields = {
  name: z.string(),
  /** It works once. */
  link: z.string(),
  /** What to run on that machine. */
  command: z.string(),
  expiresAt: z.string(),
};

/**
 * The state of the connection. `idle`: there is none, and none was needed. `unreachable`: the last attempt failed, or
 * the connection is lost and is being retried.
 */
export const placeStandingFields = {
  state: z.enum(["idle", "connecting", "connected", "unreachable"]),
  /** One sentence with advice. */
  problem: z.optional(z.string().check(z.maxLength(PROBLEM_CHARS_MAX))),
  /** The release and the system there, once the place has answered. */
  release: z.optional(z.string()),
  platform: z.optional(z.string()),
};
export const PlaceStanding = z.object(placeStandingFields);
export type PlaceStanding = z.infer<typeof PlaceStanding>;

/** A place of config.json. Parts of its command that look like secrets are hidden. */
export const ShownPlace = z.object({ name: z.string(), setting: PlaceSetting, ...placeStandingFields });
export type ShownPlace = z.infer<typeof ShownPlace>;
