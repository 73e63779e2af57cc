import { z } from "zod/mini";
import { CliType, ProjectId, SessionId } from "./ids.ts";
import type { Usage } from "./session-parts.ts";

export const USAGE_DAYS_MAX = 366;
/** One answer: the usage of one person's agents in a year, with reserve. */
export const USAGE_ROWS_MAX = 50_000;

const Day = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/));

/** What a session used on a day. A turn counts on the day on which it last used something. */
export const UsageRow = z.object({
  day: Day,
  sessionId: SessionId,
  projectId: ProjectId,
  cliType: CliType,
  /** As the agent named it; absent when it did not. */
  account: z.optional(z.string()),
  turns: z.int(),
  tokens: z.number(),
  cost: z.number(),
  currency: z.optional(z.string()),
});
export type UsageRow = z.infer<typeof UsageRow>;

export const USAGE_REQUESTS = {
  /** Of the last `days` days, today included, as they are counted in `timeZone` (the server's by default). */
  "usage:get": {
    days: z.int().check(z.minimum(1), z.maximum(USAGE_DAYS_MAX)),
    timeZone: z.optional(z.string().check(z.minLength(1), z.maxLength(100))),
  },
};

/** `days`: every day of the period, oldest first. `isCut`: older rows than fit were left out. */
export const USAGE_ANSWERS = {
  "usage:report": { days: z.array(Day), rows: z.array(UsageRow), isCut: z.boolean() },
};

/** The usage of this session: without usage that the agent remembers from elsewhere. */
export interface Spent {
  readonly tokens: number;
  readonly cost: number;
  readonly currency: string | undefined;
}

export function spentOf(usage: Usage | null): Spent {
  const { used = 0, tokens = used, cost, costRemembered = 0 } = usage ?? {};
  return { tokens, cost: Math.max((cost?.amount ?? 0) - costRemembered, 0), currency: cost?.currency };
}

/** The usage between two reports. Amounts in another currency cannot be compared: all of the newer one is new. */
export function spentBetween(before: Usage | null, after: Usage | null): Spent {
  const [old, now] = [spentOf(before), spentOf(after)];
  const isOther = old.currency !== undefined && old.currency !== now.currency;
  return {
    tokens: Math.max(Math.round(now.tokens - old.tokens), 0),
    cost: Math.max(now.cost - (isOther ? 0 : old.cost), 0),
    currency: now.currency,
  };
}

/** Names of the columns of an exported table. */
const CSV_COLUMNS = ["day", "agent", "account", "project", "session", "turns", "tokens", "cost", "currency"] as const;

/** As a table for other programs. `names` gives the readable name of a project. */
export function usageCsv(rows: readonly UsageRow[], projectName: (id: ProjectId) => string): string {
  const lines = rows.map(({ day, cliType, account = "", projectId, sessionId, turns, tokens, cost, currency = "" }) =>
    [day, cliType, account, projectName(projectId), sessionId, turns, tokens, Number(cost.toFixed(6)), currency]
      .map((cell) => csvCell(String(cell)))
      .join(","),
  );
  return `${[CSV_COLUMNS.join(","), ...lines].join("\r\n")}\r\n`;
}

/** A cell that begins like a formula would be run by a spreadsheet. */
function csvCell(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
