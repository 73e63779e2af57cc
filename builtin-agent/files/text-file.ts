import { readFile, stat, writeFile } from "node:fs/promises";
import type { Turn } from "../turn/turn.ts";
import { isMissing } from "./resolve-inside.ts";

/** Bigger files are neither read nor edited: they would not fit a message anyway. */
export const FILE_BYTES_MAX = 1024 * 1024;

/** Text, or the reason there is none; `missing` lets an edit create the file. */
type TextRead =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly missing: boolean; readonly reason: string };

/** Reads through the client where it offers that (it may know unsaved text), else from disk. */
export async function readText(turn: Turn, path: string, shown: string): Promise<TextRead> {
  const { client, session } = turn.context;
  const size = await sizeOf(path);
  if (size === "missing") return refused(`There is no file ${shown}.`, true);
  if (size === "directory") return refused(`${shown} is a directory.`);
  if (size > FILE_BYTES_MAX) return refused(`${shown} is bigger than ${FILE_BYTES_MAX} bytes.`);
  const text = client.capabilities.readTextFile
    ? await client.readTextFile(session.id, path, turn.signal)
    : await readFile(path, "utf8");
  return text.includes("\0") ? refused(`${shown} is not a text file.`) : { ok: true, text };
}

/** Writes through the client where it offers that, so that it sees the change, else to disk. */
export async function writeText(turn: Turn, path: string, text: string): Promise<void> {
  const { client, session } = turn.context;
  if (client.capabilities.writeTextFile) await client.writeTextFile(session.id, path, text, turn.signal);
  else await writeFile(path, text);
}

async function sizeOf(path: string): Promise<number | "missing" | "directory"> {
  try {
    const found = await stat(path);
    return found.isFile() ? found.size : "directory";
  } catch (error) {
    if (isMissing(error)) return "missing";
    throw error;
  }
}

function refused(reason: string, missing = false): TextRead {
  return { ok: false, missing, reason };
}
