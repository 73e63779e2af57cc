import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type ChangeCounts, type ChangedFile, CheckpointId } from "../../src/protocol/changes.ts";
import type { ChangesEntry, Entry } from "../../src/protocol/entry.ts";
import type { FactBody } from "../../src/protocol/facts.ts";
import { CliType, EntryId, ProjectId, SessionId, TurnId } from "../../src/protocol/ids.ts";
import { EMPTY_CONFIG } from "../../src/protocol/session-parts.ts";
import { openDatabase } from "../../src/store/database/open-database.ts";
import { SqliteSessionLog } from "../../src/store/session-log/sqlite-session-log.ts";
import { SqliteProjectStore } from "../../src/store/sqlite-project-store.ts";
import { idle, LogWriter, running, update } from "../core/log-writer.ts";
import { BINDING, sessionRow } from "../core/names.ts";

export interface SeedOptions {
  /** More projects than anybody wants, with as many sessions each. */
  readonly crowd?: { readonly projects: number; readonly sessionsEach: number };
  /** Turns of the session that is called LONG_TITLE. */
  readonly longTurns?: number;
}

export const PROJECT = "atlas-api";
/** A session that changed files, with a restore. */
export const EDITED_TITLE = "Honour Retry-After";
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
  /** Work that is neither reviewed nor committed. */
  readonly changes?: ChangeCounts;
}

const PROJECTS = [PROJECT, "liminal-web", "field-notes"];
const ROWS: readonly SeededRow[] = [
  { project: PROJECT, title: "Trace the flaky login test", agent: "codex", minutesAgo: 12, isUnread: true, cost: 0.42 },
  {
    project: PROJECT,
    title: "Rate limits per tenant",
    agent: "claude-code",
    minutesAgo: 95,
    cost: 1.87,
    changes: { files: 5, added: 97, removed: 14 },
  },
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
  {
    project: "liminal-web",
    title: "Dark theme for the charts",
    agent: "claude-code",
    minutesAgo: 40,
    cost: 0.11,
    changes: { files: 3, added: 0, removed: 0 },
  },
  {
    project: "liminal-web",
    title: "A very long title that nobody would call short, about every caret in the sidebar",
    agent: "codex",
    minutesAgo: 8 * HOUR_MINUTES,
    changes: { files: 12, added: 1_204, removed: 388 },
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
    await projects.add({ id: ProjectId.parse(name), path, name, addedAt: timeAgo(60 * DAY_MINUTES) });
  }
  writeFiles(projectPath(dataDir, PROJECT));
  for (const row of ROWS) await seedSession(log, dataDir, row, exchange(row.title, 3));
  const edited = { project: PROJECT, title: EDITED_TITLE, agent: "claude-code", minutesAgo: 7, changes: EDITED };
  await seedSession(log, dataDir, edited, editedTurns());
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
  if (row.changes !== undefined) facts.push({ type: "session:changes", counts: row.changes });
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

const EDITED: ChangeCounts = { files: 3, added: 40, removed: 2 };
const EDITED_FILES: readonly ChangedFile[] = [
  { path: "packages/core/src/retry/backoff.ts", status: "modified", added: 11, removed: 2 },
  { path: "packages/core/src/retry/retry-after.ts", status: "added", added: 22, removed: 0 },
  { path: "docs/runbook.md", status: "modified", added: 7, removed: 0 },
];

/** Two turns that changed files: an ordinary one, and one with a note; then a restore. */
function editedTurns(): Entry[][] {
  const entryId = (id: string) => EntryId.parse(id);
  const checkpoint = (id: string) => CheckpointId.parse(id);
  const said = (id: string, type: "user" | "assistant", content: string): Entry => ({
    type,
    entryId: entryId(id),
    turnId: TurnId.parse(`t${id.slice(1)}`),
    content,
    timestamp: timeAgo(20),
  });
  const changes = (id: string, more: Partial<ChangesEntry>): ChangesEntry => ({
    type: "changes",
    entryId: entryId(id),
    turnId: TurnId.parse(`t${id.slice(1)}`),
    content: "3 files changed, +40 −2",
    before: checkpoint(`${id}-before`),
    after: checkpoint(`${id}-after`),
    total: EDITED_FILES.length,
    added: 40,
    removed: 2,
    files: [...EDITED_FILES],
    timestamp: timeAgo(20),
    ...more,
  });
  const crowd = Array.from({ length: 6 }, (_, index): ChangedFile => {
    const path = `packages/billing-types/src/generated/from-the-schema/of-every-tenant/invoice-${index + 1}.ts`;
    return { path, status: "deleted", added: 0, removed: 30 };
  });
  return [
    [
      said("u1", "user", "Use the header: seconds and the HTTP date form. Note it in the runbook."),
      said("a1", "assistant", "A delay the server asks for now wins over our own. The parser reads both forms."),
      changes("c1", {}),
    ],
    [
      said("u2", "user", "Now remove the generated types."),
      said("a2", "assistant", "Done. The generator writes them again with the next build."),
      changes("c2", {
        total: 58,
        added: 0,
        removed: 1_740,
        files: [...crowd, { path: "assets/logo\u202egnp.exe", status: "modified", added: null, removed: null }],
        late: true,
        shared: true,
        leftOut: [
          { path: "load/deliveries.sqlite", reason: "too large" },
          { path: ".env.local", reason: "ignored" },
        ],
      }),
      {
        type: "notice",
        entryId: entryId("n1"),
        severity: "info",
        content: "Restored 2 files to an earlier checkpoint. Your next message tells the agent.",
        timestamp: timeAgo(7),
        restore: { to: checkpoint("c1-before"), safety: checkpoint("s1"), undoId: "undo-1", files: 2 },
      },
    ],
  ];
}
