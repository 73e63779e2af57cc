import { USAGE_DAYS_MAX, type UsageRow, usageCsv } from "../protocol/usage.ts";
import { type CommandLine, wrongUsage } from "./command-line.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { print } from "./print.ts";
import { connect, type ServerLink } from "./server-link.ts";
import { type Column, CUT, table } from "./terminal.ts";

const DAYS_DEFAULT = 14;
const KINDS = { day: "DAY", agent: "AGENT", project: "PROJECT", account: "ACCOUNT" } as const;
type Kind = keyof typeof KINDS;

/** What agents used: by day, agent, project or account, as a table, as CSV or as JSON. */
export async function usage(line: CommandLine): Promise<ExitCode> {
  const days = Number(line.text("days") ?? DAYS_DEFAULT);
  if (!Number.isInteger(days) || days < 1 || days > USAGE_DAYS_MAX)
    throw wrongUsage(line, `Invalid value for --days: expected a whole number from 1 to ${USAGE_DAYS_MAX}.`);
  const given = line.text("by") ?? "day";
  const kind = isKind(given) ? given : "day";
  using link = await connect(line.env);
  const report = await link.ask("usage:report", { type: "usage:get", days });
  const nameOf = (id: UsageRow["projectId"]) => link.hello.projects.find((one) => one.id === id)?.name ?? id;
  if (line.has("csv") && !line.json) {
    print(line, {}, usageCsv(report.rows, nameOf));
    return EXIT.done;
  }
  const groups = Map.groupBy(report.rows, (row) => keyOf(kind, row, link, nameOf));
  const rows = [...groups].map(([key, own]) => [key, ...figuresOf(own)]);
  const columns: readonly Column[] = [
    { title: KINDS[kind], style: "cyan", ...(kind === "project" && CUT) },
    { title: "SESSIONS" },
    { title: "TURNS" },
    { title: "TOKENS" },
    { title: "COST" },
  ];
  const none = "Nothing was used in this period. What agents report with their turns is counted.";
  print(
    line,
    { days: report.days, rows: report.rows, isCut: report.isCut },
    rows.length > 0 ? table(columns, rows, line.screen) : none,
  );
  return EXIT.done;
}

function isKind(text: string): text is Kind {
  return Object.hasOwn(KINDS, text);
}

function keyOf(kind: Kind, row: UsageRow, link: ServerLink, nameOf: (id: UsageRow["projectId"]) => string): string {
  const agent = link.hello.agents.find(({ id }) => id === row.cliType)?.name ?? row.cliType;
  if (kind === "day") return row.day;
  if (kind === "agent") return agent;
  if (kind === "project") return nameOf(row.projectId);
  return row.account === undefined ? agent : `${agent}, ${row.account}`;
}

function figuresOf(rows: readonly UsageRow[]): string[] {
  const costs = new Map<string, number>();
  for (const { cost, currency = "" } of rows) if (cost > 0) costs.set(currency, (costs.get(currency) ?? 0) + cost);
  const sum = (of: "turns" | "tokens") => rows.reduce((all, row) => all + row[of], 0).toLocaleString("en-US");
  const sessions = new Set(rows.map(({ sessionId }) => sessionId)).size;
  const cost = [...costs].map(([currency, amount]) => `${amount.toFixed(2)} ${currency}`.trim()).join(" + ");
  return [String(sessions), sum("turns"), sum("tokens"), cost === "" ? "-" : cost];
}
