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
  const refuse = (words: string) => new RefusalError(REFUSE.cadenceWrong(words));
  if (cadence.kind === "cron") {
    if (!isZone(cadence.zone))
      throw refuse(`There is no time zone "${cadence.zone}". Use a name such as Europe/Berlin or UTC.`);
    const problem = cronProblem(cadence);
    if (problem !== null) throw refuse(`"${cadence.cron}" is not a cron expression: ${problem}`);
  }
  if (nextDue(cadence, afterMs) === null)
    throw refuse(
      cadence.kind === "once"
        ? "This time is in the past. Choose a later one."
        : `"${cadence.cron}" names a date that never comes. Choose another day or month.`,
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

/** In the order in which an expression has them. */
const CRON_FIELDS = [
  { name: "minute", values: "0 to 59" },
  { name: "hour", values: "0 to 23" },
  { name: "day", values: "1 to 31" },
  { name: "month", values: "1 to 12" },
  { name: "weekday", values: "0 to 7, Sunday being 0 and 7" },
] as const;
const ALL_FIELDS = CRON_FIELDS.map(({ name }) => name).join(", ");

/** What is wrong and how to mend it, as the end of a sentence; null if nothing is. */
function cronProblem({ cron, zone }: Extract<Cadence, { kind: "cron" }>): string | null {
  const canRead = (text: string) => {
    try {
      cronOf({ kind: "cron", cron: text, zone });
      return true;
    } catch {
      return false;
    }
  };
  if (canRead(cron)) return null;
  const fields = cron.trim().split(/\s+/);
  const wrong = CRON_FIELDS.findIndex(
    (_, at) => !canRead(CRON_FIELDS.map((_field, other) => (other === at ? (fields[at] ?? "") : "*")).join(" ")),
  );
  const field = CRON_FIELDS[wrong];
  if (fields.length !== CRON_FIELDS.length || field === undefined)
    return `use the five fields ${ALL_FIELDS}, for example 0 9 * * 1-5.`;
  return `its ${field.name} is "${fields[wrong]}", so use ${field.values}, * for all, 1-5 for a range, or */2 for every second.`;
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
