import type { Commit } from "../../ports/session-log.ts";
import type { Fact } from "../../protocol/facts.ts";

/** What the user should know of: a turn that ended, however it did, and one that waits for them. */
export function attentionOf(facts: readonly Fact[], isSeen: boolean): Commit["attention"] {
  const news = facts.findLast(
    (fact) => fact.type === "session:turn" && (fact.turn.state === "idle" || fact.turn.state === "waiting"),
  );
  return news ? { seq: news.seq, isSeen } : null;
}
