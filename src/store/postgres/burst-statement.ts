import type { Entry } from "../../protocol/entry.ts";
import { externalIdOf } from "../../protocol/entry.ts";
import { answerOf, keptOf, Options } from "../session-log/permission-records.ts";
import {
  BOUND_COLUMNS,
  bindingValues,
  COMMITTED_COLUMNS,
  committedValues,
  NUMBER_COLUMNS,
  RAISED_COLUMNS,
  raisedValues,
  writeState,
} from "../session-log/session-columns.ts";
import { piecesOf, placeOf } from "../session-log/stored-outputs.ts";
import { spentIn } from "../session-log/usage-records.ts";
import { type Burst, foldedEntries } from "./burst.ts";
import type { Value } from "./database.ts";
import { searchableEntry, searchableTitle } from "./search-words.ts";
import { type ColumnTypes, type GivenRow, StatementValues } from "./statement-values.ts";

/** Facts of ended turns kept for reconnecting readers; older cursors get a fresh history. */
const FACTS_KEPT_MAX = 4_000;

/**
 * One statement that stores bursts of several sessions: each completely or not at all. It returns the keys of the
 * stored ones. One is missing when its session is not as the burst expects it, or when another server has taken over;
 * the others are not affected. Pure.
 */
export function burstStatement(
  bursts: readonly Burst[],
  epoch: number,
): { statement: string; values: readonly Value[] } {
  const values = new StatementValues();
  const parts = [`allowed AS MATERIALIZED (SELECT epoch FROM owner WHERE epoch = ${values.add(epoch)} FOR SHARE)`];
  const owns: string[] = [];
  const update = (name: string, columns: ColumnTypes, assignments: string, rows: readonly GivenRow<ColumnTypes>[]) => {
    if (rows.length === 0) return;
    owns.push(`SELECT * FROM ${name}`);
    parts.push(`${name} AS (
      UPDATE session SET ${assignments} FROM ${values.table("s", columns, rows)}, allowed
      WHERE session.key = s.key AND session.last_seq = s.previous_seq AND session.commit_id IS DISTINCT FROM s.commit_id
      RETURNING session.key, session.id, session.project_id, session.cli_type, session.last_active_at,
        session.next_position, session.next_position - s.settled_count AS first_position
    )`);
  };
  const raised = bursts.filter(({ isRaisedOnly }) => isRaisedOnly);
  update("raised", RAISED_TYPES, RAISED_ASSIGNMENTS, raised.map(raisedRow));
  const changed = bursts.filter(({ isRaisedOnly }) => !isRaisedOnly);
  update("changed", { ...RAISED_TYPES, ...CHANGED_TYPES }, ASSIGNMENTS, changed.map(changedRow));
  parts.push(`own AS (${owns.join(" UNION ALL ")})`);
  for (const section of SECTIONS) {
    const rows = bursts.flatMap((burst) => section.rows(burst).map((row) => ({ key: burst.key, ...row })));
    if (rows.length > 0) parts.push(...section.parts(values.table("u", { key: "bigint", ...section.columns }, rows)));
  }
  return { statement: `WITH ${parts.join(",\n")}\nSELECT key FROM own`, values: values.values };
}

const typesOf = (names: readonly string[]): ColumnTypes =>
  Object.fromEntries(names.map((name) => [name, NUMBER_COLUMNS.has(name) ? "integer" : "text"]));
const CHANGED_COLUMNS = COMMITTED_COLUMNS.filter((name) => !RAISED_COLUMNS.some((raised) => raised === name));
const RAISED_TYPES = {
  key: "bigint",
  previous_seq: "integer",
  commit_id: "text",
  settled_count: "integer",
  new_active_at: "text",
  ...typesOf(RAISED_COLUMNS),
} as const satisfies ColumnTypes;
const CHANGED_TYPES = {
  snapshot: "text",
  snapshot_seq: "integer",
  kept_from_seq: "integer",
  attention_seq: "integer",
  seen_seq: "integer",
  armed_waits: "integer",
  ...typesOf(CHANGED_COLUMNS),
  ...typesOf(BOUND_COLUMNS),
} as const satisfies ColumnTypes;

const RAISED = [
  "commit_id = s.commit_id",
  "last_active_at = COALESCE(s.new_active_at, session.last_active_at)",
  ...RAISED_COLUMNS.map((name) => `${name} = s.${name}`),
];
const RAISED_ASSIGNMENTS = RAISED.join(", ");
const ASSIGNMENTS = [
  ...RAISED,
  "next_position = session.next_position + s.settled_count",
  "kept_from_seq = GREATEST(session.kept_from_seq, s.kept_from_seq)",
  "seen_seq = GREATEST(session.seen_seq, s.seen_seq)",
  ...CHANGED_COLUMNS.map((name) => `${name} = s.${name}`),
  // Only where the burst has them.
  ...["snapshot", "snapshot_seq", "attention_seq", "armed_waits", ...BOUND_COLUMNS].map(
    (name) => `${name} = COALESCE(s.${name}, session.${name})`,
  ),
].join(", ");

/** What every burst changes of its session's row. */
function raisedRow({ key, commit, previousSeq, commitId }: Burst) {
  const { last_active_at: new_active_at, ...raised } = raisedValues(key, commit);
  const settled_count = commit.snapshot ? commit.settled.length : 0;
  return { ...raised, previous_seq: previousSeq, commit_id: commitId, new_active_at, settled_count };
}

/** With all that a burst may change besides. */
function changedRow(burst: Burst) {
  const { key, commit } = burst;
  const { snapshot, attention, binding, facts } = commit;
  const waits = facts.findLast((fact) => fact.type === "session:waits");
  return {
    ...committedValues(key, commit),
    ...Object.fromEntries(BOUND_COLUMNS.map((name) => [name, null])),
    ...(binding !== null && bindingValues(key, binding)),
    ...raisedRow(burst),
    snapshot: snapshot ? writeState(snapshot) : null,
    snapshot_seq: snapshot?.seq ?? null,
    kept_from_seq: keepFrom(snapshot?.seq),
    attention_seq: attention?.seq ?? null,
    seen_seq: attention?.isSeen ? attention.seq : null,
    armed_waits: waits?.type === "session:waits" ? waits.items.length : null,
  };
}

/** The first fact that is kept, once there are more than that; null while all are. */
function keepFrom(snapshotSeq: number | undefined): number | null {
  const from = (snapshotSeq ?? 0) - FACTS_KEPT_MAX + 1;
  return from <= 1 ? null : from;
}

/** Rows that bursts store beside their session's, and what stores them; `own` has the sessions that take them. */
interface Section {
  readonly columns: ColumnTypes;
  readonly rows: (burst: Burst) => readonly GivenRow<ColumnTypes>[];
  /** `given`: the rows as `u`, with the session's `key`. */
  readonly parts: (given: string) => readonly string[];
}

const FACTS: Section = {
  columns: { seq: "integer", type: "text", json: "text" },
  rows: ({ frames }) => frames.map(({ seq, type, json }) => ({ seq, type, json })),
  parts: (given) => [
    `facts AS (INSERT INTO fact (session_key, seq, type, json)
      SELECT u.key, u.seq, u.type, u.json FROM ${given} JOIN own ON own.key = u.key)`,
  ],
};

const DROPPED_FACTS: Section = {
  columns: { keep_from: "integer" },
  rows: ({ commit }) => {
    const from = keepFrom(commit.snapshot?.seq);
    return from === null ? [] : [{ keep_from: from }];
  },
  parts: (given) => [
    `dropped_facts AS (DELETE FROM fact USING ${given} JOIN own ON own.key = u.key
      WHERE fact.session_key = u.key AND fact.seq < u.keep_from)`,
  ],
};

const RECEIPTS: Section = {
  columns: { command_id: "text", answer: "text", at: "text" },
  rows: ({ commit: { receipt } }) =>
    receipt ? [{ command_id: receipt.commandId, answer: receipt.answer, at: receipt.at }] : [],
  parts: (given) => [
    `receipts AS (INSERT INTO receipt (command_id, answer, at)
      SELECT u.command_id, u.answer, u.at FROM ${given} JOIN own ON own.key = u.key ON CONFLICT DO NOTHING)`,
  ],
};

const ENTRY_COLUMNS = {
  entry_id: "text",
  agent_id: "text",
  type: "text",
  turn_id: "text",
  inner_one: "integer",
  steered: "integer",
  json: "text",
} as const;

/** An entry as its row. Pure. */
export function entryValues(entry: Entry) {
  return {
    entry_id: entry.entryId,
    agent_id: externalIdOf(entry),
    type: entry.type,
    turn_id: entry.turnId ?? null,
    inner_one: entry.parentToolCallId === undefined ? 0 : 1,
    steered: entry.type === "user" && entry.steered ? 1 : 0,
    json: JSON.stringify(entry),
  };
}

const SETTLED: Section = {
  columns: { nth: "integer", ...ENTRY_COLUMNS },
  rows: ({ commit }) => foldedEntries(commit).settled.map((entry, nth) => ({ nth, ...entryValues(entry) })),
  parts: (given) => [
    `settled AS (INSERT INTO entry (session_key, position, entry_id, agent_id, type, turn_id, inner_one, steered, json)
      SELECT u.key, own.first_position + u.nth, u.entry_id, u.agent_id, u.type, u.turn_id, u.inner_one, u.steered, u.json
      FROM ${given} JOIN own ON own.key = u.key)`,
  ],
};

const REVISED: Section = {
  columns: ENTRY_COLUMNS,
  rows: ({ commit }) => foldedEntries(commit).revised.map(entryValues),
  parts: (given) => [
    `revised AS (UPDATE entry SET json = u.json, type = u.type, turn_id = u.turn_id, inner_one = u.inner_one, steered = u.steered
      FROM ${given} JOIN own ON own.key = u.key WHERE entry.session_key = u.key AND entry.entry_id = u.entry_id)`,
  ],
};

/** `is_new`: what was there of that text is replaced. */
const OUTPUTS: Section = {
  columns: { entry_id: "text", part: "integer", is_new: "integer", start: "integer", chars: "integer", json: "text" },
  rows: ({ commit: { outputs } }) => {
    const texts = new Map<string, { is_new: number; rows: Map<number, GivenRow<ColumnTypes>> }>();
    for (const output of outputs) {
      const place = { entry_id: output.entryId, part: placeOf(output.part) };
      const name = JSON.stringify(place);
      const known = texts.get(name);
      const text = output.start === 0 ? { is_new: 1, rows: new Map() } : (known ?? { is_new: 0, rows: new Map() });
      for (const piece of piecesOf(output)) text.rows.set(piece.start, { ...place, ...piece });
      // An empty text has no piece, and still replaces what was stored.
      if (text.rows.size === 0) text.rows.set(-1, { ...place, start: null, chars: 0, json: "" });
      texts.set(name, text);
    }
    return [...texts.values()].flatMap(({ is_new, rows }) =>
      [...rows.values()].map((row) => ({ entry_id: null, part: 0, start: 0, chars: 0, json: "", ...row, is_new })),
    );
  },
  parts: (given) => [
    `pieces AS MATERIALIZED (SELECT u.* FROM ${given} JOIN own ON own.key = u.key)`,
    `dropped_pieces AS (DELETE FROM output_piece old USING pieces u
      WHERE u.is_new = 1 AND old.session_key = u.key AND old.entry_id = u.entry_id AND old.part = u.part AND NOT EXISTS (
        SELECT FROM pieces n WHERE n.key = old.session_key AND n.entry_id = old.entry_id AND n.part = old.part AND n.start = old.start))`,
    `added_pieces AS (INSERT INTO output_piece (session_key, entry_id, part, start, chars, json)
      SELECT u.key, u.entry_id, u.part, u.start, u.chars, u.json FROM pieces u WHERE u.start IS NOT NULL
      ON CONFLICT (session_key, entry_id, part, start) DO UPDATE SET chars = excluded.chars, json = excluded.json)`,
  ],
};

/** Packs of a commit, and the messages it has that take the one which goes with the next message. */
function packsOf({ facts, packs = [] }: Burst["commit"]) {
  const given = facts.flatMap((fact) =>
    fact.type === "session:update" && fact.entry.type === "user" && fact.entry.context ? [fact.entry.entryId] : [],
  );
  const byEntry = new Map<string, string>(packs.map(({ entryId, content }) => [entryId ?? "", content]));
  const [taker] = given;
  const next = byEntry.get("");
  if (taker !== undefined && next !== undefined) byEntry.set(taker, next).delete("");
  return { byEntry, taker, isTakenFromStore: taker !== undefined && next === undefined };
}

const PACKS: Section = {
  columns: { entry_id: "text", content: "text" },
  rows: ({ commit }) => [...packsOf(commit).byEntry].map(([entry_id, content]) => ({ entry_id, content })),
  parts: (given) => [
    `packs AS (INSERT INTO pack (session_id, entry_id, content)
      SELECT own.id, u.entry_id, u.content FROM ${given} JOIN own ON own.key = u.key
      ON CONFLICT (session_id, entry_id) DO UPDATE SET content = excluded.content)`,
  ],
};

const GIVEN_PACKS: Section = {
  columns: { entry_id: "text", from_store: "integer" },
  rows: ({ commit }) => {
    const { taker, isTakenFromStore } = packsOf(commit);
    return taker === undefined ? [] : [{ entry_id: taker, from_store: isTakenFromStore ? 1 : 0 }];
  },
  parts: (given) => [
    `taken AS (DELETE FROM pack USING ${given} JOIN own ON own.key = u.key
      WHERE pack.session_id = own.id AND pack.entry_id = '' RETURNING pack.session_id, pack.content, u.entry_id AS taker, u.from_store)`,
    `given_packs AS (INSERT INTO pack (session_id, entry_id, content)
      SELECT session_id, taker, content FROM taken WHERE from_store = 1
      ON CONFLICT (session_id, entry_id) DO UPDATE SET content = excluded.content)`,
  ],
};

const PERMISSIONS: Section = {
  columns: {
    ...{ permission_id: "text", asked_at: "text", tool_call: "text", options: "text" },
    ...{ answered: "text", answered_by: "text", answered_at: "text", why: "text" },
  },
  rows: ({ commit: { facts }, options: stored }) => {
    const rows = new Map<string, GivenRow<ColumnTypes>>();
    for (const fact of facts) {
      if (fact.type === "permission:request" && !rows.has(fact.permissionId)) {
        const [tool_call, options] = [JSON.stringify(keptOf(fact.toolCall)), JSON.stringify(fact.options)];
        rows.set(fact.permissionId, {
          ...UNANSWERED,
          permission_id: fact.permissionId,
          asked_at: fact.askedAt,
          tool_call,
          options,
        });
      }
      if (fact.type !== "permission:resolved") continue;
      const row = rows.get(fact.permissionId) ?? { ...UNANSWERED, permission_id: fact.permissionId };
      const options = row["options"] ?? stored.get(fact.permissionId);
      if (typeof options !== "string" || row["answered"] !== null) continue;
      const { answered, by, at, why } = answerOf(fact, Options.parse(JSON.parse(options)));
      rows.set(fact.permissionId, { ...row, answered, answered_by: by, answered_at: at, why });
    }
    return [...rows.values()];
  },
  parts: (given) => [
    `permissions AS MATERIALIZED (SELECT u.* FROM ${given} JOIN own ON own.key = u.key)`,
    `answered_permissions AS (UPDATE permission_record old
      SET answered = u.answered, answered_by = u.answered_by, answered_at = u.answered_at, why = u.why FROM permissions u
      WHERE old.session_key = u.key AND old.permission_id = u.permission_id AND old.answered IS NULL AND u.answered IS NOT NULL)`,
    `asked_permissions AS (INSERT INTO permission_record
        (session_key, permission_id, asked_at, tool_call, options, answered, answered_by, answered_at, why)
      SELECT u.key, u.permission_id, u.asked_at, u.tool_call, u.options, u.answered, u.answered_by, u.answered_at, u.why
      FROM permissions u WHERE u.asked_at IS NOT NULL ON CONFLICT DO NOTHING)`,
  ],
};
const UNANSWERED = {
  ...{ permission_id: null, asked_at: null, tool_call: null, options: null },
  ...{ answered: null, answered_by: null, answered_at: null, why: null },
};

const USAGE: Section = {
  columns: {
    turn_id: "text",
    account: "text",
    at: "text",
    tokens: "double precision",
    cost: "double precision",
    currency: "text",
  },
  rows: ({ commit: { facts, payer }, before }) => {
    if (!payer || before === null) return [];
    const turns = new Map<string, { tokens: number; cost: number; currency: string | null }>();
    for (const { turnId, tokens, cost, currency } of spentIn(facts, before)) {
      const sum = turns.get(turnId) ?? { tokens: 0, cost: 0, currency: null };
      turns.set(turnId, { tokens: sum.tokens + tokens, cost: sum.cost + cost, currency: currency ?? sum.currency });
    }
    return [...turns].map(([turn_id, spent]) => ({ turn_id, account: payer.account, at: payer.at, ...spent }));
  },
  parts: (given) => [
    `used AS (INSERT INTO turn_usage (session_id, turn_id, project_id, cli_type, account, at, tokens, cost, currency)
      SELECT own.id, u.turn_id, own.project_id, own.cli_type, u.account, u.at, u.tokens, u.cost, u.currency
      FROM ${given} JOIN own ON own.key = u.key
      ON CONFLICT (session_id, turn_id) DO UPDATE SET tokens = turn_usage.tokens + excluded.tokens,
        cost = turn_usage.cost + excluded.cost, at = excluded.at,
        account = COALESCE(excluded.account, turn_usage.account), currency = COALESCE(excluded.currency, turn_usage.currency))`,
  ],
};

/** `ended`: when the turns that end here had started. */
const DELEGATIONS: Section = {
  columns: {
    ...{ turns: "integer", first_turn: "text", last_turn: "text", ended: "text" },
    ...{ tokens: "double precision", cost: "double precision" },
  },
  rows: ({ commit: { facts } }) => {
    const turns: string[] = [];
    const ended: number[] = [];
    let used: { tokens: number; cost: number } | null = null;
    for (const fact of facts) {
      if (fact.type === "session:config" && fact.config.usage) {
        const { tokens, used: context, cost } = fact.config.usage;
        used = { tokens: Math.round(tokens ?? context), cost: cost?.amount ?? 0 };
      }
      if (fact.type !== "session:turn") continue;
      const { state, turnId, startedAt } = fact.turn;
      if (turnId === undefined || startedAt === undefined) continue;
      if (state === "idle") ended.push(Date.parse(startedAt));
      else if (turns.at(-1) !== turnId) turns.push(turnId);
    }
    if (turns.length === 0 && ended.length === 0 && used === null) return [];
    const [first_turn, last_turn] = [turns[0] ?? null, turns.at(-1) ?? null];
    const spent = { tokens: used?.tokens ?? null, cost: used?.cost ?? null };
    return [{ turns: turns.length, first_turn, last_turn, ended: ended.filter(Number.isFinite).join(), ...spent }];
  },
  // Until the last event: downtime of the server does not count as work.
  parts: (given) => [
    `delegations AS (UPDATE delegation d SET
        turns = d.turns + u.turns - CASE WHEN u.first_turn = d.last_turn_id THEN 1 ELSE 0 END,
        last_turn_id = COALESCE(u.last_turn, d.last_turn_id),
        tokens = COALESCE(u.tokens, d.tokens), cost = COALESCE(u.cost, d.cost),
        work_ms = d.work_ms + (
          SELECT COALESCE(sum(GREATEST(0, round(extract(epoch FROM own.last_active_at::timestamptz) * 1000) - started)), 0)
          FROM unnest(string_to_array(u.ended, ',')::double precision[]) started)
      FROM ${given} JOIN own ON own.key = u.key WHERE d.session_key = u.key)`,
  ],
};

const SEARCH_COLUMNS = { entry_id: "text", kind: "text", at: "text", text: "text", words: "text" } as const;
const SEARCHABLE = "(session_key, entry_id, kind, at, text, words)";

const TITLES: Section = {
  columns: SEARCH_COLUMNS,
  rows: ({ commit: { facts, state } }) =>
    facts.some(({ type }) => type === "session:title-updated") ? [searchableTitle(state.title)] : [],
  parts: (given) => [
    `titles AS (INSERT INTO search_text ${SEARCHABLE}
      SELECT u.key, u.entry_id, u.kind, u.at, u.text, u.words::tsvector FROM ${given} JOIN own ON own.key = u.key
      ON CONFLICT (session_key, entry_id) DO UPDATE SET text = excluded.text, words = excluded.words)`,
  ],
};

const WORDS: Section = {
  columns: SEARCH_COLUMNS,
  rows: ({ commit }) =>
    commit.isSearchedLater
      ? []
      : foldedEntries(commit).settled.map((entry) => {
          const { files: _, ...row } = searchableEntry(entry);
          return { ...row, at: row.at ?? commit.lastActiveAt };
        }),
  parts: (given) => [
    `words AS (INSERT INTO search_text ${SEARCHABLE}
      SELECT u.key, u.entry_id, u.kind, u.at, u.text, u.words::tsvector FROM ${given} JOIN own ON own.key = u.key
      ON CONFLICT DO NOTHING)`,
  ],
};

const REVISED_WORDS: Section = {
  columns: SEARCH_COLUMNS,
  rows: ({ commit }) =>
    foldedEntries(commit).revised.map((entry) => {
      const { files: _, ...row } = searchableEntry(entry);
      return row;
    }),
  parts: (given) => [
    `revised_words AS (UPDATE search_text old SET text = u.text, words = u.words::tsvector
      FROM ${given} JOIN own ON own.key = u.key WHERE old.session_key = u.key AND old.entry_id = u.entry_id)`,
  ],
};

const FILES: Section = {
  columns: { entry_id: "text", path: "text", is_new: "integer" },
  rows: ({ commit }) => {
    const { settled, revised } = foldedEntries(commit);
    const filesOf = (entries: readonly Entry[], is_new: number) =>
      entries.flatMap((entry) =>
        searchableEntry(entry).files.map((path) => ({ entry_id: entry.entryId, path, is_new })),
      );
    return [...(commit.isSearchedLater ? [] : filesOf(settled, 1)), ...filesOf(revised, 0)];
  },
  // A revised entry that is not searched yet is read later, in its later form.
  parts: (given) => [
    `files AS (INSERT INTO search_file (session_key, entry_id, path)
      SELECT u.key, u.entry_id, u.path FROM ${given} JOIN own ON own.key = u.key
      WHERE u.is_new = 1 OR EXISTS (SELECT FROM search_text t WHERE t.session_key = u.key AND t.entry_id = u.entry_id)
      ON CONFLICT DO NOTHING)`,
  ],
};

const BACKLOG: Section = {
  columns: {},
  rows: ({ commit }) => (commit.isSearchedLater ? [{}] : []),
  parts: (given) => [
    `backlog AS (INSERT INTO search_backlog (session_key, before_position)
      SELECT own.key, own.next_position FROM ${given} JOIN own ON own.key = u.key
      ON CONFLICT (session_key) DO UPDATE SET before_position = excluded.before_position)`,
  ],
};

const SECTIONS: readonly Section[] = [
  ...[FACTS, DROPPED_FACTS, RECEIPTS, SETTLED, REVISED, OUTPUTS, PACKS, GIVEN_PACKS, PERMISSIONS, USAGE, DELEGATIONS],
  ...[TITLES, WORDS, REVISED_WORDS, FILES, BACKLOG],
];
