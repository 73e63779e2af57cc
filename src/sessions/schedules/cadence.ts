import { Cron } from "croner";
import { REFUSE, RefusalError } from "../../protocol/errors.ts";
import type { Cadence } from "../../protocol/schedules.ts";

/**
 * When schedules are due, in ms since 1970. Clocks that change are handled as cron does: a time that the clock skips is
 * due when the skip ends, and a fixed time that comes twice is due the first time. Intervals, such as every 30 minutes,
 * go on through both.
 */

const MINUTE_MS = 60_000;
/** Of one look back: every minute of a day, and then some. */
const LOOKED_AT_MAX = 2_000;

/** Refuses a cadence that cannot be read, or that is never due after `afterMs`. */
export function checkCadence(cadence: Cadence, afterMs: number): void {
  const refuse = (words: string) => new RefusalError(REFUSE.invalidMessage(words));
  if (cadence.kind === "cron") {
    if (!isZone(cadence.zone))
      throw refuse(`cadence.zone: unknown time zone "${cadence.zone}". Use a name such as Europe/Berlin or UTC.`);
    try {
      cronOf(cadence);
    } catch (error) {
      const why = (error instanceof Error ? error.message : String(error)).replace(/^CronPattern: /, "");
      throw refuse(
        `cadence.cron: "${cadence.cron}" is not a cron expression: ${why.replace(/[.!]?$/, ".")} Use five fields: minute hour day month weekday, for example 0 9 * * 1-5.`,
      );
    }
  }
  if (nextDue(cadence, afterMs) === null)
    throw refuse(
      cadence.kind === "once"
        ? "cadence.at: this time is in the past. Choose a later one."
        : `cadence.cron: "${cadence.cron}" names a date that never comes. Choose another day or month.`,
    );
}

/** The first due time after `afterMs`; null when there is none. */
export function nextDue(cadence: Cadence, afterMs: number): number | null {
  if (cadence.kind === "once") {
    const at = Date.parse(cadence.at);
    return at > afterMs ? at : null;
  }
  return cronOf(cadence).nextRun(new Date(afterMs))?.getTime() ?? null;
}

/**
 * The newest due time after `afterMs` and up to `untilMs`, and how many there were; null when there was none. Of those
 * more than `windowMs` ago only the first is looked at.
 */
export function newestDue(
  cadence: Cadence,
  afterMs: number,
  untilMs: number,
  windowMs: number,
): { readonly dueMs: number; readonly count: number } | null {
  const first = nextDue(cadence, afterMs);
  if (first === null || first > untilMs) return null;
  let newest = first;
  let count = 1;
  // A minute more: a time at the edge of the window is inside.
  let from = Math.max(first, untilMs - windowMs - MINUTE_MS);
  for (let looked = 0; looked < LOOKED_AT_MAX; looked += 1) {
    const next = nextDue(cadence, from);
    if (next === null || next > untilMs) break;
    newest = next;
    count += 1;
    from = next;
  }
  return { dueMs: newest, count };
}

function cronOf({ cron, zone }: Extract<Cadence, { kind: "cron" }>): Cron {
  return new Cron(cron, { timezone: zone, mode: "5-part", paused: true });
}

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
