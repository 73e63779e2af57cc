import {
  appendFileSync,
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import type { ListSessionsResponse, SessionInfo } from "@agentclientprotocol/sdk";
import { invalidParams } from "../wire/rpc-error.ts";
import { parseRecord, type SessionRecord } from "./session-record.ts";

const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;
const FILE_SUFFIX = ".jsonl";
/** The first line has the id and the directory, so this much is enough to list a session. */
const HEADER_BYTES_MAX = 16 * 1024;
/** Ids are file names, so they must not contain path characters. */
const SAFE_ID = /^[A-Za-z0-9_-]{1,80}$/;

/** Sessions on disk: one append-only file of JSON lines each, so a kill at any moment costs at most one line. */
export class SessionStore {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  create(id: string, cwd: string, createdAt: number): void {
    mkdirSync(this.#directory, { recursive: true, mode: DIRECTORY_MODE });
    this.append(id, [{ type: "session", id, cwd, createdAt }]);
  }

  append(id: string, records: readonly SessionRecord[]): void {
    const text = records.map((record) => `${JSON.stringify(record)}\n`).join("");
    appendFileSync(this.#path(id), text, { mode: FILE_MODE });
  }

  /** Undefined for an unknown or deleted session; afterwards the file is safe to append to. */
  read(id: string): SessionRecord[] | undefined {
    if (!this.has(id)) return undefined;
    const text = readFileSync(this.#path(id), "utf8");
    if (text !== "" && !text.endsWith("\n")) appendFileSync(this.#path(id), "\n");
    return text.split("\n").flatMap((line) => parseRecord(line) ?? []);
  }

  has(id: string): boolean {
    return SAFE_ID.test(id) && statSync(this.#path(id), { throwIfNoEntry: false }) !== undefined;
  }

  /** Deleting a missing session is not an error. */
  delete(id: string): void {
    if (SAFE_ID.test(id)) rmSync(this.#path(id), { force: true });
  }

  /** Every stored session, the most recently used first. */
  list(): SessionInfo[] {
    if (!statSync(this.#directory, { throwIfNoEntry: false })) return [];
    const found = readdirSync(this.#directory)
      .filter((name) => name.endsWith(FILE_SUFFIX))
      .flatMap((name) => this.#readInfo(join(this.#directory, name)) ?? []);
    return found.sort((a, b) => (order(a) < order(b) ? 1 : -1));
  }

  #readInfo(path: string): SessionInfo | undefined {
    const fd = openSync(path, "r");
    try {
      const head = Buffer.alloc(HEADER_BYTES_MAX);
      const length = readSync(fd, head, 0, HEADER_BYTES_MAX, 0);
      const [line = ""] = head.toString("utf8", 0, length).split("\n", 1);
      const record = parseRecord(line);
      if (record?.type !== "session") return undefined;
      return { sessionId: record.id, cwd: record.cwd, updatedAt: fstatSync(fd).mtime.toISOString() };
    } finally {
      closeSync(fd);
    }
  }

  #path(id: string): string {
    return join(this.#directory, `${id}${FILE_SUFFIX}`);
  }
}

/** Unique and sortable, so that a page can name the start of the next one. */
function order(info: SessionInfo): string {
  return `${info.updatedAt ?? ""} ${info.sessionId}`;
}

/** Sessions per answer to `session/list`. */
const LIST_PAGE_SESSIONS = 50;

/** One page of the sorted list; the cursor names the last session, so new ones shift nothing. */
export function listPage(
  sorted: readonly SessionInfo[],
  query: { cwd: string | undefined; cursor: string | undefined },
): ListSessionsResponse {
  const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor);
  const matching = sorted.filter(
    (info) => (query.cwd === undefined || info.cwd === query.cwd) && (after === undefined || order(info) < after),
  );
  const sessions = matching.slice(0, LIST_PAGE_SESSIONS);
  const last = sessions.at(-1);
  return last && matching.length > sessions.length ? { sessions, nextCursor: encodeCursor(order(last)) } : { sessions };
}

const CURSOR_PREFIX = "guide:";

function encodeCursor(position: string): string {
  return Buffer.from(CURSOR_PREFIX + position).toString("base64url");
}

function decodeCursor(cursor: string): string {
  const text = Buffer.from(cursor, "base64url").toString("utf8");
  if (!text.startsWith(CURSOR_PREFIX)) throw invalidParams("Unknown cursor.");
  return text.slice(CURSOR_PREFIX.length);
}
