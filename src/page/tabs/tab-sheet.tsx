import { Icon } from "../../ui/icons/icon.tsx";
import { agentIconName } from "../../ui/icons/icon-shapes.ts";
import { Dialog } from "../controls/dialog.tsx";
import { Mark } from "../controls/mark.tsx";
import { MARK_WORDS, sessionMark } from "../state/session-mark.ts";
import type { Shell } from "../state/shell.ts";
import { askForSession } from "../state/shell-actions.ts";

/** The open sessions on a phone, where tabs have no room: a sheet at the lower edge, within reach of the thumb. */
export function TabSheet({ shell }: { shell: Shell }) {
  const { sessions } = shell.server.value;
  const rows = shell.tabs.value.order.flatMap((id) => sessions.get(id) ?? []);
  const shown = shell.shownSession();
  return (
    <Dialog title="Open sessions" isSheet onClose={() => shell.closeDialog()}>
      <ul class="tab-sheet">
        {rows.map((session) => {
          const { id, title, cliType } = session;
          const mark = sessionMark(session);
          return (
            <li key={id}>
              <button
                type="button"
                class="tab-sheet-row"
                aria-current={id === shown ? "true" : undefined}
                aria-description={MARK_WORDS[mark] || undefined}
                onClick={() => {
                  shell.closeDialog();
                  shell.open(id);
                }}
              >
                <Mark state={mark} />
                <Icon name={agentIconName(cliType)} class="icon-sm agent" />
                <span class="truncate">{title}</span>
              </button>
              <button type="button" class="icon-button" aria-label={`Close ${title}`} onClick={() => shell.close(id)}>
                <Icon name="close" />
              </button>
            </li>
          );
        })}
      </ul>
      <footer class="dialog-foot">
        <button
          type="button"
          class="button"
          onClick={() => {
            shell.closeDialog();
            shell.toggleOverview();
          }}
        >
          Inbox
        </button>
        <span class="spacer" />
        <button type="button" class="button primary" onClick={() => askForSession(shell)}>
          New session
        </button>
      </footer>
    </Dialog>
  );
}
