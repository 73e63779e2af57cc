import type { UsageStore } from "../ports/usage-store.ts";
import type { World } from "../ports/world.ts";
import type { ClientMessage } from "../protocol/client-messages.ts";
import { REFUSE } from "../protocol/errors.ts";
import { USAGE_ROWS_MAX, type UsageRow } from "../protocol/usage.ts";
import type { Answer } from "./answer.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Turns read for one report; a bound, not a goal. */
const TURNS_READ_MAX = 200_000;

/** What agents used, by day and session. */
export class UsageReports {
  readonly #deps: { readonly world: World; readonly store: UsageStore };

  constructor(deps: { readonly world: World; readonly store: UsageStore }) {
    this.#deps = deps;
  }

  async answer({ days, timeZone }: Extract<ClientMessage, { type: "usage:get" }>): Promise<Answer> {
    const dayOf = dayReader(timeZone);
    if (dayOf === null)
      return { kind: "refused", refusal: REFUSE.invalidMessage("timeZone: expected a name such as Europe/Berlin") };
    const now = this.#deps.world.now();
    const period = daysUntil(now, days, dayOf);
    // One day more, because days can have 25 hours.
    const turns = await this.#deps.store.since(new Date(now - (days + 1) * DAY_MS).toISOString(), TURNS_READ_MAX + 1);
    const wanted = new Set(period);
    const rows = new Map<string, UsageRow>();
    for (const turn of turns) {
      const day = dayOf(new Date(turn.at));
      if (!wanted.has(day)) continue;
      const { sessionId, projectId, cliType, account, currency } = turn;
      const key = JSON.stringify([day, sessionId, account, currency]);
      const known = rows.get(key);
      rows.set(key, {
        ...{ day, sessionId, projectId, cliType },
        ...(account !== null && { account }),
        turns: (known?.turns ?? 0) + 1,
        tokens: (known?.tokens ?? 0) + turn.tokens,
        cost: (known?.cost ?? 0) + turn.cost,
        ...(currency !== null && { currency }),
      });
    }
    const all = [...rows.values()];
    const isCut = turns.length > TURNS_READ_MAX || all.length > USAGE_ROWS_MAX;
    const shown = all.slice(0, USAGE_ROWS_MAX).reverse();
    return { kind: "message", message: { type: "usage:report", days: period, rows: shown, isCut }, published: false };
  }
}

/** The day of a moment as YYYY-MM-DD; null for an unknown zone. */
function dayReader(timeZone: string | undefined): ((at: Date) => string) | null {
  try {
    // Swedish dates have the form of ISO 8601.
    const format = new Intl.DateTimeFormat("sv-SE", {
      ...(timeZone !== undefined && { timeZone }),
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
    });
    return (at) => format.format(at);
  } catch {
    return null;
  }
}

/** The last days up to this moment, oldest first. Days have 23 to 25 hours, so they are stepped through by half days. */
function daysUntil(now: number, days: number, dayOf: (at: Date) => string): string[] {
  const found: string[] = [];
  for (let at = now; found.length < days; at -= DAY_MS / 2) {
    const day = dayOf(new Date(at));
    if (found.at(-1) !== day) found.push(day);
  }
  return found.reverse();
}
