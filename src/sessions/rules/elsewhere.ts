import type { SessionCommand } from "../../protocol/client-messages.ts";
import type { OtherWriter, SessionAway } from "../../protocol/conversations.ts";
import { REFUSE } from "../../protocol/errors.ts";
import type { FactBody } from "../../protocol/facts.ts";
import type { SessionState } from "../../protocol/session-schema.ts";
import { type Decision, NOTHING, type SessionContext } from "./session-context.ts";

/** A conversation that other programs have open, too: detected there, waited for, followed, handed back. */

/** `writer` null: no other program has it open. */
export function observeWriter({ state, now }: SessionContext, writer: OtherWriter | null): FactBody[] {
  const { away } = state;
  if (writer === null) {
    if (away?.writer === undefined) return [];
    const { writer: _, ...left } = away;
    return [{ type: "session:away", away: isOver(left) ? null : left }];
  }
  if (away?.writer && isSame(away.writer, writer)) return [];
  return [{ type: "session:away", away: { ...(away ?? { since: now }), writer } }];
}

/** Everything that was added there is in the transcript. */
export function observeCaughtUp({ state: { away } }: SessionContext): FactBody[] {
  if (away?.follows === undefined || away.writer !== undefined) return [];
  const { follows: _, ...left } = away;
  return [{ type: "session:away", away: isOver(left) ? null : left }];
}

export function observeHandedBack({ now }: SessionContext, command: string): FactBody[] {
  return [{ type: "session:away", away: { command, since: now } }];
}

/** A turn starts: the conversation is here. */
export function backHere({ away }: SessionState): FactBody[] {
  return away === null ? [] : [{ type: "session:away", away: null }];
}

/** Waiting and following need a program to wait for; a command for the terminal stays until the next message. */
export function decideElsewhere(
  { state }: SessionContext,
  { wait, follow }: Extract<SessionCommand, { type: "session:elsewhere" }>,
): Decision {
  const { away, queue } = state;
  if (away?.writer === undefined && (wait === true || follow === true))
    return { ok: false, refusal: REFUSE.notPending("no other program has the conversation open") };
  if (wait === true && queue.length === 0)
    return { ok: false, refusal: REFUSE.invalidMessage("wait: no message waits; send one with whenFree") };
  if (away === null) return { ok: true, answer: null, ...NOTHING };
  const next = withFlag(withFlag(away, "waits", wait), "follows", follow);
  return {
    ok: true,
    answer: null,
    facts: [{ type: "session:away", away: isOver(next) ? null : next }],
    effects: [],
  };
}

export function waitsFact(away: SessionAway): FactBody {
  return { type: "session:away", away: { ...away, waits: true } };
}

function withFlag(away: SessionAway, name: "waits" | "follows", value: boolean | undefined): SessionAway {
  if (value === undefined) return away;
  const { [name]: _, ...rest } = away;
  return value ? { ...rest, [name]: true } : rest;
}

function isOver({ command, writer, waits, follows }: SessionAway): boolean {
  return command === undefined && writer === undefined && waits === undefined && follows === undefined;
}

function isSame(one: OtherWriter, other: OtherWriter): boolean {
  return one.program === other.program && one.pid === other.pid && one.doing === other.doing;
}
