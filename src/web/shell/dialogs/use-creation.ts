import { useEffect, useRef, useState } from "preact/hooks";
import type { CliType, CommandId, ProjectId } from "../../../protocol/ids.ts";
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

/** Makes the session, one at a time; the dialog goes when it is there. Whoever leaves the dialog first gets none. */
export function useCreation(shell: Shell, projectId: ProjectId): [Creation, (cliType: CliType) => void] {
  const [creation, setCreation] = useState<Creation>({ phase: "choosing" });
  const making = useRef<CommandId | null>(null);
  const isShown = useRef(true);
  useEffect(
    () => () => {
      isShown.current = false;
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
    const made = await createSession(shell, { projectId, cliType, commandId }, refuse, () => isShown.current);
    making.current = null;
    if (made !== null && isShown.current) shell.closeDialog();
  };
  return [creation, (cliType) => void create(cliType)];
}
