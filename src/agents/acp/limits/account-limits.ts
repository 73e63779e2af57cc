import type { AgentLimits, LimitWindow, UsageLimit } from "../../../protocol/conversations.ts";

/** What an agent's process reported about its account. */
export type AccountNews =
  | { readonly type: "account"; readonly label: string | null }
  | { readonly type: "windows"; readonly windows: readonly LimitWindow[] }
  | { readonly type: "limited"; readonly limit: UsageLimit }
  /** A turn ended normally. */
  | { readonly type: "works" };

export const UNKNOWN_ACCOUNT: AgentLimits = { windows: [] };

/** Pure: the known state of an account after a report; the same object if nothing changes. */
export function afterNews(known: AgentLimits, news: AccountNews): AgentLimits {
  const { account, windows, limitedUntil } = known;
  switch (news.type) {
    case "account": {
      if (news.label === (account ?? null)) return known;
      // Another account has windows of its own.
      return { windows: [], ...(news.label !== null && { account: news.label }) };
    }
    case "windows": {
      const named = new Set(news.windows.map(({ name }) => name));
      const all = [...news.windows, ...windows.filter(({ name }) => !named.has(name))];
      return sameWindows(all, windows) ? known : { ...known, windows: all };
    }
    case "limited": {
      const { resetsAt } = news.limit;
      return resetsAt === limitedUntil || resetsAt === undefined ? known : { ...known, limitedUntil: resetsAt };
    }
    case "works": {
      if (limitedUntil === undefined) return known;
      const { limitedUntil: _, ...rest } = known;
      return rest;
    }
    default:
      return news satisfies never;
  }
}

/** Windows that have started anew are outdated, and so is a limit that has ended. */
export function withoutPast({ account, windows, limitedUntil }: AgentLimits, nowMs: number): AgentLimits {
  const isAhead = (at: string | undefined) => at === undefined || Date.parse(at) > nowMs;
  return {
    ...(account !== undefined && { account }),
    windows: windows.filter(({ resetsAt }) => isAhead(resetsAt)),
    ...(limitedUntil !== undefined && isAhead(limitedUntil) && { limitedUntil }),
  };
}

function sameWindows(some: readonly LimitWindow[], others: readonly LimitWindow[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ name, used, resetsAt }) =>
      others.some((other) => other.name === name && other.used === used && other.resetsAt === resetsAt),
    )
  );
}
