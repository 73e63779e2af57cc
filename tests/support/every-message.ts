import type { z } from "zod/mini";
import { ClientMessage } from "../../src/protocol/client-messages.ts";

/** Tried in this order for a field that no id is given for. */
const VALUES: readonly unknown[] = [
  "builtin",
  false,
  1,
  [],
  {},
  null,
  "1.0.0",
  "abc123",
  "http://127.0.0.1:9/",
  "README.md",
  [{ path: "README.md" }],
  [{ cliType: "builtin" }],
  ["abc123"],
  ["done"],
  { kind: "base" },
  { kind: "all" },
  { kind: "cron", cron: "0 0 1 1 *", timeZone: "UTC" },
  { kind: "new", cliType: "builtin" },
  { kind: "ssh", host: "build" },
  { name: "Agent", command: "true" },
  { command: "true" },
  { kind: "anthropic", model: "m" },
];
/** Where one valid value is as good as another to the schema, and not to a reader. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  query: "zebra",
  path: "README.md",
  days: 1,
  scope: "project",
  action: "decline",
  decision: "keep",
  name: "thing",
  content: "from somebody else",
  title: "Taken over",
  columns: 80,
  rows: 24,
  limit: 5,
};

/** One valid message of each type that names all of these ids that it can. Fails for a type that it cannot make. */
export function everyMessage(ids: Readonly<Record<string, string>>): readonly z.infer<typeof ClientMessage>[] {
  return ClientMessage.def.options.map(({ shape }) => {
    const type = shape.type.def.values[0];
    const fields = Object.entries(shape as Readonly<Record<string, z.ZodMiniType>>).flatMap(([name, field]) => {
      if (name === "type" || name === "requestId" || name === "commandId") return [];
      const isOptional = field.safeParse(undefined).success;
      const given = ids[name];
      if (given !== undefined && field.safeParse(given).success) return [[name, given] as const];
      // The narrower of the two is looked at.
      if (isOptional) return [];
      const values = [BY_NAME[name], ...literalsOf(field), ...objectsOf(field, ids), ...VALUES];
      const found = values.find((value) => value !== undefined && field.safeParse(value).success);
      if (found === undefined) throw new Error(`no value is known for ${type}: ${name}; add one to every-message.ts`);
      return [[name, found] as const];
    });
    return ClientMessage.parse({ type, ...Object.fromEntries(fields) });
  });
}

function literalsOf(field: z.ZodMiniType): readonly unknown[] {
  const def = field._zod.def as { readonly type: string; readonly entries?: object; readonly options?: unknown };
  return def.type === "enum" ? Object.values(def.entries ?? {}) : [];
}

/** Of each form that an object may have, one with required fields alone. */
function objectsOf(field: z.ZodMiniType, ids: Readonly<Record<string, string>>): readonly unknown[] {
  const def = field._zod.def as {
    readonly type: string;
    readonly options?: readonly z.ZodMiniType[];
    readonly innerType?: z.ZodMiniType;
    readonly shape?: Readonly<Record<string, z.ZodMiniType>>;
  };
  if (def.type === "union") return (def.options ?? []).flatMap((option) => objectsOf(option, ids));
  if (def.innerType) return objectsOf(def.innerType, ids);
  if (def.type !== "object" || !def.shape) return [];
  const made = Object.entries(def.shape).flatMap(([name, inner]) => {
    if (inner.safeParse(undefined).success) return [];
    const literal = (inner._zod.def as { readonly values?: readonly unknown[] }).values?.[0];
    const values = [ids[name], BY_NAME[name], literal, ...literalsOf(inner), ...objectsOf(inner, ids), ...VALUES];
    const found = values.find((value) => value !== undefined && inner.safeParse(value).success);
    return found === undefined ? [] : [[name, found] as const];
  });
  return [Object.fromEntries(made)];
}
