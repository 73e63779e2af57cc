import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { PlainServerMessage } from "../../protocol/server-messages.ts";
import { type UsageRow, usageCsv } from "../../protocol/usage.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { agentIconName, type IconName } from "../../ui/icons/icon-shapes.ts";
import { Choice } from "../controls/choice.tsx";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import { PageFrame } from "../pages/page-frame.tsx";
import type { Shell } from "../state/shell.ts";
import { agentOf } from "../state/shell-state.ts";
import type { Trouble } from "../state/trouble.ts";
import {
  amountOf,
  amountsByDay,
  amountWords,
  axisTop,
  costsWords,
  type Group,
  groupsOf,
  type Measure,
  sumOf,
  tokenWords,
} from "./usage-figures.ts";

type Report = Extract<PlainServerMessage, { type: "usage:report" }>;

const PERIODS = [
  { days: 1, words: "Today" },
  { days: 7, words: "7 days" },
  { days: 14, words: "14 days" },
  { days: 30, words: "30 days" },
  { days: 90, words: "90 days" },
  { days: 365, words: "Year" },
] as const;
const DAYS_DEFAULT = 14;
const MEASURES: Readonly<Record<Measure, string>> = { cost: "Cost", tokens: "Tokens" };

/** What agents used: per day as a plot and a table, per agent, project and account, and all of it as a file. */
export function UsagePage({ shell }: { shell: Shell }) {
  const [days, setDays] = useState<number>(DAYS_DEFAULT);
  const [report, setReport] = useState<Report | null>(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [chosen, setChosen] = useState<Measure | null>(null);
  const isConnected = shell.phase.value.phase === "open";
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const load = async () => {
    setTrouble(null);
    const answer = await shell.attempt({ type: "usage:get", days, timeZone }, (_, why) => setTrouble(why));
    if (answer?.type === "usage:report") setReport(answer);
  };
  useEffect(() => {
    if (isConnected) void load();
  }, [isConnected, days]);
  const sum = sumOf(report?.rows ?? []);
  const [currency = ""] = sum.costs.keys();
  const measure = chosen ?? (sum.costs.size > 0 ? "cost" : "tokens");
  return (
    <PageFrame
      shell={shell}
      name="usage-page"
      title="Usage"
      head={
        <>
          <fieldset class="segments">
            <legend class="visually-hidden">Period</legend>
            {PERIODS.map((period) => (
              <label key={period.days}>
                <input
                  type="radio"
                  name="usage-period"
                  checked={period.days === days}
                  onChange={() => setDays(period.days)}
                />
                <span>{period.words}</span>
              </label>
            ))}
          </fieldset>
          <Choice label="Measure" words={MEASURES} value={measure} onChoose={setChosen} />
          <button
            type="button"
            class="button small"
            disabled={report === null || report.rows.length === 0}
            onClick={() => report !== null && save(shell, report)}
          >
            <Icon name="download" class="icon-sm" />
            Export CSV
          </button>
          <div class="figures" role="status">
            {report !== null && (
              <>
                <span>
                  <b>{costsWords(sum)}</b> cost
                </span>
                <span>
                  <b>{tokenWords(sum.tokens)}</b> tokens
                </span>
                <span>
                  <b>{sum.sessions.toLocaleString("en")}</b> {sum.sessions === 1 ? "session" : "sessions"}
                </span>
              </>
            )}
          </div>
        </>
      }
    >
      <div class="sheet usage-sheet">
        {trouble !== null && (
          <TroubleNotice trouble={trouble}>
            <button type="button" class="button" onClick={() => void load()}>
              Look again
            </button>
          </TroubleNotice>
        )}
        {report === null && trouble === null && (
          <div class="table-card worktrees-loading" role="status" aria-label="Loading usage">
            <i class="skeleton half" />
          </div>
        )}
        {report?.rows.length === 0 && (
          <div class="empty">
            <Icon name="chart" />
            <p>Nothing was used in this period. What agents report with their turns is counted here from now on.</p>
          </div>
        )}
        {report !== null && report.rows.length > 0 && (
          <Figures shell={shell} report={report} measure={measure} currency={currency} />
        )}
      </div>
    </PageFrame>
  );
}

interface FiguresProps {
  readonly shell: Shell;
  readonly report: Report;
  readonly measure: Measure;
  readonly currency: string;
}

function Figures({ shell, report, measure, currency }: FiguresProps) {
  const state = shell.server.value;
  const { days, rows, isCut } = report;
  const agentName = (id: UsageRow["cliType"]) => agentOf(state, id)?.name ?? id;
  const name = (id: UsageRow["projectId"]) => projectName(shell, id);
  const shared = { days, measure, currency, all: amountOf(rows, measure, currency) };
  const accountKey = ({ cliType, account = "" }: UsageRow) => `${cliType} ${account}`;
  const groups = (keyOf: (row: UsageRow) => string) => groupsOf(rows, keyOf, measure, currency);
  return (
    <>
      {isCut && (
        <p class="notice" role="status">
          There is more than fits here: the oldest days are incomplete. Choose a shorter period.
        </p>
      )}
      <DayPlot report={report} measure={measure} currency={currency} />
      <Table
        {...shared}
        title="Per agent"
        column="Agent"
        groups={groups(({ cliType }) => cliType)}
        nameOf={({ rows: [row] }) => (row ? { icon: agentIconName(row.cliType), words: agentName(row.cliType) } : NONE)}
      />
      <Table
        {...shared}
        title="Per project"
        column="Project"
        groups={groups(({ projectId }) => projectId)}
        nameOf={({ rows: [row] }) => (row ? { icon: "folder", words: name(row.projectId) } : NONE)}
      />
      <Table
        {...shared}
        title="Per account"
        column="Account"
        groups={groups(accountKey)}
        nameOf={({ rows: [row] }) =>
          row
            ? {
                icon: agentIconName(row.cliType),
                words: agentName(row.cliType),
                detail: row.account ?? "account not named",
              }
            : NONE
        }
      />
      <DayTable report={report} />
    </>
  );
}

interface RowName {
  readonly icon: IconName;
  readonly words: string;
  readonly detail?: string;
}
const NONE: RowName = { icon: "question", words: "" };

const [PLOT_HEIGHT, AXIS_WIDTH, LABEL_HEIGHT, TOP] = [200, 48, 22, 18];
/** The figure of today, in a bar chart that has no room for it above its bar. */
const NOW_WORDS_WIDTH = 44;
/** Before the plot has a size. */
const PLOT_WIDTH_FIRST = 720;
const MARKS = 4;
/** Labels closer than this under the bars would touch. */
const LABEL_WIDTH = 28;
const GAP_SHARE = 0.42;

/** One bar for each day. Its data is in its title and in the table below. */
function DayPlot({ report: { days, rows }, measure, currency }: Omit<FiguresProps, "shell">) {
  const place = useRef<HTMLDivElement>(null);
  // As wide as its place: its letters are as large as all others, also on a phone.
  const [plotWidth, setPlotWidth] = useState(PLOT_WIDTH_FIRST);
  useLayoutEffect(() => {
    const { current } = place;
    if (current === null) return undefined;
    const watch = new ResizeObserver(([entry]) => entry && setPlotWidth(Math.round(entry.contentRect.width)));
    watch.observe(current);
    return () => watch.disconnect();
  }, []);
  const amounts = amountsByDay(days, rows, measure, currency);
  const top = axisTop(Math.max(...amounts));
  const room = PLOT_HEIGHT - LABEL_HEIGHT - TOP;
  const step = (plotWidth - AXIS_WIDTH) / days.length;
  const width = Math.min(step * (1 - GAP_SHARE), 40);
  const yOf = (amount: number) => TOP + room * (1 - amount / top);
  const every = Math.ceil(LABEL_WIDTH / step);
  const words = (amount: number) => amountWords(amount, measure, currency);
  const largest = Math.max(...amounts);
  const busiest = days[amounts.indexOf(largest)] ?? "";
  return (
    <section aria-labelledby="usage-days">
      <div class="section-head">
        <h2 id="usage-days">Per day</h2>
        <span class="n">
          {dayWords(days[0])} to {dayWords(days.at(-1))}
        </span>
      </div>
      <div class="usage-plot" ref={place}>
        <svg
          viewBox={`0 0 ${plotWidth} ${PLOT_HEIGHT}`}
          role="img"
          aria-label={`${MEASURES[measure]} per day. Most on ${dayWords(busiest)}: ${words(largest)}. The table “Days” has all figures.`}
        >
          {Array.from({ length: MARKS + 1 }, (_, mark) => (top * mark) / MARKS).map((amount) => (
            <g key={amount} class="axis">
              <line x1={AXIS_WIDTH} x2={plotWidth} y1={yOf(amount)} y2={yOf(amount)} />
              <text x={AXIS_WIDTH - 8} y={yOf(amount) + 3.5} text-anchor="end">
                {words(amount)}
              </text>
            </g>
          ))}
          {days.map((day, at) => {
            const amount = amounts[at] ?? 0;
            const x = AXIS_WIDTH + step * at + (step - width) / 2;
            const isLast = at === days.length - 1;
            return (
              <g key={day}>
                <rect
                  class={isLast ? "bar now" : "bar"}
                  x={x}
                  y={yOf(amount)}
                  width={width}
                  height={Math.max(TOP + room - yOf(amount), amount > 0 ? 1 : 0)}
                  rx={2}
                >
                  <title>{`${dayWords(day)}: ${words(amount)}`}</title>
                </rect>
                {(days.length - 1 - at) % every === 0 && (
                  <text class="day" x={x + width / 2} y={PLOT_HEIGHT - 6} text-anchor="middle">
                    {Number(day.slice(8))}
                  </text>
                )}
                {isLast && amount > 0 && (
                  <text
                    class="now-words"
                    x={Math.min(x + width / 2, plotWidth - 24)}
                    // Narrow bars: the label extends over the bar before.
                    y={yOf(Math.max(amount, step < NOW_WORDS_WIDTH ? (amounts[at - 1] ?? 0) : 0)) - 6}
                    text-anchor="middle"
                  >
                    {words(amount)}
                  </text>
                )}
              </g>
            );
          })}
        </svg>
      </div>
    </section>
  );
}

interface TableProps {
  readonly title: string;
  readonly column: string;
  readonly groups: readonly Group[];
  readonly nameOf: (group: Group) => RowName;
  readonly days: readonly string[];
  readonly measure: Measure;
  readonly currency: string;
  /** The total of all groups. */
  readonly all: number;
}

const PERCENT = 100;

function Table({ title, column, groups, nameOf, days, measure, currency, all }: TableProps) {
  const id = `usage-${column.toLowerCase()}`;
  return (
    <section aria-labelledby={id}>
      <div class="section-head">
        <h2 id={id}>{title}</h2>
      </div>
      <div class="table-card usage-table">
        <table aria-labelledby={id}>
          <thead>
            <tr>
              <th scope="col">{column}</th>
              <th scope="col" class="optional">
                Trend
              </th>
              <th scope="col" class="num optional">
                Sessions
              </th>
              <th scope="col" class="num">
                Tokens
              </th>
              <th scope="col" class="num">
                Share
              </th>
              <th scope="col" class="num">
                Cost
              </th>
            </tr>
          </thead>
          <tbody>
            {groups.map((group) => {
              const { icon, words, detail } = nameOf(group);
              const share = all === 0 ? 0 : amountOf(group.rows, measure, currency) / all;
              return (
                <tr key={group.key}>
                  <th scope="row">
                    <span class="usage-name">
                      <Icon name={icon} class="icon-sm agent" />
                      <span class="truncate">{words}</span>
                      {detail !== undefined && <span class="faint truncate">{detail}</span>}
                    </span>
                  </th>
                  <td class="optional">
                    <Spark amounts={amountsByDay(days, group.rows, measure, currency)} />
                  </td>
                  <td class="num optional">{group.sessions.toLocaleString("en")}</td>
                  <td class="num">{tokenWords(group.tokens)}</td>
                  <td class="num">{Math.round(share * PERCENT)}%</td>
                  <td class="num strong">{costsWords(group)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}

const [SPARK_WIDTH, SPARK_HEIGHT] = [72, 16];

function Spark({ amounts }: { amounts: readonly number[] }) {
  const top = Math.max(...amounts, Number.MIN_VALUE);
  const step = SPARK_WIDTH / amounts.length;
  return (
    <svg class="spark" viewBox={`0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}`} aria-hidden="true">
      {amounts.map((amount, at) => {
        const height = amount > 0 ? Math.max((amount / top) * SPARK_HEIGHT, 1) : 0;
        const name = at === amounts.length - 1 ? "bar now" : "bar";
        return (
          <rect key={at} class={name} x={at * step} y={SPARK_HEIGHT - height} width={step * 0.8} height={height} />
        );
      })}
    </svg>
  );
}

/** The figures of the plot, newest first. */
function DayTable({ report: { days, rows } }: { report: Report }) {
  const byDay = Map.groupBy(rows, ({ day }) => day);
  return (
    <details class="usage-days">
      <summary>
        <Icon name="chevron" class="icon-sm" />
        Days
      </summary>
      <div class="table-card usage-table">
        <table aria-label="Days">
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col" class="num optional">
                Sessions
              </th>
              <th scope="col" class="num optional">
                Turns
              </th>
              <th scope="col" class="num">
                Tokens
              </th>
              <th scope="col" class="num">
                Cost
              </th>
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map((day) => {
              const sum = sumOf(byDay.get(day) ?? []);
              return (
                <tr key={day}>
                  <th scope="row">{dayWords(day)}</th>
                  <td class="num optional">{sum.sessions}</td>
                  <td class="num optional">{sum.turns}</td>
                  <td class="num">{tokenWords(sum.tokens)}</td>
                  <td class="num strong">{costsWords(sum)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </details>
  );
}

const DAY = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

function dayWords(day: string | undefined): string {
  return day === undefined ? "" : DAY.format(new Date(`${day}T00:00:00Z`));
}

function projectName(shell: Shell, id: UsageRow["projectId"]): string {
  return shell.server.peek().projects.find((project) => project.id === id)?.name ?? "Removed project";
}

function save(shell: Shell, { rows, days }: Report): void {
  const csv = usageCsv(rows, (id) => projectName(shell, id));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([csv], { type: "text/csv" }));
  link.download = `usage-${days[0]}-${days.at(-1)}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
}
