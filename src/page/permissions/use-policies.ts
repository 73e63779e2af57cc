import { useEffect, useState } from "preact/hooks";
import type { ClientRequest } from "../../client/pending-requests.ts";
import type { SessionId } from "../../protocol/ids.ts";
import type { AuditEntry, PolicyScope } from "../../protocol/permission-policy.ts";
import type { PlainServerMessage } from "../../protocol/server-messages.ts";
import type { Shell } from "../state/shell.ts";

export type PolicyState = Extract<PlainServerMessage, { type: "policy:state" }>;
type Change = Omit<Extract<ClientRequest, { type: "policy:set" }>, "type" | "scope" | "sessionId">;

export const SCOPES: readonly PolicyScope[] = ["session", "project", "agent"];
const AUDIT_SHOWN = 30;

/** The policies of a session by scope, their answers so far, and a function to change them. */
export interface Policies {
  readonly states: ReadonlyMap<PolicyScope, PolicyState>;
  readonly audit: readonly AuditEntry[];
  readonly problem: string | null;
  readonly change: (scope: PolicyScope, change: Change) => Promise<boolean>;
}

/** Reads the policies of a session's three scopes when the dialog opens, and updates them with the server's answers. */
export function usePolicies(shell: Shell, sessionId: SessionId): Policies {
  const [states, setStates] = useState<ReadonlyMap<PolicyScope, PolicyState>>(new Map());
  const [audit, setAudit] = useState<readonly AuditEntry[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const keep = (state: PolicyState) => setStates((known) => new Map(known).set(state.scope, state));
  const ask = async (request: ClientRequest) => {
    const answer = await shell.attempt(request, setProblem);
    if (answer?.type === "policy:state") keep(answer);
    if (answer?.type === "policy:audit") setAudit(answer.entries);
    return answer !== null;
  };
  const read = async (): Promise<void> => {
    const audited = ask({ type: "policy:audit", scope: "project", sessionId, limit: AUDIT_SHOWN });
    await Promise.all([audited, ...SCOPES.map((scope) => ask({ type: "policy:get", scope, sessionId }))]);
  };
  useEffect(() => void read(), [sessionId]);
  const change = async (scope: PolicyScope, what: Change) => {
    setProblem(null);
    const isDone = await ask({ type: "policy:set", scope, sessionId, ...what });
    // Narrower scopes inherit the mode of a wider one.
    if (isDone) await read();
    return isDone;
  };
  return { states, audit, problem, change };
}
