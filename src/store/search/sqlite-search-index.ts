import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { stripVTControlCharacters } from "node:util";
import type { SearchIndex } from "../../ports/search-index.ts";
import { SEARCH_HITS_DEFAULT, SearchHit, type SearchRequest, type SnippetPiece } from "../../protocol/search.ts";

/** Of more matches than this the newest are weighed: however much was ever said, a search stays short. */
const CANDIDATES_MAX = 2_000;
/** Without a word the index knows, so many of the newest texts are looked into. */
const SCANNED_TEXTS_MAX = 20_000;
const SNIPPET_WORDS = 24;
const DATE_ONLY = /^\d{4}-\d{2}-\d{2}$/;
const END_OF_DAY = "T23:59:59.999Z";

/** What every search asks for, whichever way it finds: the session is there, shown, and as the filters want it. */
const FILTERS = `
  JOIN session ON session.key = text.session_key
  JOIN project ON project.id = session.project_id AND project.removed = 0
  WHERE (:projectId IS NULL OR session.project_id = :projectId)
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

/** Search by SQLite's own full-text index, and by looking into the text for what that does not know. */
export class SqliteSearchIndex implements SearchIndex {
  readonly #sql;

  constructor(db: DatabaseSync) {
    this.#sql = {
      // The order of the tables is the order of the work: the index first, and from its newest match on.
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

  search(request: SearchRequest, nowMs: number): readonly SearchHit[] {
    const parsed = parseSearch(request.query);
    const candidates = this.#candidates(parsed, request);
    const best = rankCandidates(candidates, nowMs).slice(0, request.limit ?? SEARCH_HITS_DEFAULT);
    const marked = this.#marked(parsed, best);
    const needle = parsed.substrings[0] ?? request.path?.toLowerCase() ?? "";
    return best.flatMap(({ key }) => {
      const row = this.#sql.hit.get(key);
      return row ? [hitFrom(row, marked.get(key) ?? snippetAround(String(row["words"] ?? ""), needle))] : [];
    });
  }

  #candidates({ match, substrings }: ParsedSearch, request: SearchRequest): Candidate[] {
    const filters = filtersOf(request);
    const { path = null } = filters;
    if (match !== null) {
      const matches = substrings.length > 0 ? this.#sql.matchesWithText : this.#sql.matches;
      const found = matches.all({ ...filters, match, limit: CANDIDATES_MAX });
      return found.filter((row) => holdsAll(row, substrings)).map(candidateFrom);
    }
    if (substrings.length > 0) {
      const scanned = this.#sql.newest.all({ ...filters, limit: SCANNED_TEXTS_MAX });
      return scanned.filter((row) => holdsAll(row, substrings)).map(candidateFrom);
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

function filtersOf({ projectId, cliType, includeArchived, kinds, from, to, path }: SearchRequest): Filters {
  return {
    projectId: projectId ?? null,
    cliType: cliType ?? null,
    archived: includeArchived ? 1 : 0,
    kinds: kinds === undefined || kinds.length === 0 ? null : `,${kinds.join(",")},`,
    from: from === undefined ? null : new Date(from).toISOString(),
    to: to === undefined ? null : DATE_ONLY.test(to) ? `${to}${END_OF_DAY}` : new Date(to).toISOString(),
    path: path === undefined ? null : `%${path.toWellFormed().replaceAll(/[\\%_]/g, "\\$&")}%`,
  };
}

function holdsAll(row: Row, substrings: readonly string[]): boolean {
  if (substrings.length === 0) return true;
  const text = String(row["words"] ?? "").toLowerCase();
  return substrings.every((each) => text.includes(each));
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

interface Candidate {
  readonly key: number;
  readonly isTitle: boolean;
  /** How well it matches; more is better. */
  readonly weight: number;
  readonly atMs: number;
}

/** After this time what was said counts half of what the newest gains by being new. */
const HALF_LIFE_MS = 30 * 24 * 60 * 60 * 1000;
/** A word in a title says what a whole session is about. */
const TITLE_FACTOR = 3;

/** Relevance first, lifted by up to as much again for what is new. Pure. */
function rankCandidates(candidates: readonly Candidate[], nowMs: number): readonly Candidate[] {
  const scored = candidates.map((candidate) => ({ candidate, score: scoreOf(candidate, nowMs) }));
  return scored
    .sort((a, b) => b.score - a.score || b.candidate.key - a.candidate.key)
    .map(({ candidate }) => candidate);
}

function scoreOf({ weight, isTitle, atMs }: Candidate, nowMs: number): number {
  const ageMs = Number.isNaN(atMs) ? Number.POSITIVE_INFINITY : Math.max(0, nowMs - atMs);
  return weight * (isTitle ? TITLE_FACTOR : 1) * (1 + 2 ** (-ageMs / HALF_LIFE_MS));
}

/** Around what the index found; no text in it holds these. */
export const HIT_START = "\u0001";
export const HIT_END = "\u0002";
const SNIPPET_CHARS_MAX = 320;
const BEFORE_HIT_CHARS = 60;
const SPACES = /\s+/g;

/** The index's own excerpt, in pieces: one line, and no longer than a reader takes in at a glance. */
export function snippetFromMarked(marked: string): SnippetPiece[] {
  // What was indexed before colours were left out still has them.
  const pieces = stripVTControlCharacters(marked)
    .replace(SPACES, " ")
    .split(HIT_START)
    .flatMap((part, index) => {
      if (index === 0) return [{ text: part, hit: false }];
      const [hit = "", ...rest] = part.split(HIT_END);
      return [
        { text: hit, hit: true },
        { text: rest.join(""), hit: false },
      ];
    });
  return bounded(pieces.filter(({ text }) => text !== ""));
}

/** An excerpt around what was found by looking into the text itself. */
export function snippetAround(found: string, needle: string): SnippetPiece[] {
  const text = stripVTControlCharacters(found);
  const at = text.toLowerCase().indexOf(needle);
  if (at === -1) return bounded([{ text: text.slice(0, SNIPPET_CHARS_MAX).replace(SPACES, " "), hit: false }]);
  const from = Math.max(0, at - BEFORE_HIT_CHARS);
  const end = at + needle.length;
  const before = `${from > 0 ? "…" : ""}${text.slice(from, at)}`;
  const pieces = [
    { text: before.replace(SPACES, " "), hit: false },
    { text: text.slice(at, end).replace(SPACES, " "), hit: true },
    { text: text.slice(end, end + SNIPPET_CHARS_MAX).replace(SPACES, " "), hit: false },
  ];
  return bounded(pieces.filter((piece) => piece.text !== ""));
}

/** Words without end (encoded data, a minified file) are cut: before a hit at their beginning, after it at their end. */
function bounded(pieces: readonly SnippetPiece[]): SnippetPiece[] {
  const kept: SnippetPiece[] = [];
  let left = SNIPPET_CHARS_MAX;
  for (const [index, { text, hit }] of pieces.entries()) {
    const leadsToHit = index === 0 && !hit && pieces.length > 1;
    const fit = leadsToHit && text.length > BEFORE_HIT_CHARS * 2 ? `…${text.slice(-BEFORE_HIT_CHARS * 2)}` : text;
    const cut = fit.length > left ? `${fit.slice(0, left)}…` : fit;
    kept.push({ text: cut.toWellFormed(), hit });
    left -= fit.length;
    if (left <= 0) break;
  }
  return kept;
}

/** More words than this say nothing more; the rest of a pasted page is left out. */
const WORDS_MAX = 24;
const WORD_CHARS_MAX = 100;
/** A single letter begins too many words to be of use as a beginning; a sign at the end says that the word is whole. */
const BEGINS_WORD = /[\p{L}\p{N}]{2}$/u;
/** Scripts written without spaces: a word of theirs stands inside a longer run. */
const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const HAS_WORD = /[\p{L}\p{N}]/u;
const PIECE = /"([^"]*)"?|[^\s"]+/gu;

/** A query in two halves: what the index answers, and what has to be looked for in the text itself. */
interface ParsedSearch {
  /** In the index's own language, or null when no word of the query is in it. */
  readonly match: string | null;
  /** Signs, and words of scripts without spaces: found anywhere in a text. */
  readonly substrings: readonly string[];
}

/** Reads what a person typed. Nothing they can type is an error. Pure. */
export function parseSearch(query: string): ParsedSearch {
  const text = query.toWellFormed().normalize("NFC").replaceAll("\0", " ");
  const pieces = [...text.matchAll(PIECE)]
    .map(([whole, quoted]) => ({
      words: (quoted ?? whole).trim().slice(0, WORD_CHARS_MAX),
      isQuoted: quoted !== undefined,
    }))
    .filter(({ words }) => words !== "")
    .slice(0, WORDS_MAX);
  const isPlain = (words: string) => HAS_WORD.test(words) && !WITHOUT_SPACES.test(words);
  const last = pieces.at(-1);
  const terms = pieces
    .filter(({ words }) => isPlain(words))
    .map((piece) => {
      const isBeginning = piece === last && !piece.isQuoted && BEGINS_WORD.test(piece.words);
      return `"${piece.words}"${isBeginning ? "*" : ""}`;
    });
  const substrings = pieces.filter(({ words }) => !isPlain(words)).map(({ words }) => words.toLowerCase());
  return { match: terms.length === 0 ? null : terms.join(" "), substrings };
}
