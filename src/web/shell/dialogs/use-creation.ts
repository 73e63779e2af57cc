import { useEffect, useRef, useState } from "preact/hooks";
import type { CliType, ProjectId } from "../../../protocol/ids.ts";
import type { Shell } from "../state/shell.ts";
import { createSession } from "../state/shell-actions.ts";
import type { Trouble } from "../state/trouble.ts";

/** Where the making of a session stands, and with which agent. */
export type Creation =
  | { readonly phase: "choosing" }
  | { readonly phase: "creating"; readonly cliType: CliType }
  | { readonly phase: "refused"; readonly cliType: CliType; readonly trouble: Trouble };

/** Makes the session, one at a time; the dialog goes when it is there. */
export function useCreation(shell: Shell, projectId: ProjectId): [Creation, (cliType: CliType) => void] {
  const [creation, setCreation] = useState<Creation>({ phase: "choosing" });
  const isBusy = useRef(false);
  const isShown = useRef(true);
  useEffect(
    () => () => {
      isShown.current = false;
    },
    [],
  );
  const create = async (cliType: CliType) => {
    if (isBusy.current) return;
    isBusy.current = true;
    setCreation({ phase: "creating", cliType });
    const made = await createSession(shell, projectId, cliType, (words, trouble) => {
      setCreation({ phase: "refused", cliType, trouble });
      if (!isShown.current) shell.tell(words);
    });
    isBusy.current = false;
    if (made !== null && isShown.current) shell.closeDialog();
  };
  return [creation, (cliType) => void create(cliType)];
}
