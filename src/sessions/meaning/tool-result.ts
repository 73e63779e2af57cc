import type { ToolCallEntry } from "../../protocol/entry.ts";
import { extend, growthOf, type ShownText } from "../../protocol/shown-text.ts";

const ALIKE_CHARS = 1_000;

export type ResultChange =
  | { readonly kind: "same" }
  | { readonly kind: "grown"; readonly by: string }
  | { readonly kind: "replaced"; readonly text: string };

/** What a newly given output means for the one that is known: agents send it whole each time. */
export function resultChange(entry: ToolCallEntry, result: string | undefined): ResultChange {
  if (result === undefined) return { kind: "same" };
  const shown = shownOf(entry);
  const growth = growthOf(shown, result);
  // An output that is there and empty is more than none.
  if (growth === "" && entry.result !== undefined) return { kind: "same" };
  if (growth !== null) return { kind: "grown", by: growth };
  const isPrinted = shown.text !== "" && (entry.parts?.some(({ type }) => type === "terminal") ?? false);
  if (!isPrinted) return { kind: "replaced", text: result };
  // What a command printed in its terminal stays; words the agent has to add come after it.
  if (shown.text.includes(result) || endsAlike(shown.text, result)) return { kind: "same" };
  return { kind: "grown", by: shown.text.endsWith("\n") ? result : `\n${result}` };
}

/** Agents give back what their terminal printed, cut from the front as they like. */
function endsAlike(printed: string, result: string): boolean {
  return result.length > ALIKE_CHARS && printed.endsWith(result.slice(-ALIKE_CHARS));
}

/** The entry's output after more of it has come. */
export function resultOf(entry: ToolCallEntry, more: string): Pick<ToolCallEntry, "result" | "truncated"> {
  if (more === "" && entry.result === undefined) return {};
  const { text, truncated } = more === "" ? shownOf(entry) : extend(shownOf(entry), more);
  return { result: text, ...(truncated && { truncated }) };
}

function shownOf({ result = "", truncated }: ToolCallEntry): ShownText {
  return { text: result, truncated };
}
