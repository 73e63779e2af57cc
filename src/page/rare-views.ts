import { AgentsDialog } from "./agents/agents-dialog.tsx";
import { SignInDialog } from "./new-session/sign-in.tsx";
import { OutputDialog } from "./output/output-dialog.tsx";
import { OverviewPage } from "./overview/overview-page.tsx";
import { ShortcutsDialog } from "./palette/shortcuts-dialog.tsx";
import { PermissionsDialog } from "./permissions/permissions-dialog.tsx";
import { AgentQuestionDialog } from "./questions/agent-question-dialog.tsx";
import { SettingsDialog } from "./settings/settings-dialog.tsx";
import { TerminalDialog } from "./terminal/terminal-dialog.tsx";
import { LogDialog } from "./trace/log-dialog.tsx";
import { ExportDialog } from "./transfer/export-dialog.tsx";
import { ImportDialog } from "./transfer/import-dialog.tsx";

/** Views that most visits never open. Together they are one script of their own, which `rare-view.tsx` fetches. */
export const RARE_VIEWS = {
  AgentsDialog,
  SignInDialog,
  OutputDialog,
  OverviewPage,
  ShortcutsDialog,
  PermissionsDialog,
  AgentQuestionDialog,
  SettingsDialog,
  TerminalDialog,
  LogDialog,
  ExportDialog,
  ImportDialog,
};
