import type { ProjectId, SessionId } from "../protocol/ids.ts";
import { isTurnActive } from "../protocol/session-schema.ts";
import { AddProjectDialog } from "./add-project/add-project-dialog.tsx";
import { ConfirmDialog } from "./controls/dialog.tsx";
import { NewSessionDialog } from "./new-session/new-session-dialog.tsx";
import { PaletteDialog } from "./palette/palette-dialog.tsx";
import { RareView } from "./rare-view.tsx";
import { SearchDialog } from "./search/search-dialog.tsx";
import type { Shell } from "./state/shell.ts";
import { agentOf, rowOf } from "./state/shell-state.ts";

/** The one dialog that is open, if any. */
export function ShellDialogs({ shell }: { shell: Shell }) {
  const dialog = shell.dialog.value;
  switch (dialog.kind) {
    case "none":
      return null;
    case "add-project":
      return <AddProjectDialog shell={shell} onAdded={dialog.onAdded} />;
    case "agents":
      return <RareView shell={shell} show={({ AgentsDialog }) => <AgentsDialog shell={shell} />} />;
    case "archive":
      return <ArchiveQuestion shell={shell} sessionId={dialog.sessionId} />;
    case "delete":
      return <DeleteDialog shell={shell} sessionId={dialog.sessionId} />;
    case "export":
      return (
        <RareView
          shell={shell}
          show={({ ExportDialog }) => <ExportDialog shell={shell} sessionId={dialog.sessionId} />}
        />
      );
    case "import":
      return (
        <RareView
          shell={shell}
          show={({ ImportDialog }) => <ImportDialog shell={shell} projectId={dialog.projectId} />}
        />
      );
    case "kill":
      return <KillQuestion shell={shell} sessionId={dialog.sessionId} />;
    case "log":
      return (
        <RareView shell={shell} show={({ LogDialog }) => <LogDialog shell={shell} sessionId={dialog.sessionId} />} />
      );
    case "new-session": {
      const { projectId, startWith } = dialog;
      return <NewSessionDialog key={projectId} shell={shell} projectId={projectId} startWith={startWith} />;
    }
    case "output":
      return (
        <RareView
          shell={shell}
          show={({ OutputDialog }) => <OutputDialog key={dialog.entryId} shell={shell} output={dialog} />}
        />
      );
    case "palette":
      return <PaletteDialog shell={shell} />;
    case "permissions":
      return (
        <RareView
          shell={shell}
          show={({ PermissionsDialog }) => <PermissionsDialog shell={shell} sessionId={dialog.sessionId} />}
        />
      );
    case "remove-project":
      return <RemoveQuestion shell={shell} projectId={dialog.projectId} />;
    case "search":
      return <SearchDialog shell={shell} query={dialog.query} />;
    case "settings":
      return <RareView shell={shell} show={({ SettingsDialog }) => <SettingsDialog shell={shell} />} />;
    case "shortcuts":
      return <RareView shell={shell} show={({ ShortcutsDialog }) => <ShortcutsDialog shell={shell} />} />;
    case "sign-in":
      return (
        <RareView shell={shell} show={({ SignInDialog }) => <SignInDialog shell={shell} cliType={dialog.cliType} />} />
      );
    case "terminal":
      return (
        <RareView
          shell={shell}
          show={({ TerminalDialog }) => <TerminalDialog key={dialog.terminalId} shell={shell} terminal={dialog} />}
        />
      );
    default:
      return dialog satisfies never;
  }
}

function ArchiveQuestion({ shell, sessionId }: { shell: Shell; sessionId: SessionId }) {
  return (
    <ConfirmDialog
      shell={shell}
      title={`Archive “${shell.server.value.sessions.get(sessionId)?.title ?? "session"}”?`}
      words="The agent, or one it started, is still working. Archiving stops it and closes the tab. The transcript is kept."
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
      words="This kills its process and the agents it started. Everything received so far is kept. Your next message starts it again."
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

/** Confirms the permanent deletion of a session. */
function DeleteDialog({ shell, sessionId }: { shell: Shell; sessionId: SessionId }) {
  const state = shell.server.value;
  const session = rowOf(state, sessionId);
  const agent = (session && agentOf(state, session.cliType)?.name) ?? "the agent";
  const stops =
    session !== undefined && isTurnActive(session.turn) ? `${agent} is still working and will be stopped. ` : "";
  return (
    <ConfirmDialog
      shell={shell}
      title={`Delete “${session?.title ?? "session"}”?`}
      words={`${stops}This deletes the session here and, if ${agent} supports it, in the agent's own history. Files it changed are kept. This cannot be undone.${session?.archived ? "" : " To hide the session instead, archive it."}`}
      action="Delete session"
      isDangerous
      onConfirm={() => void shell.attempt({ type: "session:delete", sessionId })}
    />
  );
}
