import { z } from "zod/mini";

/** Everything that can be refused or go wrong, by code. Code never matches on message text. */
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
  "REQUEST_NOT_PENDING",
  "LIMIT_EXCEEDED",
  "STORAGE_UNWRITABLE",
  "INTERNAL_ERROR",
]);
export type ErrorCode = z.infer<typeof ErrorCode>;

/** A refusal is a value: it has a code, words for the user, and where it helps, the detail. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: string;
  /** What is wrong with an answer, by the name of the field. */
  readonly fields?: Readonly<Record<string, string>>;
}

const refuse = (code: ErrorCode, message: string, details?: string): Refusal =>
  details === undefined ? { code, message } : { code, message, details };

/** The one table of refusals: what each says, and to whom it says what to do. */
export const REFUSE = {
  invalidMessage: (details: string) => refuse("INVALID_MESSAGE", "Invalid request payload.", details),
  invalidAnswer: (problems: ReadonlyMap<string, string>): Refusal => ({
    code: "INVALID_MESSAGE",
    message: "The answer is incomplete.",
    details: [...problems].map(([field, problem]) => `${field}: ${problem}`).join(" "),
    fields: Object.fromEntries(problems),
  }),
  projectPathInvalid: (details: string) =>
    refuse("PROJECT_PATH_INVALID", "Project path is invalid or inaccessible.", details),
  projectDuplicate: () => refuse("PROJECT_DUPLICATE", "Project already exists."),
  projectNotFound: () => refuse("PROJECT_NOT_FOUND", "Project not found."),
  sessionNotFound: () => refuse("SESSION_NOT_FOUND", "Session not found."),
  agentUnknown: (cliType: string) =>
    refuse("AGENT_UNKNOWN", `Unknown agent "${cliType}". Choose one from the list, or add it to config.json.`),
  agentNotInstalled: (name: string, details?: string) =>
    refuse("AGENT_UNAVAILABLE", `Could not start ${name}. Check that it's installed.`, details),
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
