import { z } from "zod/mini";
import type { OtherWriter } from "./conversations.ts";
import { configuredName } from "./place-path.ts";

/** Everything that can be refused or fail, by code. Code never matches on message text. */
export const ErrorCode = z.enum([
  "INVALID_MESSAGE",
  "PROJECT_PATH_INVALID",
  "PROJECT_DUPLICATE",
  "PROJECT_NOT_FOUND",
  "SESSION_NOT_FOUND",
  "AGENT_UNKNOWN",
  "AGENT_UNAVAILABLE",
  "AGENT_AUTH_REQUIRED",
  "AGENT_PROTOCOL_ERROR",
  "AGENT_SESSION_REFUSED",
  "AGENT_SESSION_BUSY",
  "AGENT_LIMIT",
  "BRANCH_POINT",
  "SNIPPET_NOT_FOUND",
  "SCHEDULE_NOT_FOUND",
  "NOTICE_TARGET_NOT_FOUND",
  "NOTICE_NOT_SENT",
  "SETTINGS_UNWRITABLE",
  "MODEL_SETTINGS_WRONG",
  "REQUEST_NOT_PENDING",
  "LIMIT_EXCEEDED",
  "STORAGE_UNWRITABLE",
  "CHECKPOINT_NOT_FOUND",
  "WORKDIR_CHANGED",
  "WORKDIR_BUSY",
  "GIT_UNAVAILABLE",
  "GIT_REFUSED",
  "NOT_OURS",
  "WORKTREE_NOT_FOUND",
  "TERMINAL_NOT_FOUND",
  "SERVICE_NOT_FOUND",
  "CONSENT_REQUIRED",
  "COMMAND_FAILED",
  "FILE_NOT_FOUND",
  "FILE_UNREADABLE",
  "EDITOR_UNAVAILABLE",
  "FORBIDDEN",
  "PERSON_NOT_FOUND",
  "PERSON_INVALID",
  "INTERNAL_ERROR",
]);
export type ErrorCode = z.infer<typeof ErrorCode>;

/** A refusal is a value: a code, a message for the user, and optional details. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: string;
  /** Errors of an answer, by field name. */
  readonly fields?: Readonly<Record<string, string>>;
}

const refuse = (code: ErrorCode, message: string, details?: string): Refusal =>
  details === undefined ? { code, message } : { code, message, details };

/** The program that has a conversation open, as a user can find it. */
export function writerWords({ program = "Another program", pid }: OtherWriter): string {
  return pid === undefined ? program : `${program} (process ${pid})`;
}

/** The command that ends it. */
export function closeWords({ background }: OtherWriter): string {
  return background
    ? "It finishes its turn and closes it about a minute after the terminal was closed."
    : "Close it there to continue here.";
}

/** The single table of refusals and their messages. */
export const REFUSE = {
  invalidMessage: (details: string) => refuse("INVALID_MESSAGE", "Invalid request payload.", details),
  /** The same words on the page, at the command line and over HTTP. */
  cadenceWrong: (words: string) => refuse("INVALID_MESSAGE", words),
  invalidAnswer: (problems: ReadonlyMap<string, string>): Refusal => ({
    code: "INVALID_MESSAGE",
    message: "The answer is incomplete.",
    details: [...problems].map(([field, problem]) => `${field}: ${problem}`).join(" "),
    fields: Object.fromEntries(problems),
  }),
  projectPathInvalid: (details: string) =>
    refuse("PROJECT_PATH_INVALID", "Project path is invalid or inaccessible.", details),
  projectDuplicate: (path?: string) => refuse("PROJECT_DUPLICATE", "Project already exists.", path),
  projectNotFound: () => refuse("PROJECT_NOT_FOUND", "Project not found."),
  sessionNotFound: () => refuse("SESSION_NOT_FOUND", "Session not found."),
  agentUnknown: (cliType: string) =>
    refuse("AGENT_UNKNOWN", `Unknown agent "${cliType}". Choose one from the list, or add it to config.json.`),
  signOutUnsupported: (name: string) =>
    refuse("AGENT_UNAVAILABLE", `${name} cannot be signed out here. Use its own command line, then restart it.`),
  agentNotInstalled: (name: string, details?: string) =>
    refuse("AGENT_UNAVAILABLE", `Could not start ${name}. Check that it's installed.`, details),
  agentNotAtPlace: (name: string, place: string, why: string) =>
    // The pod of a session has the settings of its place.
    refuse("AGENT_UNAVAILABLE", `Could not start ${name} at ${place}. ${why}`.replaceAll(place, configuredName(place))),
  placeFailed: (message: string) => refuse("PROJECT_PATH_INVALID", message),
  notAtPlace: (what: string) =>
    refuse("GIT_UNAVAILABLE", `${what} at another machine is not possible yet. Use a project on this machine for it.`),
  agentNotConnected: (name: string, details?: string) =>
    refuse("AGENT_UNAVAILABLE", `Could not connect to ${name}`, details),
  agentStopped: (name: string, details?: string) =>
    refuse("AGENT_UNAVAILABLE", `${name} stopped. Reconnect to continue.`, details),
  agentAuthRequired: (name: string, methods: readonly string[]) =>
    refuse(
      "AGENT_AUTH_REQUIRED",
      methods.length > 0
        ? `${name} needs you to sign in first: ${methods.join(", ")}.`
        : `${name} needs you to sign in first. Sign in with its own command line.`,
    ),
  agentInstall: (name: string, reason: string, details?: string) =>
    refuse("AGENT_UNAVAILABLE", `${name}: ${reason}`, details),
  agentSessionRefused: (name: string, reason: string) =>
    refuse(
      "AGENT_SESSION_REFUSED",
      `${name} could not open this conversation: ${/[.!?]$/.test(reason) ? reason : `${reason}.`} Nothing is lost. Try again, or start over: the agent then works without its memory of this conversation.`,
    ),
  agentSessionBusy: (writer: OtherWriter) =>
    refuse(
      "AGENT_SESSION_BUSY",
      `${writerWords(writer)} has this conversation open. Nothing was sent. ${closeWords(writer)} The message can be sent as soon as it is closed.`,
    ),
  handBackBusy: () =>
    refuse("AGENT_SESSION_BUSY", "A turn is running here. Stop it first, or confirm that it may be stopped."),
  handBackImpossible: (name: string, why: string) =>
    refuse("AGENT_PROTOCOL_ERROR", `${name} cannot continue this conversation in a terminal: ${why}`),
  importInTurn: (name: string) =>
    refuse(
      "AGENT_SESSION_BUSY",
      `${name} is in the middle of a turn of this session, in another program. Import it when the turn has ended.`,
    ),
  branchPoint: (todo: string) => refuse("BRANCH_POINT", `A branch cannot start here. ${todo}`),
  snippetNotFound: () => refuse("SNIPPET_NOT_FOUND", "This snippet is no longer there. Open the list again."),
  scheduleNotFound: () => refuse("SCHEDULE_NOT_FOUND", "This schedule is no longer there. Open the list again."),
  scheduleBusy: () =>
    refuse("WORKDIR_BUSY", "The last run of this schedule has not ended. Wait for it, or stop it in its session."),
  scheduleArchived: () =>
    refuse("SESSION_NOT_FOUND", "The session of this schedule is archived. Unarchive it, or choose another one."),
  noticeTargetNotFound: () =>
    refuse("NOTICE_TARGET_NOT_FOUND", "This target is no longer in config.json. Open the settings again."),
  noticeNotSent: (reason: string) => refuse("NOTICE_NOT_SENT", reason),
  settingsUnwritable: (reason: string) => refuse("SETTINGS_UNWRITABLE", reason),
  modelSettingsWrong: (reason: string) => refuse("MODEL_SETTINGS_WRONG", reason),
  agentLimit: (message: string) => refuse("AGENT_LIMIT", message),
  agentProtocol: (message: string) => refuse("AGENT_PROTOCOL_ERROR", message),
  notPending: (outcome: string) => refuse("REQUEST_NOT_PENDING", `This request is no longer open: ${outcome}.`),
  limitExceeded: (limit: string, value: number) => refuse("LIMIT_EXCEEDED", `Over the limit of ${value} for ${limit}.`),
  treeLimit: (limit: string, value: number, todo: string) =>
    refuse("LIMIT_EXCEEDED", `Over the limit of ${value} for ${limit}. ${todo}`),
  overBudget: (spent: number, limit: number, unit: string) => {
    const count = (value: number) => value.toLocaleString("en", { maximumFractionDigits: 4 });
    const used = `${count(spent)} of ${count(limit)} ${unit} used`;
    return refuse("LIMIT_EXCEEDED", `Over budget: ${used}. Tell the user; only they can raise it.`);
  },
  unwritable: (why: string) => refuse("STORAGE_UNWRITABLE", `Nothing was changed. ${why}`),
  checkpointNotFound: () =>
    refuse("CHECKPOINT_NOT_FOUND", "This checkpoint is no longer there. Choose another one from the list."),
  checkpointElsewhere: (place: string) =>
    refuse(
      "CHECKPOINT_NOT_FOUND",
      `This checkpoint was taken in ${place}, where the session worked before. Move the session back there to restore it.`,
    ),
  workdirChanged: (paths: readonly string[]) =>
    refuse(
      "WORKDIR_CHANGED",
      "Files changed since they were shown. Nothing was touched. Look at the changes again, then repeat.",
      paths.length === 0 ? undefined : paths.slice(0, 20).join("\n"),
    ),
  branchMoved: (branch: string) =>
    refuse(
      "WORKDIR_CHANGED",
      `${branch} has moved since this was shown. Nothing was touched. Look at it again, then repeat.`,
    ),
  workdirBusy: () =>
    refuse("WORKDIR_BUSY", "An agent is working in this directory. Wait for the end of its turn, or stop it first."),
  gitUnavailable: (reason: string) => refuse("GIT_UNAVAILABLE", reason),
  gitRefused: (words: string, details?: string) => refuse("GIT_REFUSED", words, details),
  notOurs: (path: string) =>
    refuse(
      "NOT_OURS",
      `This worktree was not made here, or it is no longer the one that was: ${path}. It stays as it is.`,
    ),
  /** The session's own directory is gone; the session works nowhere else instead. */
  worktreeMissing: (name: string, path: string) =>
    refuse(
      "WORKTREE_NOT_FOUND",
      `The worktree “${name}” of this session is not there: ${path}. Return it in the project's worktrees, or move the session to another place.`,
    ),
  worktreeNotFound: () => refuse("WORKTREE_NOT_FOUND", "This worktree is no longer there. Choose another place."),
  terminalNotFound: () => refuse("TERMINAL_NOT_FOUND", "This terminal is closed. Open a new one."),
  serviceNotFound: (name: string, problem?: string) =>
    refuse(
      "SERVICE_NOT_FOUND",
      problem ?? `liminal.json has no service "${name}". Look at the list again, or add it to the file.`,
    ),
  consentRequired: (reason: string, command: string) => refuse("CONSENT_REQUIRED", reason, command),
  commandFailed: (reason: string) => refuse("COMMAND_FAILED", reason),
  fileNotFound: (path: string) =>
    refuse("FILE_NOT_FOUND", `There is no such file in the directory: ${path}. It may have been moved or deleted.`),
  fileUnreadable: (reason: string) => refuse("FILE_UNREADABLE", reason),
  editorUnavailable: (reason: string) => refuse("EDITOR_UNAVAILABLE", reason),
  /** The caller may see it but not do this; what the caller may not see counts as not found. */
  forbidden: (needs: string) =>
    refuse("FORBIDDEN", `Your role does not allow this: it needs ${needs}. Ask an owner of the server for it.`),
  personNotFound: () => refuse("PERSON_NOT_FOUND", "This person is no longer there. Open the list again."),
  nameTaken: (name: string) =>
    refuse("PERSON_INVALID", `There is a person named “${name}” already. Choose a name that tells them apart.`),
  emailTaken: (name: string) =>
    refuse("PERSON_INVALID", `${name} has this e-mail address already. Each address belongs to one person.`),
  ownerStays: () =>
    refuse(
      "PERSON_INVALID",
      "Whoever has the server's token is an owner: this one can get another name and e-mail address, and nothing else.",
    ),
  ownerHasAllRoles: (name: string) =>
    refuse("PERSON_INVALID", `${name} is an owner of the server and may do everything in every project.`),
  personDisabled: (name: string) =>
    refuse("PERSON_INVALID", `${name} is disabled and cannot be invited. Enable them first.`),
  internal: () => refuse("INTERNAL_ERROR", "Unexpected server error."),
} as const;

/** Carries a refusal through code that cannot return one. */
export class RefusalError extends Error {
  override readonly name = "RefusalError";
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}
