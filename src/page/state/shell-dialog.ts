import type { CliType, EntryId, ProjectId, SessionId } from "../../protocol/ids.ts";

/** Which question stands before the page; each carries only what it asks about. */
export type ShellDialog =
  | { readonly kind: "none" }
  /** `onAdded` goes on with what the user wanted when there was no project yet. */
  | { readonly kind: "add-project"; readonly onAdded?: (projectId: ProjectId) => void }
  /** `startWith` is the agent the user chose before something came in between: it is started at once. */
  | { readonly kind: "new-session"; readonly projectId: ProjectId; readonly startWith?: CliType }
  | { readonly kind: "remove-project"; readonly projectId: ProjectId }
  | { readonly kind: "archive"; readonly sessionId: SessionId }
  | { readonly kind: "kill"; readonly sessionId: SessionId }
  | { readonly kind: "delete"; readonly sessionId: SessionId }
  | { readonly kind: "palette" }
  /** `query` is what was typed elsewhere. */
  | { readonly kind: "search"; readonly query?: string }
  | { readonly kind: "settings" }
  | { readonly kind: "shortcuts" }
  | { readonly kind: "agents" }
  | { readonly kind: "log"; readonly sessionId: SessionId }
  | { readonly kind: "import"; readonly projectId: ProjectId }
  | { readonly kind: "export"; readonly sessionId: SessionId }
  | { readonly kind: "permissions"; readonly sessionId: SessionId }
  | ({ readonly kind: "output" } & WholeOutputOf)
  | { readonly kind: "sign-in"; readonly cliType: CliType }
  | ({ readonly kind: "terminal" } & SignInTerminal);

/** A text too long for its entry: a tool call's own output, or one of its parts. */
export interface WholeOutputOf {
  readonly sessionId: SessionId;
  readonly entryId: EntryId;
  readonly part?: number | undefined;
  readonly name: string;
}

/** An agent's own login in a terminal, and where the page goes on: once signed in, and when the user leaves it. */
export interface SignInTerminal {
  readonly terminalId: string;
  readonly title: string;
  readonly cliType: CliType;
  readonly methodId: string;
  readonly done: ShellDialog;
  readonly back: ShellDialog;
}

export const NO_DIALOG: ShellDialog = { kind: "none" };
