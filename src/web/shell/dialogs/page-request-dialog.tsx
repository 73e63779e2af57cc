import type { PageRequest } from "../../../protocol/server-messages.ts";
import type { Shell } from "../state/shell.ts";
import { Dialog } from "./dialog.tsx";

type Action = "accept" | "decline" | "cancel";

/** An agent wants the user to visit a page: who asks, where it leads in full, and nothing opens before the user says so. */
export function PageRequestDialog({ shell, request }: { shell: Shell; request: PageRequest }) {
  const { elicitationId, agentName, message, url } = request;
  const { host } = new URL(url);
  const answer = (action: Action) => {
    if (action === "accept") window.open(url, "_blank", "noopener,noreferrer");
    void shell.attempt({ type: "elicitation:respond", elicitationId, action });
  };
  return (
    <Dialog title={`${agentName} asks you to open a page`} onClose={() => answer("cancel")}>
      <div class="dialog-body">
        {message !== "" && <p>{message}</p>}
        <p>
          It leads to <strong>{host}</strong>:
        </p>
        <p class="mono page-address">{url}</p>
        {host.includes("xn--") && (
          <p role="alert">
            The name of this site uses letters that can be mistaken for others. Open it only if you know it.
          </p>
        )}
      </div>
      <footer class="dialog-foot">
        <span class="spacer" />
        <button type="button" class="button ghost" onClick={() => answer("decline")}>
          Decline
        </button>
        <button type="button" class="button primary" data-first-focus onClick={() => answer("accept")}>
          Open page
        </button>
      </footer>
    </Dialog>
  );
}
