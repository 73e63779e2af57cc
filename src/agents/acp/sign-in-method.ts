import type { SignInMethod } from "../../protocol/server-messages.ts";
import { asArray, asObject, asString, type JsonObject } from "./read-json.ts";

/** A sign-in method offered by the agent, with the data to run it. */
export interface OfferedSignIn extends SignInMethod {
  /** For `terminal`: the command to run; null appends to the agent's own command. */
  readonly command: readonly string[] | null;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The agent's sign-in methods, including the older form of a terminal method. */
export function readSignInMethods(authMethods: unknown): readonly OfferedSignIn[] {
  return (asArray(authMethods) ?? []).flatMap((item) => {
    const method = asObject(item);
    const id = asString(method?.["id"]);
    if (!method || id === undefined) return [];
    const description = asString(method["description"]);
    return [
      {
        id,
        name: asString(method["name"]) ?? id,
        ...(description !== undefined && { description }),
        ...walk(method),
      },
    ];
  });
}

function walk(method: JsonObject): Pick<OfferedSignIn, "kind" | "command" | "args" | "env"> {
  const legacy = asObject(asObject(method["_meta"])?.["terminal-auth"]);
  const program = asString(legacy?.["command"]);
  if (legacy && program !== undefined)
    return {
      kind: "terminal",
      command: [program, ...strings(legacy["args"])],
      args: [],
      env: environment(legacy["env"]),
    };
  switch (method["type"]) {
    case "terminal":
      return { kind: "terminal", command: null, args: strings(method["args"]), env: environment(method["env"]) };
    case "env_var":
      return { kind: "environment", command: null, args: [], env: {} };
    default:
      return { kind: "agent", command: null, args: [], env: {} };
  }
}

function strings(value: unknown): readonly string[] {
  return (asArray(value) ?? []).flatMap((item) => asString(item) ?? []);
}

function environment(value: unknown): Readonly<Record<string, string>> {
  const pairs = Object.entries(asObject(value) ?? {}).flatMap(([name, text]) => {
    const set = asString(text);
    return set === undefined ? [] : [[name, set] as const];
  });
  return Object.fromEntries(pairs);
}

/** How a method runs is internal; clients see its name and kind. */
export function publicMethod({ id, name, description, kind }: OfferedSignIn): SignInMethod {
  return { id, name, kind, ...(description !== undefined && { description }) };
}
