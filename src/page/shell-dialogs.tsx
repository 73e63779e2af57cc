import { RareView } from "./rare-view.tsx";
import type { Shell } from "./state/shell.ts";

/** The open dialog, if any. */
export function ShellDialogs({ shell }: { shell: Shell }) {
  const dialog = shell.dialog.value;
  switch (dialog.kind) {
    case "none":
      return null;
    case "add-project":
      return (
        <RareView
          shell={shell}
          show={({ AddProjectDialog }) => <AddProjectDialog shell={shell} onAdded={dialog.onAdded} />}
        />
      );
    case "archive":
    case "delete":
    case "kill":
    case "remove-project":
      return <RareView shell={shell} show={({ Question }) => <Question shell={shell} of={dialog} />} />;
    case "checkpoints":
      return (
        <RareView
          shell={shell}
          show={({ CheckpointsDialog }) => <CheckpointsDialog shell={shell} sessionId={dialog.sessionId} />}
        />
      );
    case "snippet":
      return (
        <RareView
          shell={shell}
          show={({ SnippetDialog }) => (
            <SnippetDialog shell={shell} snippet={dialog.snippet} body={dialog.body} projectId={dialog.projectId} />
          )}
        />
      );
    case "export":
      return (
        <RareView
          shell={shell}
          show={({ ExportDialog }) => <ExportDialog shell={shell} sessionId={dialog.sessionId} />}
        />
      );
    case "handback":
      return (
        <RareView
          shell={shell}
          show={({ HandBackDialog }) => (
            <HandBackDialog key={dialog.sessionId} shell={shell} sessionId={dialog.sessionId} />
          )}
        />
      );
    case "import":
      return (
        <RareView
          shell={shell}
          show={({ ImportDialog }) => <ImportDialog shell={shell} projectId={dialog.projectId} />}
        />
      );
    case "log":
      return (
        <RareView shell={shell} show={({ LogDialog }) => <LogDialog shell={shell} sessionId={dialog.sessionId} />} />
      );
    case "new-session": {
      const { projectId, startWith, place } = dialog;
      return (
        <RareView
          shell={shell}
          show={({ NewSessionDialog }) => (
            <NewSessionDialog key={projectId} shell={shell} projectId={projectId} startWith={startWith} place={place} />
          )}
        />
      );
    }
    case "start-attempts":
      return (
        <RareView
          shell={shell}
          show={({ StartAttemptsDialog }) => <StartAttemptsDialog shell={shell} projectId={dialog.projectId} />}
        />
      );
    case "keep-attempt":
      return (
        <RareView
          shell={shell}
          show={({ KeepAttemptDialog }) => (
            <KeepAttemptDialog shell={shell} sessionId={dialog.sessionId} into={dialog.into} />
          )}
        />
      );
    case "continue":
      return (
        <RareView
          shell={shell}
          show={({ ContinueDialog }) => <ContinueDialog shell={shell} sessionId={dialog.sessionId} />}
        />
      );
    case "move-session":
      return (
        <RareView
          shell={shell}
          show={({ MoveSessionDialog }) => <MoveSessionDialog shell={shell} sessionId={dialog.sessionId} />}
        />
      );
    case "output":
      return (
        <RareView
          shell={shell}
          show={({ OutputDialog }) => <OutputDialog key={dialog.entryId} shell={shell} output={dialog} />}
        />
      );
    case "palette":
      return <RareView shell={shell} show={({ PaletteDialog }) => <PaletteDialog shell={shell} />} />;
    case "tabs":
      return <RareView shell={shell} show={({ TabSheet }) => <TabSheet shell={shell} />} />;
    case "labels":
      return (
        <RareView
          shell={shell}
          show={({ LabelsDialog }) => <LabelsDialog shell={shell} sessionId={dialog.sessionId} />}
        />
      );
    case "permissions":
      return (
        <RareView
          shell={shell}
          show={({ PermissionsDialog }) => <PermissionsDialog shell={shell} sessionId={dialog.sessionId} />}
        />
      );
    case "restore":
      return (
        <RareView
          shell={shell}
          show={({ RestoreDialog }) => <RestoreDialog key={dialog.checkpointId} shell={shell} restore={dialog} />}
        />
      );
    case "search":
      return (
        <RareView shell={shell} show={({ SearchDialog }) => <SearchDialog shell={shell} query={dialog.query} />} />
      );
    case "schedule": {
      const { projectId, scheduleId } = dialog;
      return (
        <RareView
          shell={shell}
          show={({ ScheduleDialog }) => (
            <ScheduleDialog key={scheduleId} shell={shell} projectId={projectId} scheduleId={scheduleId} />
          )}
        />
      );
    }
    case "settings":
      return (
        <RareView shell={shell} show={({ SettingsDialog }) => <SettingsDialog shell={shell} part={dialog.part} />} />
      );
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
    case "worktree":
      return (
        <RareView
          shell={shell}
          show={({ WorktreeDialog }) => <WorktreeDialog key={dialog} shell={shell} of={dialog} />}
        />
      );
    default:
      return dialog satisfies never;
  }
}
