import type { Part } from "../../../protocol/entry.ts";
import { createContentPart } from "../../../ui/parts/content-part.ts";
import { createWholeButton } from "../../../ui/parts/whole-output-button.ts";

/** What text alone cannot carry, and texts too long to stand in the entry, each with the way to all of it. */
export function createParts(parts: readonly Part[] | undefined): HTMLElement[] {
  return (parts ?? []).flatMap((part, index) => (hasShape(part) ? createPart(part, index) : []));
}

/** Text and terminal output stand in the entry's own text; the rest has a shape of its own. */
export function hasShape(part: Part): boolean {
  return part.type === "text" ? part.truncated !== undefined : part.type !== "terminal";
}

function createPart(part: Part, index: number): HTMLElement[] {
  const truncated = "truncated" in part ? part.truncated : undefined;
  return [createContentPart(part), ...(truncated ? [createWholeButton(truncated, index)] : [])];
}
