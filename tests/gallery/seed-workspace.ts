import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Entry } from "../../src/protocol/entry.ts";
import type { FactBody } from "../../src/protocol/facts.ts";
import { CliType, EntryId, ProjectId, SessionId } from "../../src/protocol/ids.ts";
import { EMPTY_CONFIG } from "../../src/protocol/session-parts.ts";
import { openDatabase } from "../../src/store/database/open-database.ts";
import { SqliteSessionLog } from "../../src/store/session-log/sqlite-session-log.ts";
import { SqliteProjectStore } from "../../src/store/sqlite-project-store.ts";
import { idle, LogWriter, running, update } from "../core/log-writer.ts";
import { BINDING, sessionRow } from "../core/open-store.ts";

export interface SeedOptions {
  /** More projects than anybody wants, with as many sessions each. */
  readonly crowd?: { readonly projects: number; readonly sessionsEach: number };
  /** Turns of the session that is called LONG_TITLE. */
  readonly longTurns?: number;
}

export const PROJECT = "atlas-api";
export const LONG_TITLE = "Why is the nightly build slow?";
const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
const USAGE = { used: 48_200, size: 200_000 };
const DAY_MINUTES = 24 * HOUR_MINUTES;

interface SeededRow {
  readonly project: string;
  readonly title: string;
  readonly agent: string;
  readonly minutesAgo: number;
  readonly isArchived?: boolean;
  readonly isUnread?: boolean;
  readonly cost?: number;
}

const PROJECTS = [PROJECT, "liminal-web", "field-notes"];
const ROWS: readonly SeededRow[] = [
  { project: PROJECT, title: "Trace the flaky login test", agent: "codex", minutesAgo: 12, isUnread: true, cost: 0.42 },
  { project: PROJECT, title: "Rate limits per tenant", agent: "claude-code", minutesAgo: 95, cost: 1.87 },
  { project: PROJECT, title: "Move the job queue off polling", agent: "claude-code", minutesAgo: 5 * HOUR_MINUTES },
  { project: PROJECT, title: "Explain the billing schema", agent: "builtin", minutesAgo: 2 * DAY_MINUTES },
  {
    project: PROJECT,
    title: "Old spike: gRPC gateway",
    agent: "codex",
    minutesAgo: 30 * DAY_MINUTES,
    isArchived: true,
  },
  {
    project: PROJECT,
    title: "Upgrade to Postgres 18",
    agent: "builtin",
    minutesAgo: 41 * DAY_MINUTES,
    isArchived: true,
  },
  { project: "liminal-web", title: "Dark theme for the charts", agent: "claude-code", minutesAgo: 40, cost: 0.11 },
  {
    project: "liminal-web",
    title: "A very long title that nobody would call short, about every caret in the sidebar",
    agent: "codex",
    minutesAgo: 8 * HOUR_MINUTES,
  },
  { project: "field-notes", title: "Sort the interview notes", agent: "builtin", minutesAgo: 3 * DAY_MINUTES },
];

const FILES: Readonly<Record<string, string>> = {
  "README.md": "# atlas-api\n\nThe API of Atlas.\n",
  "src/backoff.ts": [
    'import { sleep } from "./clock.ts";',
    "",
    "const BASE_MS = 500;",
    "",
    "/** Delay before the next attempt, in milliseconds. */",
    "export function delayFor(attempt: number): number {",
    "  return BASE_MS * 2 ** attempt;",
    "}",
    "",
  ].join("\n"),
  "src/clock.ts": "export const sleep = (ms: number) => Bun.sleep(ms);\n",
  "test/backoff.test.ts": 'import { delayFor } from "../src/backoff.ts";\n',
};

/** Fills the store of a server that has not started yet, as a few weeks of use would. */
export async function seedWorkspace(dataDir: string, options: SeedOptions = {}): Promise<void> {
  const { db } = openDatabase(join(dataDir, "liminal.db"), "seed");
  const log = new SqliteSessionLog(db);
  const projects = new SqliteProjectStore(db);
  const crowd = Array.from({ length: options.crowd?.projects ?? 0 }, (_, index) => `service-${index + 1}`);
  for (const name of [...PROJECTS, ...crowd]) {
    const path = projectPath(dataDir, name);
    mkdirSync(path, { recursive: true });
    projects.add({ id: ProjectId.parse(name), path, name, addedAt: timeAgo(60 * DAY_MINUTES) });
  }
  writeFiles(projectPath(dataDir, PROJECT));
  for (const row of ROWS) await seedSession(log, dataDir, row, exchange(row.title, 3));
  for (const project of crowd) {
    for (let index = 0; index < (options.crowd?.sessionsEach ?? 0); index += 1) {
      const title = `Task ${index + 1} of ${project}`;
      await seedSession(log, dataDir, { project, title, agent: "builtin", minutesAgo: DAY_MINUTES + index }, []);
    }
  }
  const long = { project: PROJECT, title: LONG_TITLE, agent: "claude-code", minutesAgo: 3 };
  if (options.longTurns !== undefined) await seedSession(log, dataDir, long, exchange(LONG_TITLE, options.longTurns));
  db.close();
}

/** Beside the data directory, where the test server makes the user's directories too. */
function projectPath(dataDir: string, name: string): string {
  return join(dirname(dataDir), "work", name);
}

function writeFiles(directory: string): void {
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
}

function timeAgo(minutes: number): string {
  return new Date(Date.now() - minutes * MINUTE_MS).toISOString();
}

async function seedSession(
  log: SqliteSessionLog,
  dataDir: string,
  row: SeededRow,
  turns: readonly (readonly Entry[])[],
): Promise<void> {
  const id = SessionId.parse(`${row.agent}:${crypto.randomUUID()}`);
  const at = timeAgo(row.minutesAgo);
  const cliType = CliType.parse(row.agent);
  const times = { createdAt: at, lastActiveAt: at };
  await log.create(
    { ...sessionRow(id), projectId: ProjectId.parse(row.project), cliType, title: row.title, ...times },
    { ...BINDING, agentSessionId: id, cwd: projectPath(dataDir, row.project), state: "closed" },
    null,
  );
  const writer = new LogWriter(() => log, id);
  const facts: FactBody[] = [{ type: "session:title-updated", title: row.title, source: "user" }];
  if (row.cost !== undefined)
    facts.push({
      type: "session:config",
      config: { ...EMPTY_CONFIG, usage: { ...USAGE, cost: { amount: row.cost, currency: "USD" } } },
    });
  await writer.write(facts);
  for (const entries of turns)
    await writer.write([running("t"), ...entries.map(update), idle("t")], { lastActiveAt: at });
  if (row.isUnread) await writer.write([], { attention: { seq: writer.state.seq, isSeen: false } });
  if (row.isArchived) await writer.write([{ type: "session:archived" }]);
}

/** Questions and answers about a subject, as many turns as asked for. */
function exchange(subject: string, turns: number): Entry[][] {
  return Array.from({ length: turns }, (_, turn) => {
    const entryId = (kind: string) => EntryId.parse(`${kind}-${turn}`);
    const timestamp = timeAgo(turns - turn);
    return [
      { type: "user", entryId: entryId("u"), content: turn === 0 ? subject : `And step ${turn + 1}?`, timestamp },
      { type: "thinking", entryId: entryId("k"), content: "The cache may be stale. I look at the log first." },
      {
        type: "tool-call",
        entryId: entryId("t"),
        toolCallId: `call-${turn}`,
        name: `Read build-${turn}.log`,
        kind: "read",
        status: "complete",
        content: "",
        result: `step ${turn}: compiled module ${turn} in 12 ms`,
      },
      {
        type: "assistant",
        entryId: entryId("a"),
        content: `The second run reads \`cache/index-${turn}.json\`, which the first run **did not** finish:\n\n- the write has to be atomic\n- the reader has to check the version\n`,
        timestamp,
      },
    ] satisfies Entry[];
  });
}
