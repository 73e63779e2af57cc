import type { Shell } from "../state/shell.ts";
import { AddProjectDialog } from "./add-project-dialog.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { LazyView } from "./lazy-view.tsx";

const loadNewSession = async () => (await import("./new-session-dialog.tsx")).NewSessionDialog;
const loadAgents = async () => (await import("../agents/agents-dialog.tsx")).AgentsDialog;
const loadSignIn = async () => (await import("./sign-in-dialog.tsx")).SignInDialog;
const loadTerminal = async () => (await import("../../terminal/terminal-dialog.tsx")).TerminalDialog;
const loadOutput = async () => (await import("../../output/output-dialog.tsx")).OutputDialog;
/** Dialogs about one session. */
const SESSION_VIEWS = {
  permissions: async () => (await import("../../permissions/permissions-dialog.tsx")).PermissionsDialog,
  log: async () => (await import("../../trace/log-dialog.tsx")).LogDialog,
};

/** Fetches ahead what the user is likely to ask for next. */
export async function loadDialogsAhead(): Promise<void> {
  await loadNewSession();
}

function giveUp(shell: Shell, words: string): void {
  shell.closeDialog();
  shell.tell(words);
}

/** The one dialog that is open, if any; those that a first look does not need are fetched when they are opened. */
export function ShellDialogs({ shell }: { shell: Shell }) {
  const dialog = shell.dialog.value;
  const { projects, sessions } = shell.server.value;
  const onFailed = (words: string) => giveUp(shell, words);
  switch (dialog.kind) {
    case "none":
      return null;
    case "add-project":
      return <AddProjectDialog shell={shell} onAdded={dialog.onAdded} />;
    case "new-session": {
      const { projectId, startWith } = dialog;
      return (
        <LazyView key={projectId} load={loadNewSession} props={{ shell, projectId, startWith }} onFailed={onFailed} />
      );
    }
    case "agents":
      return <LazyView key="agents" load={loadAgents} props={{ shell }} onFailed={onFailed} />;
    case "log":
    case "permissions": {
      const { kind, sessionId } = dialog;
      return <LazyView key={kind} load={SESSION_VIEWS[kind]} props={{ shell, sessionId }} onFailed={onFailed} />;
    }
    case "output":
      return <LazyView key={dialog.entryId} load={loadOutput} props={{ shell, output: dialog }} onFailed={onFailed} />;
    case "sign-in": {
      const { kind, cliType } = dialog;
      return <LazyView key={kind} load={loadSignIn} props={{ shell, cliType }} onFailed={onFailed} />;
    }
    case "terminal": {
      const props = { shell, terminal: dialog };
      return <LazyView key={dialog.terminalId} load={loadTerminal} props={props} onFailed={onFailed} />;
    }
    case "remove-project": {
      const { projectId } = dialog;
      return (
        <ConfirmDialog
          shell={shell}
          title={`Remove ${projects.find(({ id }) => id === projectId)?.name ?? "project"}?`}
          words="It leaves the list and its tabs close. No file and no session is deleted: add the directory again and everything is back."
          action="Remove project"
          onConfirm={() => void shell.attempt({ type: "project:remove", projectId })}
        />
      );
    }
    case "archive": {
      const { sessionId } = dialog;
      return (
        <ConfirmDialog
          shell={shell}
          title={`Archive ${sessions.get(sessionId)?.title ?? "session"}?`}
          words="The agent is still working. Archiving stops its turn and closes the tab; everything said so far is kept."
          action="Stop and archive"
          onConfirm={() => void shell.attempt({ type: "session:archive", sessionId })}
        />
      );
    }
    default:
      return dialog satisfies never;
  }
}
