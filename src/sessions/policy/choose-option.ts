import type { PermissionOption } from "../../protocol/session-parts.ts";

/**
 * The agent's own option for an automatic answer: for this once, never for always. Two that allow once differ in
 * something only a person can judge, so neither is taken.
 */
export function chooseOption(options: readonly PermissionOption[], answer: "allow" | "deny"): PermissionOption | null {
  const kind = answer === "allow" ? "allow_once" : "reject_once";
  const [first, second] = options.filter((option) => option.kind === kind);
  if (first === undefined || (answer === "allow" && second !== undefined)) return null;
  return first;
}
