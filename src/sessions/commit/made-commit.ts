import type { Commit } from "../../ports/session-log.ts";
import type { Fact } from "../../protocol/facts.ts";
import { isTurnActive, type SessionState } from "../../protocol/session-state.ts";
import type { WholeOutput } from "../../protocol/shorten-entry.ts";
import { type DoneCommand, receiptOf } from "../done-command.ts";
import { attentionOf } from "./attention.ts";
import { isActivity, settle } from "./settle-turn.ts";
import { lateEntries } from "./settled-entries.ts";

/** The words of a longer turn enter the search in small steps: nobody waits for its end because of them. */
const SEARCHED_AT_ONCE_ENTRIES_MAX = 2_000;

interface Made {
  readonly facts: readonly Fact[];
  /** With the facts in it. */
  readonly state: SessionState;
  readonly outputs: readonly WholeOutput[];
  readonly done: DoneCommand | null;
  readonly now: string;
  /** Someone looks at the session. */
  readonly isShown: boolean;
  /** The agent repeats what was said long ago, so nothing happens in the session. */
  readonly isFromMemory: boolean;
}

/** What is to be stored of new facts, and the state that is left to work with. */
export function commitOf({ facts, state, outputs, done, now, isShown, isFromMemory }: Made) {
  const { settled, working } = settle(state);
  const hasSettled = settled.length > 0 || !isTurnActive(working.turn);
  const commit: Omit<Commit, "binding" | "continuation"> = {
    ...{ facts, state, settled, outputs },
    snapshot: hasSettled ? working : null,
    revised: lateEntries(facts),
    lastActiveAt: done?.isSend || (!isFromMemory && facts.some(isActivity)) ? now : null,
    attention: attentionOf(facts, done?.isSend === true || isShown),
    receipt: done && receiptOf(done, now),
    isSearchedLater: settled.length > SEARCHED_AT_ONCE_ENTRIES_MAX,
  };
  return { commit, settled, working };
}
