import { resolveInside } from "../files/resolve-inside.ts";
import { walkFiles } from "../files/walk-files.ts";
import { ToolCall, textContent } from "../turn/tool-call.ts";
import type { Turn } from "../turn/turn.ts";

export const LISTED_FILES_MAX = 500;

/** What came of looking: the files, or why there are none to tell. */
type Listed =
  | { readonly ok: true; readonly files: readonly string[]; readonly truncated: boolean; readonly text: string }
  | { readonly ok: false; readonly outside: boolean; readonly reason: string };

/** The files of a directory inside the session's, as one tool call. */
export async function listFiles(turn: Turn, directory: string): Promise<Listed> {
  const shown = directory === "" ? "." : directory;
  const place = resolveInside(turn.cwd, shown);
  const title = directory === "" ? "List files" : `List files in ${directory}`;
  const locations = place.ok ? [{ path: place.path }] : [];
  const tool = new ToolCall(turn, { title, name: "list", kind: "read", rawInput: { path: shown }, locations });
  if (!place.ok) {
    tool.fail(place.reason);
    return { ok: false, outside: true, reason: place.reason };
  }
  tool.run();
  const files: string[] = [];
  try {
    for await (const file of walkFiles(place.path)) {
      turn.signal.throwIfAborted();
      files.push(file);
      if (files.length > LISTED_FILES_MAX) break;
    }
  } catch (error) {
    turn.signal.throwIfAborted();
    tool.fail(String(error));
    return { ok: false, outside: false, reason: String(error) };
  }
  const truncated = files.length > LISTED_FILES_MAX;
  files.splice(LISTED_FILES_MAX);
  const rest = truncated ? [`… more than ${LISTED_FILES_MAX} files`] : [];
  const text = [...files, ...rest].join("\n");
  tool.complete({ content: [textContent(text)], rawOutput: { files: files.length, truncated } });
  return { ok: true, files, truncated, text };
}
