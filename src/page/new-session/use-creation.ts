import { useEffect, useRef, useState } from "preact/hooks";
import type { CliType, ProjectId } from "../../protocol/ids.ts";
import type { Shell } from "../state/shell.ts";
import { createSession } from "../state/shell-actions.ts";
import type { Tell, Trouble } from "../state/trouble.ts";

/** Where the making of a session stands, and with which agent. */
export type Creation =
  | { readonly phase: "choosing" }
  | { readonly phase: "creating"; readonly cliType: CliType }
  | { readonly phase: "refused"; readonly cliType: CliType; readonly trouble: Trouble };

/** Makes the session, one at a time, and closes the dialog; whoever closes the dialog first gets none. */
export function useCreation(shell: Shell, projectId: ProjectId): [Creation, (cliType: CliType) => void] {
  const [creation, setCreation] = useState<Creation>({ phase: "choosing" });
  const isMaking = useRef(false);
  const isShown = useRef(true);
  useEffect(
    () => () => {
      isShown.current = false;
    },
    [],
  );
  const create = async (cliType: CliType) => {
    if (isMaking.current) return;
    isMaking.current = true;
    setCreation({ phase: "creating", cliType });
    const refuse: Tell = (_words, trouble) => {
      // Nobody waits for a session that was cancelled.
      if (isShown.current) setCreation({ phase: "refused", cliType, trouble });
    };
    const created = await createSession(shell, { projectId, cliType }, refuse, () => isShown.current);
    isMaking.current = false;
    if (created !== null) shell.closeDialog();
  };
  return [creation, (cliType) => void create(cliType)];
}
