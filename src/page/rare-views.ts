import { AddProjectDialog } from "./add-project/add-project-dialog.tsx";
import { AgentsPage } from "./agents/agents-page.tsx";
import { KeepAttemptDialog, StartAttemptsDialog } from "./attempts/attempt-dialogs.tsx";
import { AttemptsPage } from "./attempts/attempts-page.tsx";
import { SplitColumns } from "./columns/split-columns.tsx";
import { Question } from "./controls/confirm-question.tsx";
import { ContinueDialog } from "./handover/continue-dialog.tsx";
import { NewSessionDialog } from "./new-session/new-session-dialog.tsx";
import { NewSessionForm } from "./new-session/new-session-form.tsx";
import { SignInDialog } from "./new-session/sign-in.tsx";
import { OutputDialog } from "./output/output-dialog.tsx";
import { OverviewPage } from "./overview/overview-page.tsx";
import { PaletteDialog } from "./palette/palette-dialog.tsx";
import { ShortcutsDialog } from "./palette/shortcuts-dialog.tsx";
import { PermissionsDialog } from "./permissions/permissions-dialog.tsx";
import { AgentQuestionDialog } from "./questions/agent-question-dialog.tsx";
import { CheckpointsDialog } from "./restore/checkpoints-dialog.tsx";
import { RestoreDialog } from "./restore/restore-dialog.tsx";
import { ScheduleDialog } from "./schedules/schedule-dialog.tsx";
import { SchedulesPage } from "./schedules/schedules-page.tsx";
import { SearchDialog } from "./search/search-dialog.tsx";
import { ArchivedSessions } from "./session-row/archived-sessions.tsx";
import { HandBackDialog } from "./session-row/hand-back-dialog.tsx";
import { LabelsDialog } from "./session-row/labels-dialog.tsx";
import { SessionFilterBar } from "./session-row/session-filter-bar.tsx";
import { RowActionsMenu } from "./session-row/session-menu.tsx";
import { UndoToast } from "./session-row/undo-toast.tsx";
import { SettingsDialog } from "./settings/settings-dialog.tsx";
import { SnippetDialog } from "./snippets/snippet-dialog.tsx";
import { TabSheet } from "./tabs/tab-sheet.tsx";
import { TerminalDialog } from "./terminal/terminal-dialog.tsx";
import { TerminalDock } from "./terminal/terminal-dock.tsx";
import { LogDialog } from "./trace/log-dialog.tsx";
import { ExportDialog } from "./transfer/export-dialog.tsx";
import { ImportDialog } from "./transfer/import-dialog.tsx";
import { UsagePage } from "./usage/usage-page.tsx";
import { MoveSessionDialog } from "./worktrees/move-session-dialog.tsx";
import { WorktreeDialog } from "./worktrees/worktree-dialog.tsx";
import { WorktreesPage } from "./worktrees/worktrees-page.tsx";

/** Views that most visits never open, in a separate script that `rare-view.tsx` loads. */
export const RARE_VIEWS = {
  AddProjectDialog,
  AgentsPage,
  ArchivedSessions,
  AttemptsPage,
  KeepAttemptDialog,
  StartAttemptsDialog,
  SplitColumns,
  SignInDialog,
  OutputDialog,
  OverviewPage,
  ShortcutsDialog,
  PermissionsDialog,
  Question,
  AgentQuestionDialog,
  CheckpointsDialog,
  ContinueDialog,
  RestoreDialog,
  ScheduleDialog,
  SchedulesPage,
  SearchDialog,
  SettingsDialog,
  SnippetDialog,
  TerminalDialog,
  TerminalDock,
  LogDialog,
  ExportDialog,
  HandBackDialog,
  ImportDialog,
  LabelsDialog,
  MoveSessionDialog,
  NewSessionDialog,
  NewSessionForm,
  PaletteDialog,
  SessionFilterBar,
  RowActionsMenu,
  TabSheet,
  UndoToast,
  UsagePage,
  WorktreeDialog,
  WorktreesPage,
};
