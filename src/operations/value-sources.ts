import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";

const OTHERS = 0o077;
const FILE_BYTES_MAX = 64 * 1024;

/** A value of config.json: itself, or its source. */
export const StoredValue = z.union(
  [z.string(), z.strictObject({ fromEnv: z.string().min(1) }), z.strictObject({ fromFile: z.string().min(1) })],
  { error: 'expected a text, { "fromEnv": "NAME" } or { "fromFile": "path" }' },
);
export type StoredValue = z.infer<typeof StoredValue>;
export const StoredValues = z.record(z.string(), StoredValue);
export type StoredValues = Readonly<Record<string, StoredValue>>;

interface Resolved {
  readonly values: Readonly<Record<string, string>>;
  /** One sentence for each missing value. */
  readonly missing: readonly string[];
}

/** Looks the values up now: a file or a variable may change between two starts. */
export function resolveValues(stored: StoredValues, env: Readonly<Record<string, string | undefined>>): Resolved {
  const values: Record<string, string> = {};
  const missing: string[] = [];
  for (const [name, value] of Object.entries(stored)) {
    const found = typeof value === "string" ? { text: value } : lookUp(name, value, env);
    if ("text" in found) values[name] = found.text;
    else missing.push(found.reason);
  }
  return { values, missing };
}

type LookedUp = { readonly text: string } | { readonly reason: string };

function lookUp(
  name: string,
  source: Exclude<StoredValue, string>,
  env: Readonly<Record<string, string | undefined>>,
): LookedUp {
  if ("fromEnv" in source) {
    const text = env[source.fromEnv];
    if (text !== undefined && text !== "") return { text };
    return {
      reason: `${name} comes from the environment variable ${source.fromEnv}, which is not set where the server runs. Set it and restart the server.`,
    };
  }
  const path = source.fromFile.replace(/^~(?=\/)/, homedir());
  try {
    const { mode, size } = statSync(path);
    if ((mode & OTHERS) !== 0)
      return { reason: `${name} comes from ${path}, which others can read. Run: chmod 600 ${path}` };
    if (size > FILE_BYTES_MAX)
      return { reason: `${name} comes from ${path}, which is larger than ${FILE_BYTES_MAX} bytes.` };
    return { text: readFileSync(join(path), "utf8").replace(/\r?\n$/, "") };
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
    const why = code === "ENOENT" ? "does not exist" : code === "EISDIR" ? "is a directory" : "cannot be read";
    return { reason: `${name} comes from ${path}, which ${why}.` };
  }
}
