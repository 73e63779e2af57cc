import type { SignInMethod } from "../../protocol/server-messages.ts";
import { asArray, asObject, asString, type JsonObject } from "./read-json.ts";

/** A way to sign in that the agent offers, with what it takes to walk it. */
export interface OfferedSignIn extends SignInMethod {
  /** For `terminal`: what to run; null appends to the agent's own command. */
  readonly command: readonly string[] | null;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The agent's sign-in methods as it lists them, the older form of a terminal method included. */
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

/** How a method is walked is the server's business; clients see what it is called and of which kind it is. */
export function publicMethod({ id, name, description, kind }: OfferedSignIn): SignInMethod {
  return { id, name, kind, ...(description !== undefined && { description }) };
}
