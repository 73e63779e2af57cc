import type { PortletStore } from "../../portlet-store.ts";
import { readAttachments } from "./read-attachments.ts";

export function filesOf(data: DataTransfer | null): readonly File[] {
  return [...(data?.files ?? [])];
}

/** Files that were pasted, dropped or chosen go into the composer; what cannot is told in words. */
export function takeFiles(store: PortletStore, files: readonly File[]): void {
  attach(store, files).catch(() =>
    tell(store, "The file could not be read. Check that it is still there, and try again."),
  );
}

async function attach(store: PortletStore, files: readonly File[]): Promise<void> {
  const { session, agentName } = store.state;
  const around = { abilities: session.config.abilities, agentName, attached: store.composer.attachments };
  const { parts, refused } = await readAttachments(files, around);
  if (parts.length > 0) store.change({ type: "attached", parts });
  if (refused.length > 0) tell(store, refused.join("\n"));
}

function tell(store: PortletStore, message: string): void {
  store.change({ type: "refused", message });
}
