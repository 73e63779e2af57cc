import { resolveInside } from "../files/resolve-inside.ts";
import { readText } from "../files/text-file.ts";
import { ToolCall, textContent } from "../turn/tool-call.ts";
import type { Turn } from "../turn/turn.ts";

/** The whole text, or why it cannot be had. */
type Read =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly outside: boolean; readonly reason: string };

/** A text file inside the session's directory, as one tool call. */
export async function readFile(turn: Turn, shown: string): Promise<Read> {
  const place = resolveInside(turn.cwd, shown);
  const tool = new ToolCall(turn, {
    title: `Read ${shown}`,
    name: "read",
    kind: "read",
    rawInput: { path: shown },
    locations: place.ok ? [{ path: place.path }] : [],
  });
  if (!place.ok) {
    tool.fail(place.reason);
    return { ok: false, outside: true, reason: place.reason };
  }
  tool.run();
  const file = await readText(turn, place.path, shown);
  if (!file.ok) {
    tool.fail(file.reason);
    return { ok: false, outside: false, reason: file.reason };
  }
  tool.complete({ content: [textContent(file.text)], rawOutput: { characters: file.text.length } });
  return file;
}
