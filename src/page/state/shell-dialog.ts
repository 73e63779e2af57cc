import type { CheckpointId, CheckpointInfo } from "../../protocol/changes.ts";
import type { ClientMessage } from "../../protocol/client-messages.ts";
import type { CliType, EntryId, ProjectId, SessionId } from "../../protocol/ids.ts";
import type { ScheduleId } from "../../protocol/schedules.ts";
import type { Snippet } from "../../protocol/snippets.ts";
import type { WorktreeId } from "../../protocol/worktree-ref.ts";

/** The open dialog with its data. */
export type ShellDialog =
  | { readonly kind: "none" }
  /** `onAdded` continues the action that needed a project. */
  | { readonly kind: "add-project"; readonly onAdded?: (projectId: ProjectId) => void }
  /** `startWith`: the agent that the user chose before an interruption; it is started at once. */
  | {
      readonly kind: "new-session";
      /** Null: a directory is chosen there. */
      readonly projectId: ProjectId | null;
      readonly startWith?: CliType;
      readonly place?: PlaceWish;
    }
  | { readonly kind: "remove-project"; readonly projectId: ProjectId }
  | { readonly kind: "archive"; readonly sessionId: SessionId }
  | { readonly kind: "kill"; readonly sessionId: SessionId }
  | { readonly kind: "delete"; readonly sessionId: SessionId }
  | { readonly kind: "palette" }
  /** `query`: text typed elsewhere. */
  | { readonly kind: "search"; readonly query?: string }
  /** `part`: the id of the heading that is shown first. */
  | { readonly kind: "settings"; readonly part?: string }
  | { readonly kind: "shortcuts" }
  | { readonly kind: "tabs" }
  | { readonly kind: "labels"; readonly sessionId: SessionId }
  | { readonly kind: "handback"; readonly sessionId: SessionId }
  | { readonly kind: "log"; readonly sessionId: SessionId }
  | { readonly kind: "import"; readonly projectId: ProjectId }
  | { readonly kind: "export"; readonly sessionId: SessionId }
  /** A new snippet with this text, or one that is there. */
  | { readonly kind: "snippet"; readonly body?: string; readonly projectId?: ProjectId; readonly snippet?: Snippet }
  | { readonly kind: "permissions"; readonly sessionId: SessionId }
  | ({ readonly kind: "output" } & WholeOutputOf)
  | { readonly kind: "checkpoints"; readonly sessionId: SessionId }
  | ({ readonly kind: "restore" } & RestoreOf)
  | ({ readonly kind: "worktree" } & WorktreeTask)
  | { readonly kind: "continue"; readonly sessionId: SessionId }
  | { readonly kind: "move-session"; readonly sessionId: SessionId }
  | { readonly kind: "start-attempts"; readonly projectId: ProjectId }
  | { readonly kind: "keep-attempt"; readonly sessionId: SessionId; readonly into: string | null }
  /** Without `scheduleId` a new one. */
  | { readonly kind: "schedule"; readonly projectId: ProjectId; readonly scheduleId?: ScheduleId }
  | { readonly kind: "sign-in"; readonly cliType: CliType }
  | ({ readonly kind: "terminal" } & SignInTerminal);

/** Where a new session works. */
export interface PlaceWish {
  readonly worktree: NonNullable<Extract<ClientMessage, { type: "session:create" }>["worktree"]>;
  /** The name of the worktree, if it exists already. */
  readonly name?: string;
  /** The user agrees to the setup command with this hash. */
  readonly setupHash?: string | undefined;
}

/** The planned operation on a worktree. */
export interface WorktreeTask {
  readonly task: "merge" | "publish" | "remove" | "purge";
  readonly projectId: ProjectId;
  readonly worktreeId: WorktreeId;
}

/** A text too long for its entry: a tool call's own output, or one of its parts. */
export interface WholeOutputOf {
  readonly sessionId: SessionId;
  readonly entryId: EntryId;
  readonly part?: number | undefined;
  /** The context pack of an agent, instead of an output. */
  readonly isPack?: boolean | undefined;
  readonly name: string;
}

/** A checkpoint that files may go back to, and what is known of it before it is read. */
export interface RestoreOf {
  readonly sessionId: SessionId;
  readonly checkpointId: CheckpointId;
  readonly phase: CheckpointInfo["phase"];
  readonly at?: string | undefined;
  /** What the user said in its turn. */
  readonly message?: string | undefined;
}

/** An agent's own login in a terminal, and where the page continues: after the sign-in, and if the user cancels it. */
export interface SignInTerminal {
  readonly terminalId: string;
  readonly title: string;
  readonly cliType: CliType;
  readonly methodId: string;
  readonly done: ShellDialog;
  readonly back: ShellDialog;
}

export const NO_DIALOG: ShellDialog = { kind: "none" };
