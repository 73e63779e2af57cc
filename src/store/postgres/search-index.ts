import type { SearchedProjects, SearchIndex } from "../../ports/search-index.ts";
import { SEARCH_HITS_DEFAULT, SearchHit, type SearchRequest, type SnippetPiece } from "../../protocol/search.ts";
import { CANDIDATES_MAX, type Candidate, rankCandidates, SCANNED_TEXTS_MAX } from "../search/rank-candidates.ts";
import { filtersOf, readQuery, type SearchTerm } from "../search/search-query.ts";
import { markedExcerpt, snippetAround, snippetFromMarked } from "../search/snippets.ts";
import { wordsIn } from "../search/words.ts";
import { numbers, type Queries, type Row, texts, type Value } from "./database.ts";

const AT = "COALESCE(text.at, session.last_active_at)";
/** The conditions of every search, $1 to $8: the session exists, is shown, and matches the filters. */
const FILTERED = `
  FROM search_text AS text JOIN session ON session.key = text.session_key
  JOIN project ON project.id = session.project_id AND project.removed = 0
  WHERE ($1::text IS NULL OR session.project_id = $1)
    AND ($8::text[] IS NULL OR session.project_id = ANY ($8)) AND ($2::text IS NULL OR session.cli_type = $2)
    AND ($3::integer = 1 OR session.archived = 0) AND ($4::text[] IS NULL OR text.kind = ANY ($4))
    AND ($5::text IS NULL OR ${AT} >= $5) AND ($6::text IS NULL OR ${AT} <= $6)`;
const TOUCHES = "path ILIKE $7::text ESCAPE '\\'";
const IN_SESSIONS_WITH_FILE = `
    AND ($7::text IS NULL OR session.key IN (SELECT session_key FROM search_file WHERE ${TOUCHES}))`;
const TOUCHING = `
    AND EXISTS (SELECT 1 FROM search_file AS file WHERE file.session_key = text.session_key
      AND file.entry_id = text.entry_id AND ${TOUCHES})`;
const HOLDS_ALL =
  "NOT EXISTS (SELECT 1 FROM unnest($9::text[]) AS wanted (piece) WHERE strpos(lower(text.text), piece) = 0)";
/** The sum keeps the planner from reading all texts in the order of their keys for a word that is in few of them. */
const NEWEST_FIRST = "ORDER BY (text.key + 0) DESC";

/** Search with PostgreSQL's text index, and by scanning the text for what it does not cover. */
export class PostgresSearchIndex implements SearchIndex {
  readonly #db: Queries;

  constructor(db: Queries) {
    this.#db = db;
  }

  async search(request: SearchRequest, nowMs: number, within: SearchedProjects = null): Promise<readonly SearchHit[]> {
    const { terms, substrings } = readQuery(request.query);
    const candidates = await this.#candidates(terms, substrings, request, within);
    const best = rankCandidates(candidates, nowMs).slice(0, request.limit ?? SEARCH_HITS_DEFAULT);
    if (best.length === 0) return [];
    const rows = await this.#db.rows(
      `SELECT text.*, session.id, session.project_id, session.title, session.cli_type, session.archived, ${AT} AS said_at
       FROM search_text AS text JOIN session ON session.key = text.session_key WHERE text.key = ANY ($1::bigint[])`,
      [numbers(best.map(({ key }) => key))],
    );
    const found = new Map(rows.map((row) => [Number(row["key"]), row]));
    const needle = substrings[0] ?? request.path?.toLowerCase() ?? "";
    return best.flatMap(({ key }) => {
      const row = found.get(key);
      return row ? [hitFrom(row, excerptOf(String(row["text"]), terms, needle))] : [];
    });
  }

  async #candidates(
    terms: readonly SearchTerm[],
    substrings: readonly string[],
    request: SearchRequest,
    within: SearchedProjects,
  ): Promise<Candidate[]> {
    const filters = valuesOf(request, within);
    if (terms.length > 0) {
      const rows = await this.#db.rows(
        // Texts are only read of the newest: what is sorted before has none.
        `WITH matching AS MATERIALIZED (
           SELECT text.key, ${AT} AS at ${FILTERED} ${IN_SESSIONS_WITH_FILE}
             AND text.words @@ $10::text::tsquery ${NEWEST_FIRST} LIMIT ${CANDIDATES_MAX})
         SELECT text.key, text.kind, matching.at, ts_rank(text.words, $10::text::tsquery, 1)::double precision AS weight
         FROM matching JOIN search_text AS text ON text.key = matching.key WHERE ${HOLDS_ALL}`,
        [...filters, texts(substrings), queryOf(terms)],
      );
      return rows.map(candidateFrom);
    }
    if (substrings.length > 0) {
      const rows = await this.#db.rows(
        `SELECT key, kind, at, 1::double precision AS weight FROM (
           SELECT text.key, text.kind, text.text, ${AT} AS at ${FILTERED} ${IN_SESSIONS_WITH_FILE}
           ORDER BY text.key DESC LIMIT ${SCANNED_TEXTS_MAX}) AS text
         WHERE ${HOLDS_ALL}`,
        [...filters, texts(substrings)],
      );
      return rows.map(candidateFrom);
    }
    if (request.path === undefined) return [];
    const rows = await this.#db.rows(
      `SELECT text.key, text.kind, ${AT} AS at, 1::double precision AS weight ${FILTERED} ${TOUCHING}
       ${NEWEST_FIRST} LIMIT ${CANDIDATES_MAX}`,
      filters,
    );
    return rows.map(candidateFrom);
  }
}

function valuesOf(request: SearchRequest, within: SearchedProjects): Value[] {
  const { projectId, cliType, withArchived, kinds, from, to, path } = filtersOf(request);
  return [projectId, cliType, withArchived ? 1 : 0, kinds && texts(kinds), from, to, path, within && texts(within)];
}

/** In PostgreSQL's query language: every term is needed, and the words of a term stand in a row. Pure. */
function queryOf(terms: readonly SearchTerm[]): string {
  return terms
    .map(({ words, isBeginning }) => {
      const row = wordsIn(words).map(({ word }) => `'${word}'`);
      return `${row.join(" <-> ")}${isBeginning ? ":*" : ""}`;
    })
    .join(" & ");
}

/** Excerpts are only made for what is shown. */
function excerptOf(text: string, terms: readonly SearchTerm[], needle: string): SnippetPiece[] {
  return terms.length > 0 ? snippetFromMarked(markedExcerpt(text, terms)) : snippetAround(text, needle);
}

function candidateFrom(row: Row): Candidate {
  return {
    key: Number(row["key"]),
    isTitle: row["kind"] === "title",
    weight: Number(row["weight"]),
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
