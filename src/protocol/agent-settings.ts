import { z } from "zod/mini";
import { CliType } from "./ids.ts";
import { PermissionMode } from "./permission-policy.ts";
import { PlaceName } from "./places.ts";
import { TOOL_SERVER_NAME_CHARS_MAX } from "./tool-server.ts";

const TEXT_CHARS_MAX = 4_000;
const WORDS_MAX = 100;
const NAME_CHARS_MAX = 200;

const text = z.string().check(z.minLength(1), z.maxLength(TEXT_CHARS_MAX));
const words = z.array(z.string().check(z.maxLength(TEXT_CHARS_MAX))).check(z.maxLength(WORDS_MAX));

/**
 * The source of a value. A text that is stored in config.json is never sent: without `text`, a request keeps the
 * stored one, and an answer states that there is one.
 */
export const ValueSource = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("text"), text: z.optional(z.string().check(z.maxLength(TEXT_CHARS_MAX))) }),
  /** An environment variable of the server. */
  z.object({ kind: z.literal("variable"), name: z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/)) }),
  /** A file that only the user can read. */
  z.object({ kind: z.literal("file"), path: text }),
]);
export type ValueSource = z.infer<typeof ValueSource>;

/** A variable of an environment, or a header. */
export const NamedValue = z.object({
  name: z.string().check(z.regex(/^[^\s=:]+$/), z.maxLength(NAME_CHARS_MAX)),
  from: ValueSource,
});
export type NamedValue = z.infer<typeof NamedValue>;
const values = z.array(NamedValue).check(z.maxLength(WORDS_MAX));

/** What config.json says of an agent. One of the catalog has no command of its own. */
export const AgentSetting = z.object({
  name: z.optional(z.string().check(z.trim(), z.minLength(1), z.maxLength(NAME_CHARS_MAX))),
  command: z.optional(text),
  args: words,
  env: values,
  permissions: z.optional(PermissionMode),
});
export type AgentSetting = z.infer<typeof AgentSetting>;

const toolServerFields = {
  enabled: z.boolean(),
  /** Sessions at these places get it, too. Without it, a request keeps the stored ones. */
  places: z.optional(z.array(PlaceName).check(z.maxLength(WORDS_MAX))),
};

/** A tool server (MCP): a program, or an address. */
export const ToolServerSetting = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("program"), ...toolServerFields, command: text, args: words, env: values }),
  z.object({
    kind: z.literal("address"),
    ...toolServerFields,
    url: z.string().check(z.maxLength(TEXT_CHARS_MAX), z.regex(/^https?:\/\/[^\s]+$/)),
    headers: values,
  }),
]);
export type ToolServerSetting = z.infer<typeof ToolServerSetting>;

export const ToolServerName = z.string().check(z.trim(), z.minLength(1), z.maxLength(TOOL_SERVER_NAME_CHARS_MAX));

/** Answers `settings:agents`, and everything that changes them. */
export const agentSettingsFields = {
  /** The file. */
  path: z.string(),
  agents: z.array(z.object({ cliType: CliType, isOwn: z.boolean(), setting: AgentSetting })),
  servers: z.array(z.object({ name: z.string(), setting: ToolServerSetting })),
  /** Mistakes in the file. */
  problems: z.array(z.string()),
};
const AgentSettings = z.object(agentSettingsFields);
export type AgentSettings = z.infer<typeof AgentSettings>;

/** Stands for a part of a command or an address that looks like a secret; unchanged, it stays what it is. */
export const HIDDEN = "•••";

/** What a test found. */
export const testedFields = {
  ok: z.boolean(),
  message: z.string(),
  /** Facts, or the end of what the program printed. */
  details: z.array(z.string()),
};
export type Tested = { readonly ok: boolean; readonly message: string; readonly details: string[] };
