import { Icon } from "../../ui/icons/icon.tsx";
import { keyWords } from "../../ui/keys/key-bindings.ts";
import type { Shell } from "../state/shell.ts";
import { askForSession } from "../state/shell-actions.ts";

/** The last tab was closed: one line, one way on. */
export function NothingOpen({ shell }: { shell: Shell }) {
  return (
    <div class="page nothing-open">
      <div class="empty">
        <Icon name="message" />
        <h1>No session open</h1>
        <p>Pick one from your projects, or start a new one.</p>
        <div class="actions">
          <button type="button" class="button primary" onClick={() => askForSession(shell)}>
            New session
            <kbd>{keyWords("new-session")}</kbd>
          </button>
          <button type="button" class="button" onClick={() => shell.toggleOverview()}>
            Overview
            <kbd>{keyWords("overview")}</kbd>
          </button>
        </div>
      </div>
    </div>
  );
}
