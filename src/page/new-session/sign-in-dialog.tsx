import type { CliType } from "../../protocol/ids.ts";
import { Dialog } from "../controls/dialog.tsx";
import type { Shell } from "../state/shell.ts";
import { NO_DIALOG } from "../state/shell-dialog.ts";
import { agentOf } from "../state/shell-state.ts";
import { SignInMethods } from "./sign-in-methods.tsx";

/** Asked for from inside a session: what waited there goes on by itself once the user is signed in. */
export function SignInDialog({ shell, cliType }: { shell: Shell; cliType: CliType }) {
  const agent = agentOf(shell.server.value, cliType);
  if (agent === undefined) return null;
  return (
    <Dialog title={`Sign in to ${agent.name}`} onClose={() => shell.closeDialog()}>
      <div class="dialog-body">
        <p>Your session continues automatically once you are signed in.</p>
        <SignInMethods
          shell={shell}
          agent={agent}
          done={NO_DIALOG}
          back={{ kind: "sign-in", cliType }}
          onSignedIn={() => shell.closeDialog()}
        />
      </div>
    </Dialog>
  );
}
