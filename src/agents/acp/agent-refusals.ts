import { REFUSE, type Refusal, RefusalError } from "../../protocol/errors.ts";
import { RpcError } from "./connection/acp-connection.ts";
import type { AcpFailure } from "./connection/acp-hooks.ts";
import { failureMessage } from "./connection/wire-message.ts";

const AUTH_REQUIRED = -32000;

/** A request that the agent answered with an error. */
export class AgentFailureError extends RefusalError {
  readonly failure: AcpFailure;

  constructor(failure: AcpFailure, refusal: Refusal) {
    super(refusal);
    this.failure = failure;
  }
}

/** An agent's JSON-RPC error as a message that a user can act on. */
export function refusalOf(failure: AcpFailure, agentName: string, signInMethods: readonly string[]): Refusal {
  if (failure.code === AUTH_REQUIRED) return REFUSE.agentAuthRequired(agentName, signInMethods);
  return REFUSE.agentProtocol(failure.message);
}

/** Null for an error that is not the agent's answer: the connection is lost. */
export function asFailure(error: unknown): AcpFailure | null {
  if (!(error instanceof RpcError)) return null;
  return { code: error.code, message: failureMessage(error.message, error.data) };
}

const RESOURCE_NOT_FOUND = -32002;
const METHOD_NOT_FOUND = -32601;

/**
 * How agents report an unknown conversation if they use a general error code, by the agent's own name.
 * Most send -32002. OpenCode sends "service failure", which can mean anything and is not in the table.
 */
const GONE_WORDS: readonly (readonly [agent: string, words: RegExp])[] = [
  ["claude", /no conversation found with session id/i],
  ["codex", /no (?:archived )?rollout found|thread not found:|invalid (?:thread|session) id:/i],
  ["gemini", /invalid session identifier|no previous sessions found/i],
];

/** Clear messages from any agent: "Session abc not found", "Unknown sessionId: abc". */
const CLEARLY_GONE = [
  /\b(?:session|conversation|thread)(?: with)?(?: id| identifier)?(?: ["'`][^"'`]+["'`]| [\w.:-]*\d[\w.:-]*)? (?:was |is )?(?:not found|unknown|does(?: not|n't) exist|no longer exists)/i,
  /\b(?:unknown|no such) (?:session|conversation|thread)(?: ?id| identifier)?\b/i,
];

/**
 * Whether an agent that refused to restore a conversation no longer has it. Any other refusal may be temporary: the
 * conversation may be open elsewhere, or the agent may be failing.
 */
export function isSessionGone({ code, message }: AcpFailure, agentName: string): boolean {
  // A method that is advertised but missing restores nothing, now or later.
  if (code === RESOURCE_NOT_FOUND || code === METHOD_NOT_FOUND) return true;
  const own = GONE_WORDS.filter(([agent]) => agentName.includes(agent)).map(([, words]) => words);
  return [...own, ...CLEARLY_GONE].some((words) => words.test(message));
}
