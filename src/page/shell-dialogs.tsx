import type { ProjectId, SessionId } from "../protocol/ids.ts";
import { LazyView } from "../ui/controls/lazy-view.tsx";
import { ConfirmDialog } from "./controls/confirm-dialog.tsx";
import { AddProjectDialog } from "./new-session/add-project-dialog.tsx";
import type { Shell } from "./state/shell.ts";
import { forgetTypedAhead } from "./state/typed-ahead.ts";

const loadNewSession = async () => (await import("./new-session/new-session-dialog.tsx")).NewSessionDialog;
const loadSearch = async () => (await import("./search/search-dialog.tsx")).SearchDialog;
const loadSignIn = async () => (await import("./new-session/sign-in-dialog.tsx")).SignInDialog;
const loadTerminal = async () => (await import("./terminal/terminal-dialog.tsx")).TerminalDialog;
const loadImport = async () => (await import("./transfer/import-dialog.tsx")).ImportDialog;
const loadOutput = async () => (await import("./output/output-dialog.tsx")).OutputDialog;
/** Dialogs about everything. */
const SHELL_VIEWS = {
  agents: async () => (await import("./agents/agents-dialog.tsx")).AgentsDialog,
  palette: async () => (await import("./palette/palette-dialog.tsx")).PaletteDialog,
  settings: async () => (await import("./settings/settings-dialog.tsx")).SettingsDialog,
  shortcuts: async () => (await import("./palette/shortcuts-dialog.tsx")).ShortcutsDialog,
};
/** Dialogs about one session. */
const SESSION_VIEWS = {
  delete: async () => (await import("./session-row/delete-dialog.tsx")).DeleteDialog,
  permissions: async () => (await import("./permissions/permissions-dialog.tsx")).PermissionsDialog,
  export: async () => (await import("./transfer/export-dialog.tsx")).ExportDialog,
  log: async () => (await import("./trace/log-dialog.tsx")).LogDialog,
};

/** Fetches ahead what the user is likely to ask for next. */
export async function loadDialogsAhead(): Promise<void> {
  await loadNewSession();
}

function giveUp(shell: Shell, words: string): void {
  forgetTypedAhead();
  shell.closeDialog();
  shell.tell(words);
}

/** The one dialog that is open, if any; those that a first look does not need are fetched when they are opened. */
export function ShellDialogs({ shell }: { shell: Shell }) {
  const dialog = shell.dialog.value;
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
    case "search":
      return <LazyView key="search" load={loadSearch} props={{ shell, query: dialog.query }} onFailed={onFailed} />;
    case "agents":
    case "palette":
    case "settings":
    case "shortcuts":
      return <LazyView key={dialog.kind} load={SHELL_VIEWS[dialog.kind]} props={{ shell }} onFailed={onFailed} />;
    case "import": {
      const { kind, projectId } = dialog;
      return <LazyView key={kind} load={loadImport} props={{ shell, projectId }} onFailed={onFailed} />;
    }
    case "delete":
    case "export":
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
    case "remove-project":
      return <RemoveQuestion shell={shell} projectId={dialog.projectId} />;
    case "archive":
      return <ArchiveQuestion shell={shell} sessionId={dialog.sessionId} />;
    case "kill":
      return <KillQuestion shell={shell} sessionId={dialog.sessionId} />;
    default:
      return dialog satisfies never;
  }
}

function ArchiveQuestion({ shell, sessionId }: { shell: Shell; sessionId: SessionId }) {
  return (
    <ConfirmDialog
      shell={shell}
      title={`Archive “${shell.server.value.sessions.get(sessionId)?.title ?? "session"}”?`}
      words="The agent, or one it started, is still working. Archiving stops them and closes the tab; everything said so far is kept."
      action="Stop and archive"
      onConfirm={() => void shell.attempt({ type: "session:archive", sessionId })}
    />
  );
}

function KillQuestion({ shell, sessionId }: { shell: Shell; sessionId: SessionId }) {
  return (
    <ConfirmDialog
      shell={shell}
      title={`Kill the agent of “${shell.server.value.sessions.get(sessionId)?.title ?? "session"}”?`}
      words="Its process ends now, and so do the agents it started. Everything received so far is kept; your next message starts it again."
      action="Kill agent"
      isDangerous
      onConfirm={() => void shell.attempt({ type: "session:kill", sessionId })}
    />
  );
}

function RemoveQuestion({ shell, projectId }: { shell: Shell; projectId: ProjectId }) {
  return (
    <ConfirmDialog
      shell={shell}
      title={`Remove ${shell.server.value.projects.find(({ id }) => id === projectId)?.name ?? "project"}?`}
      words="It's removed from the list and its tabs close. Nothing is deleted; add it again to get everything back."
      action="Remove project"
      onConfirm={() => void shell.attempt({ type: "project:remove", projectId })}
    />
  );
}
