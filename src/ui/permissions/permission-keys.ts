import type { PendingPermission } from "../../protocol/session-parts.ts";
import { findShortcut, type KeyPress } from "../keys/shell-shortcut.ts";
import { IN_SESSION } from "../keys/shortcut-table.ts";
import { firstOption } from "./permission-words.ts";

/** The option a key answers with, or null: A allows, D denies, and nothing else counts. */
export function permissionKey(press: KeyPress, { options }: Pick<PendingPermission, "options">): string | null {
  const wish = findShortcut(IN_SESSION, press);
  if (wish !== "allow" && wish !== "deny") return null;
  return firstOption(options, wish === "allow" ? "allow" : "reject")?.optionId ?? null;
}
