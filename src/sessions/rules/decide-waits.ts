import type { ArmedWait } from "../../protocol/delegation.ts";
import { REFUSE } from "../../protocol/errors.ts";
import type { FactBody } from "../../protocol/facts.ts";
import { CommandId, type SessionId } from "../../protocol/ids.ts";
import { isTurnActive, type SessionState } from "../../protocol/session-schema.ts";
import type { Decision, SessionContext } from "./session-context.ts";
import { startTurn } from "./turn.ts";

const WAITS_MAX = 20;

/** Commands of our own tools, never of a client. */
export type WaitCommand =
  | {
      readonly type: "session:wait";
      readonly sessionId: SessionId;
      readonly commandId?: CommandId;
      readonly wait: Omit<ArmedWait, "armedAt">;
    }
  /** The awaited agents are done: the session continues with this message. */
  | {
      readonly type: "session:wake";
      readonly sessionId: SessionId;
      readonly commandId?: CommandId;
      readonly waitIds: readonly string[];
      readonly content: string;
    }
  /** A budget is spent: the turn stops, with the reason. */
  | {
      readonly type: "session:limit";
      readonly sessionId: SessionId;
      readonly commandId?: CommandId;
      readonly why: string;
    }
  /** The session already knows the result of these waits. */
  | {
      readonly type: "session:waits-met";
      readonly sessionId: SessionId;
      readonly commandId?: CommandId;
      readonly waitIds: readonly string[];
    };

export function decideWait(
  { state, now }: SessionContext,
  { wait }: Extract<WaitCommand, { type: "session:wait" }>,
): Decision {
  const { waits } = state;
  if (waits.some(({ waitId }) => waitId === wait.waitId)) return { ok: true, answer: null, facts: [], effects: [] };
  if (waits.length >= WAITS_MAX) return { ok: false, refusal: REFUSE.limitExceeded("waits of one session", WAITS_MAX) };
  const items = [...waits, { ...wait, agentIds: [...wait.agentIds], armedAt: now }];
  return { ok: true, answer: null, facts: [{ type: "session:waits", items }], effects: [] };
}

/** The wait is replaced by the turn it starts in one commit: it wakes once, whatever happens in between. */
export function decideWake(context: SessionContext, command: Extract<WaitCommand, { type: "session:wake" }>): Decision {
  const { state } = context;
  const met = state.waits.filter(({ waitId }) => command.waitIds.includes(waitId));
  if (met.length === 0) return { ok: false, refusal: REFUSE.notPending("this wait no longer exists") };
  if (isTurnActive(state.turn)) return { ok: false, refusal: REFUSE.notPending("the session is working again") };
  if (state.pause !== null) return { ok: false, refusal: REFUSE.notPending("the session waits for a usage limit") };
  const started = startTurn(context, {
    commandId: CommandId.parse(context.newId()),
    content: command.content,
    author: "children",
  });
  return {
    ok: true,
    answer: null,
    facts: [...withoutWaits(state, command.waitIds), ...started.facts],
    effects: started.effects,
  };
}

/** No fact if there is nothing to remove. */
export function withoutWaits({ waits = [] }: SessionState, waitIds?: readonly string[]): FactBody[] {
  const items = waitIds === undefined ? [] : waits.filter(({ waitId }) => !waitIds.includes(waitId));
  return items.length === waits.length ? [] : [{ type: "session:waits", items: [...items] }];
}
