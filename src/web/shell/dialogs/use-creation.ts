import { useEffect, useRef, useState } from "preact/hooks";
import type { CliType, CommandId, ProjectId, SessionId } from "../../../protocol/ids.ts";
import { newCommandId } from "../../portlet/new-command-id.ts";
import type { Tell } from "../state/attempt.ts";
import type { Shell } from "../state/shell.ts";
import { createSession } from "../state/shell-actions.ts";
import type { Trouble } from "../state/trouble.ts";

/** Where the making of a session stands, and with which agent. */
export type Creation =
  | { readonly phase: "choosing" }
  | { readonly phase: "creating"; readonly cliType: CliType }
  | { readonly phase: "refused"; readonly cliType: CliType; readonly trouble: Trouble };

/**
 * Makes the session, one at a time; whoever leaves the dialog first gets none. The dialog goes when the session's
 * composer is there, which goes on with what was typed into `field` meanwhile.
 */
export function useCreation(
  shell: Shell,
  projectId: ProjectId,
  field: { readonly current: HTMLTextAreaElement | null },
): [Creation, (cliType: CliType) => void] {
  const [creation, setCreation] = useState<Creation>({ phase: "choosing" });
  const making = useRef<CommandId | null>(null);
  const isShown = useRef(true);
  const made = useRef<SessionId | null>(null);
  useEffect(
    () => () => {
      isShown.current = false;
      const handover = shell.handover.peek();
      if (handover !== null && handover.id === made.current) {
        // Left before its frame has loaded.
        shell.handover.value = null;
        void shell.attempt({ type: "session:draft", sessionId: handover.id, content: handover.take() });
      }
      if (making.current !== null) void shell.attempt({ type: "session:create-cancel", creation: making.current });
    },
    [],
  );
  const create = async (cliType: CliType) => {
    if (making.current !== null) return;
    const commandId = newCommandId();
    making.current = commandId;
    setCreation({ phase: "creating", cliType });
    const refuse: Tell = (_words, trouble) => {
      // Nobody waits for a session that was cancelled.
      if (isShown.current) setCreation({ phase: "refused", cliType, trouble });
    };
    const created = await createSession(shell, { projectId, cliType, commandId }, refuse, () => isShown.current);
    making.current = null;
    if (created === null || !isShown.current) return;
    made.current = created;
    const take = () => {
      const text = field.current?.value ?? "";
      // At once, not with the next drawing: a modal dialog lets nothing else have the keyboard.
      field.current?.closest("dialog")?.close();
      shell.closeDialog();
      return text;
    };
    if (shell.shownSession() === created) shell.handover.value = { id: created, take };
    else void shell.attempt({ type: "session:draft", sessionId: created, content: take() });
  };
  return [creation, (cliType) => void create(cliType)];
}
