import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { SearchedProjects, SearchIndex } from "../../ports/search-index.ts";
import { SEARCH_HITS_DEFAULT, SearchHit, type SearchRequest, type SnippetPiece } from "../../protocol/search.ts";
import { CANDIDATES_MAX, type Candidate, rankCandidates, SCANNED_TEXTS_MAX } from "./rank-candidates.ts";
import { filtersOf, holdsAll, readQuery } from "./search-query.ts";
import { HIT_END, HIT_START, SNIPPET_WORDS, snippetAround, snippetFromMarked } from "./snippets.ts";

/** The conditions of every search: the session exists, is shown, and matches the filters. */
const FILTERS = `
  JOIN session ON session.key = text.session_key
  JOIN project ON project.id = session.project_id AND project.removed = 0
  WHERE (:projectId IS NULL OR session.project_id = :projectId)
    AND (:within IS NULL OR session.project_id IN (SELECT value FROM json_each(:within)))
    AND (:cliType IS NULL OR session.cli_type = :cliType)
    AND (:archived = 1 OR session.archived = 0)
    AND (:kinds IS NULL OR instr(:kinds, ',' || text.kind || ',') > 0)
    AND (:from IS NULL OR COALESCE(text.at, session.last_active_at) >= :from)
    AND (:to IS NULL OR COALESCE(text.at, session.last_active_at) <= :to)`;
const IN_SESSIONS_WITH_FILE = `
    AND (:path IS NULL OR session.key IN (SELECT session_key FROM search_file WHERE path LIKE :path ESCAPE '\\'))`;
const MATCHING = `
  FROM search_index CROSS JOIN search_text AS text ON text.key = search_index.rowid ${FILTERS} ${IN_SESSIONS_WITH_FILE}
    AND search_index MATCH :match ORDER BY search_index.rowid DESC LIMIT :limit`;
const FACTS = "text.key AS key, text.kind AS kind, COALESCE(text.at, session.last_active_at) AS at";

type Filters = Readonly<Record<string, SQLInputValue>>;
type Row = Record<string, unknown>;

interface ParsedSearch {
  readonly match: string | null;
  readonly substrings: readonly string[];
}

/** Search with SQLite's full-text index, and by scanning the text for what it does not cover. */
export class SqliteSearchIndex implements SearchIndex {
  readonly #sql;

  constructor(db: DatabaseSync) {
    this.#sql = {
      // The order of the tables is the order of the work: the index first, starting with its newest match.
      matches: db.prepare(`SELECT ${FACTS}, bm25(search_index) AS weight ${MATCHING}`),
      matchesWithText: db.prepare(
        `SELECT ${FACTS}, bm25(search_index) AS weight, search_index.text AS words ${MATCHING}`,
      ),
      newest: db.prepare(
        `SELECT ${FACTS}, -1 AS weight, (SELECT words.text FROM search_index AS words WHERE words.rowid = text.key) AS words
         FROM search_text AS text ${FILTERS} ${IN_SESSIONS_WITH_FILE} ORDER BY text.key DESC LIMIT :limit`,
      ),
      touching: db.prepare(
        `SELECT DISTINCT ${FACTS}, -1 AS weight FROM search_file AS file CROSS JOIN search_text AS text ON text.key = file.text_key
         ${FILTERS} AND file.path LIKE :path ESCAPE '\\' ORDER BY text.key DESC LIMIT :limit`,
      ),
      snippets: db.prepare(
        `SELECT rowid AS key, snippet(search_index, 0, '${HIT_START}', '${HIT_END}', '…', ${SNIPPET_WORDS}) AS marked FROM search_index
         WHERE search_index MATCH :match AND rowid BETWEEN :least AND :most AND +rowid IN (SELECT value FROM json_each(:keys))`,
      ),
      hit: db.prepare(
        `SELECT text.*, session.id, session.project_id, session.title, session.cli_type, session.archived,
           COALESCE(text.at, session.last_active_at) AS said_at, (SELECT words.text FROM search_index AS words WHERE words.rowid = text.key) AS words
         FROM search_text AS text JOIN session ON session.key = text.session_key WHERE text.key = ?`,
      ),
    };
  }

  async search(request: SearchRequest, nowMs: number, within: SearchedProjects = null): Promise<readonly SearchHit[]> {
    const parsed = parseSearch(request.query);
    const candidates = this.#candidates(parsed, request, within);
    const best = rankCandidates(candidates, nowMs).slice(0, request.limit ?? SEARCH_HITS_DEFAULT);
    const marked = this.#marked(parsed, best);
    const needle = parsed.substrings[0] ?? request.path?.toLowerCase() ?? "";
    return best.flatMap(({ key }) => {
      const row = this.#sql.hit.get(key);
      return row ? [hitFrom(row, marked.get(key) ?? snippetAround(String(row["words"] ?? ""), needle))] : [];
    });
  }

  #candidates({ match, substrings }: ParsedSearch, request: SearchRequest, within: SearchedProjects): Candidate[] {
    const filters: Filters = { ...valuesOf(request), within: within && JSON.stringify(within) };
    const { path = null } = filters;
    if (match !== null) {
      const matches = substrings.length > 0 ? this.#sql.matchesWithText : this.#sql.matches;
      const found = matches.all({ ...filters, match, limit: CANDIDATES_MAX });
      return found.filter((row) => holdsAll(String(row["words"] ?? ""), substrings)).map(candidateFrom);
    }
    if (substrings.length > 0) {
      const scanned = this.#sql.newest.all({ ...filters, limit: SCANNED_TEXTS_MAX });
      return scanned.filter((row) => holdsAll(String(row["words"] ?? ""), substrings)).map(candidateFrom);
    }
    return path === null ? [] : this.#sql.touching.all({ ...filters, limit: CANDIDATES_MAX }).map(candidateFrom);
  }

  /** Excerpts are only made for what is shown. */
  #marked({ match }: ParsedSearch, best: readonly Candidate[]): ReadonlyMap<number, SnippetPiece[]> {
    const keys = best.map(({ key }) => key);
    if (match === null || keys.length === 0) return new Map();
    const range = { least: Math.min(...keys), most: Math.max(...keys) };
    const rows = this.#sql.snippets.all({ match, ...range, keys: JSON.stringify(keys) });
    return new Map(rows.map((row) => [Number(row["key"]), snippetFromMarked(String(row["marked"]))]));
  }
}

/** A query in two parts, the first in the index's query language; null if no word of the query is indexed. Pure. */
export function parseSearch(query: string): ParsedSearch {
  const { terms, substrings } = readQuery(query);
  const match = terms.map(({ words, isBeginning }) => `"${words}"${isBeginning ? "*" : ""}`).join(" ");
  return { match: match === "" ? null : match, substrings };
}

/** The values of the filters' statement. */
function valuesOf(request: SearchRequest): Filters {
  const { withArchived, kinds, ...filters } = filtersOf(request);
  return { ...filters, archived: withArchived ? 1 : 0, kinds: kinds && `,${kinds.join(",")},` };
}

function candidateFrom(row: Row): Candidate {
  return {
    key: Number(row["key"]),
    isTitle: row["kind"] === "title",
    weight: -Number(row["weight"]),
    atMs: Date.parse(String(row["at"])),
  };
}

function hitFrom(row: Row, snippet: SnippetPiece[]): SearchHit {
  return SearchHit.parse({
    sessionId: row["id"],
    projectId: row["project_id"],
    title: row["title"],
    cliType: row["cli_type"],
    archived: row["archived"] === 1,
    kind: row["kind"],
    timestamp: row["said_at"],
    ...(row["kind"] !== "title" && { entryId: row["entry_id"] }),
    snippet,
  });
}
