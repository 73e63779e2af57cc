import type { PendingPermission } from "../../protocol/session-parts.ts";
import { firstOption } from "./permission-words.ts";

/** A card that has just come up must not catch a key that was meant for something else. */
export const ANSWER_GUARD_MS = 300;

export interface PermissionKeyPress {
  readonly key: string;
  readonly hasModifier: boolean;
  /** A text field has the focus. */
  readonly isTyping: boolean;
  /** How long the card has been in view. */
  readonly shownForMs: number;
}

/** The option a key answers with, or null: A allows, D denies, and nothing else counts. */
export function permissionKey(press: PermissionKeyPress, { options }: PendingPermission): string | null {
  if (press.isTyping || press.hasModifier || press.shownForMs < ANSWER_GUARD_MS) return null;
  const kind =
    press.key === "a" || press.key === "A" ? "allow" : press.key === "d" || press.key === "D" ? "reject" : null;
  return kind === null ? null : (firstOption(options, kind)?.optionId ?? null);
}
