import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import type { JsonObject } from "../wire/json.ts";
import { invalidParams } from "../wire/rpc-error.ts";

const VOICES = [
  { value: "brief", name: "Brief", description: "Short answers." },
  { value: "detailed", name: "Detailed", description: "Answers with examples and background." },
] as const;

const MODES = [
  { value: "ask", name: "Ask first", description: "Asks before each edit and each command." },
  { value: "edits", name: "Allow edits", description: "Edits files without asking; asks before commands." },
  { value: "all", name: "Allow everything", description: "Edits files and runs commands without asking." },
  { value: "read", name: "Read only", description: "Refuses edits and commands." },
] as const;

/** How long the answers are. */
export type Voice = (typeof VOICES)[number]["value"];
/** Which actions need permission. */
export type Mode = (typeof MODES)[number]["value"];
/** The settings of one session, stored with it. */
export type ConfigValues = { readonly voice: Voice; readonly mode: Mode; readonly thoughts: boolean };

/** What a new session starts with. */
export const DEFAULT_CONFIG: ConfigValues = { voice: "brief", mode: "ask", thoughts: false };

/** The complete list, as every answer and update must carry it; booleans only if the client supports them. */
export function configOptions(values: ConfigValues, withBoolean: boolean): SessionConfigOption[] {
  const options: SessionConfigOption[] = [
    {
      id: "mode",
      name: "Permissions",
      description: "When the guide asks before it changes something.",
      category: "mode",
      type: "select",
      currentValue: values.mode,
      options: [...MODES],
    },
    {
      id: "voice",
      name: "Voice",
      description: "How detailed the answers are.",
      category: "_voice",
      type: "select",
      currentValue: values.voice,
      options: [...VOICES],
    },
  ];
  if (withBoolean) {
    options.push({
      id: "thoughts",
      name: "Think aloud",
      description: "Shows a thought before each answer.",
      type: "boolean",
      currentValue: values.thoughts,
    });
  }
  return options;
}

/** The same setting as legacy modes, for clients without config options. */
export function sessionModes(values: ConfigValues): SessionModeState {
  return {
    currentModeId: values.mode,
    availableModes: MODES.map(({ value, name, description }) => ({ id: value, name, description })),
  };
}

/** Refuses unknown options and values by name. */
export function changeConfig(values: ConfigValues, configId: string, value: unknown): ConfigValues {
  switch (configId) {
    case "mode":
      return { ...values, mode: choice(MODES, configId, value) };
    case "voice":
      return { ...values, voice: choice(VOICES, configId, value) };
    case "thoughts":
      if (typeof value !== "boolean") throw invalidParams(`"${configId}" takes true or false.`);
      return { ...values, thoughts: value };
    default:
      throw invalidParams(`There is no option "${configId}".`);
  }
}

/** Stored settings, with unknown parts replaced by their defaults. */
export function parseConfig(stored: JsonObject): ConfigValues {
  return {
    voice: VOICES.find((voice) => voice.value === stored["voice"])?.value ?? DEFAULT_CONFIG.voice,
    mode: MODES.find((mode) => mode.value === stored["mode"])?.value ?? DEFAULT_CONFIG.mode,
    thoughts: stored["thoughts"] === true,
  };
}

function choice<Value extends string>(from: readonly { value: Value }[], configId: string, value: unknown): Value {
  const found = from.find((option) => option.value === value);
  if (found) return found.value;
  throw invalidParams(`"${configId}" is one of ${from.map((option) => option.value).join(", ")}.`);
}
