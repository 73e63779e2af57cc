import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** SQLite's default for new databases, which ours have always had. */
const PAGE_BYTES_DEFAULT = 4_096;
const MAGIC = "SQLite format 3\0";
/** Offsets in the first 100 bytes of a database. */
const HEADER = {
  pageSize: 16,
  changes: 24,
  pages: 28,
  firstFree: 32,
  free: 36,
  userVersion: 60,
  validFor: 92,
} as const;
const WAL = { headerBytes: 32, frameHeaderBytes: 24, salt: 16, saltBytes: 8 } as const;
const BLOCK_PAGES = 256;
/** A tree of this depth would have more pages than a database can have. */
const DEPTH_MAX = 20;

/** Kinds of pages: the first byte of each page of a tree. */
const KIND = { indexInterior: 2, tableInterior: 5, indexLeaf: 10, tableLeaf: 13 } as const;

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isNullable: boolean;
  readonly fallback: string | null;
  /** Its place in the primary key, from 1; 0 outside it. */
  readonly key: number;
}

interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly hasRowNumbers: boolean;
}

export interface RebuiltSchema {
  /** For each table the names under which its parts can be read. */
  readonly parts: ReadonlyMap<string, readonly string[]>;
  /** Tables that were not found; they may have been empty. */
  readonly missing: readonly string[];
}

/** The version stored in a damaged database; null if its first page is lost. */
export function versionInHeader(path: string): number | null {
  if (statSync(path).size < HEADER.validFor) return null;
  const file = openSync(path, "r");
  const header = Buffer.alloc(HEADER.validFor);
  readSync(file, header, 0, header.byteLength, 0);
  closeSync(file);
  return hasMagic(header) ? header.readUInt32BE(HEADER.userVersion) : null;
}

/**
 * For a database whose list of tables is unreadable. Writes a copy with a new list: the trees of rows are found by
 * scanning every page, and are named by the rest of the old list, or by the form of their rows.
 * `model` is an empty database of the same schema. Null if no table is found; then no file is left.
 */
export function rebuildSchema(from: string, to: string, model: DatabaseSync): RebuiltSchema | null {
  const tables = tablesOf(model);
  const pages = new Pages(from, to);
  let roots: ReadonlyMap<number, Table>;
  try {
    roots = findRoots(pages, tables);
    if (roots.size > 0) pages.writeFirst(firstPage(to, pages.pageBytes));
  } finally {
    pages.close();
  }
  if (roots.size === 0) {
    rmSync(to, { force: true });
    return null;
  }
  const parts = writeList(to, roots);
  return { parts, missing: tables.map(({ name }) => name).filter((name) => !parts.has(name)) };
}

/** A copy of a database file with the contents of its write-ahead log, page by page. Pages count from 1. */
class Pages {
  readonly pageBytes: number;
  readonly count: number;
  /** Pages that SQLite has freed; they hold old rows. */
  readonly free: ReadonlySet<number>;
  readonly #file: number;

  constructor(from: string, to: string) {
    copyFileSync(from, to);
    this.#file = openSync(to, "r+");
    const header = Buffer.alloc(100);
    readSync(this.#file, header, 0, header.byteLength, 0);
    const { size } = statSync(from);
    const said = header.readUInt16BE(HEADER.pageSize);
    const isSaid = said >= 512 && (said & (said - 1)) === 0 && size % said === 0;
    this.pageBytes = isSaid ? said : PAGE_BYTES_DEFAULT;
    const logged = this.#addLog(`${from}-wal`);
    this.count = Math.max(Math.floor(size / this.pageBytes), logged);
    readSync(this.#file, header, 0, header.byteLength, 0);
    this.free = hasMagic(header) ? this.#freePages(header.readUInt32BE(HEADER.firstFree)) : new Set();
  }

  read(page: number): Buffer {
    const bytes = Buffer.alloc(this.pageBytes);
    readSync(this.#file, bytes, 0, this.pageBytes, (page - 1) * this.pageBytes);
    return bytes;
  }

  /** Every page after the first, in order. */
  *all(): Generator<{ readonly page: number; readonly bytes: Buffer }> {
    const block = Buffer.alloc(BLOCK_PAGES * this.pageBytes);
    for (let first = 1; first <= this.count; first += BLOCK_PAGES) {
      const length = readSync(this.#file, block, 0, block.byteLength, (first - 1) * this.pageBytes);
      for (let at = 0; at + this.pageBytes <= length; at += this.pageBytes) {
        const page = first + at / this.pageBytes;
        if (page > 1) yield { page, bytes: block.subarray(at, at + this.pageBytes) };
      }
    }
  }

  /** SQLite reads as much of the file as its first page states. */
  writeFirst(bytes: Buffer): void {
    bytes.writeUInt32BE(this.count, HEADER.pages);
    bytes.writeUInt32BE(0, HEADER.firstFree);
    bytes.writeUInt32BE(0, HEADER.free);
    bytes.writeUInt32BE(bytes.readUInt32BE(HEADER.changes), HEADER.validFor);
    writeSync(this.#file, bytes, 0, this.pageBytes, 0);
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Writes the pages of every whole transaction in it; the highest page that was written. */
  #addLog(path: string): number {
    if (!existsSync(path)) return 0;
    const log = readFileSync(path);
    const frameBytes = WAL.frameHeaderBytes + this.pageBytes;
    let highest = 0;
    let waiting: { readonly page: number; readonly at: number }[] = [];
    for (let frame = WAL.headerBytes; frame + frameBytes <= log.byteLength; frame += frameBytes) {
      if (log.compare(log, WAL.salt, WAL.salt + WAL.saltBytes, frame + 8, frame + 8 + WAL.saltBytes) !== 0) break;
      waiting.push({ page: log.readUInt32BE(frame), at: frame + WAL.frameHeaderBytes });
      if (log.readUInt32BE(frame + 4) === 0) continue;
      for (const { page, at } of waiting) {
        writeSync(this.#file, log, at, this.pageBytes, (page - 1) * this.pageBytes);
        highest = Math.max(highest, page);
      }
      waiting = [];
    }
    return highest;
  }

  #freePages(first: number): ReadonlySet<number> {
    const free = new Set<number>();
    for (let trunk = first; trunk > 0 && trunk <= this.count && !free.has(trunk); ) {
      free.add(trunk);
      const bytes = this.read(trunk);
      const leaves = Math.min(bytes.readUInt32BE(4), this.pageBytes / 4 - 2);
      for (let leaf = 0; leaf < leaves; leaf++) free.add(bytes.readUInt32BE(8 + 4 * leaf));
      trunk = bytes.readUInt32BE(0);
    }
    return free;
  }
}

/** Trees that no other page leads to, by the table they belong to. A damaged page in the middle of a tree leaves several. */
function findRoots(pages: Pages, tables: readonly Table[]): ReadonlyMap<number, Table> {
  const trees = new Set<number>();
  const children = new Set<number>();
  const named = new Map<number, string>();
  for (const { page, bytes } of pages.all()) {
    const places = cellsOf(bytes);
    if (!places || pages.free.has(page)) continue;
    const listed = bytes[0] === KIND.tableLeaf ? listedIn(bytes, places) : null;
    if (listed) for (const [root, name] of listed) named.set(root, name);
    else trees.add(page);
    for (const child of childrenOf(bytes, places)) children.add(child);
  }
  const roots = new Map<number, Table>();
  for (const page of trees) {
    if (children.has(page)) continue;
    const bytes = pages.read(page);
    const hasRowNumbers = bytes[0] === KIND.tableLeaf || bytes[0] === KIND.tableInterior;
    const name = named.get(page);
    const known = tables.find((table) => table.name === name && table.hasRowNumbers === hasRowNumbers);
    // One that is listed under another name is an index, or a table that is rebuilt automatically.
    const table = known ?? (name === undefined ? tableOfForm(pages, page, hasRowNumbers, tables) : undefined);
    if (table) roots.set(page, table);
  }
  return roots;
}

/** Where the cells of a page of a tree begin; null for any other page. */
function cellsOf(bytes: Buffer): readonly number[] | null {
  const kind = bytes[0];
  const isInterior = kind === KIND.tableInterior || kind === KIND.indexInterior;
  if (!isInterior && kind !== KIND.tableLeaf && kind !== KIND.indexLeaf) return null;
  const start = isInterior ? 12 : 8;
  const count = bytes.readUInt16BE(3);
  if (start + 2 * count > bytes.byteLength) return null;
  const places = Array.from({ length: count }, (_, cell) => bytes.readUInt16BE(start + 2 * cell));
  return places.every((place) => place >= start + 2 * count && place + 4 <= bytes.byteLength) ? places : null;
}

function childrenOf(bytes: Buffer, places: readonly number[]): readonly number[] {
  if (bytes[0] === KIND.tableLeaf || bytes[0] === KIND.indexLeaf) return [];
  return [...places.map((place) => bytes.readUInt32BE(place)), bytes.readUInt32BE(8)];
}

/** The trees that a page of the list of tables names; null for a page of another table. */
function listedIn(bytes: Buffer, places: readonly number[]): readonly (readonly [number, string])[] | null {
  // The list names itself nowhere, and has never been empty.
  if (places.length === 0) return null;
  const listed: (readonly [number, string])[] = [];
  for (const place of places) {
    const values = recordAt(bytes, place);
    if (values?.length !== 5) return null;
    const [type, name, , root] = values.map(({ value }) => value);
    if (typeof type !== "string" || !/^(table|index|trigger|view)$/.test(type)) return null;
    if (typeof name === "string" && typeof root === "number" && root > 0) listed.push([root, name]);
  }
  return listed;
}

/** The one table whose rows look like the first row of this tree. */
function tableOfForm(pages: Pages, root: number, hasRowNumbers: boolean, tables: readonly Table[]): Table | undefined {
  let bytes = pages.read(root);
  for (let depth = 0; depth < DEPTH_MAX; depth++) {
    const places = cellsOf(bytes);
    const [first] = places ?? [];
    if (!places || first === undefined) return undefined;
    const [child] = childrenOf(bytes, places);
    if (child === undefined) {
      const values = recordAt(bytes, first);
      // Indexes look like tables without row numbers: only one with JSON can be distinguished.
      const fitting = tables.filter(
        (table) =>
          table.hasRowNumbers === hasRowNumbers &&
          (hasRowNumbers || table.columns.some(({ name }) => name === "json")) &&
          values !== null &&
          fits(table, values),
      );
      return fitting.length === 1 ? fitting[0] : undefined;
    }
    if (child > pages.count) return undefined;
    bytes = pages.read(child);
  }
  return undefined;
}

interface Value {
  readonly kind: "null" | "integer" | "real" | "blob" | "text";
  /** Numbers and short texts; undefined for values outside this page. */
  readonly value: string | number | undefined;
}

function fits({ columns, hasRowNumbers }: Table, values: readonly Value[]): boolean {
  const stored = hasRowNumbers
    ? columns
    : [
        ...columns.filter(({ key }) => key > 0).sort((one, other) => one.key - other.key),
        ...columns.filter(({ key }) => key === 0),
      ];
  if (values.length > stored.length) return false;
  return stored.every((column, index) => {
    const value = values[index];
    // A column that was added later is absent in older rows.
    if (!value) return column.isNullable || column.fallback !== null;
    if (isRowNumber(column, columns, hasRowNumbers)) return value.kind === "null";
    if (value.kind === "null") return column.isNullable;
    if (column.name === "json" && !(typeof value.value === "string" && /^[[{"]/.test(value.value))) return false;
    return column.type === "REAL"
      ? value.kind === "real" || value.kind === "integer"
      : value.kind === column.type.toLowerCase();
  });
}

/** An integer that is the whole primary key is the row number, and is not stored a second time. */
function isRowNumber(column: Column, columns: readonly Column[], hasRowNumbers: boolean): boolean {
  return (
    hasRowNumbers && column.key > 0 && column.type === "INTEGER" && columns.filter(({ key }) => key > 0).length === 1
  );
}

const TEXT_BYTES_READ = 200;

/** The values of the record in a cell of a leaf; null for anything else. */
function recordAt(bytes: Buffer, place: number): readonly Value[] | null {
  const payload = varint(bytes, place);
  const header = bytes[0] === KIND.tableLeaf ? varint(bytes, payload.next).next : payload.next;
  const size = varint(bytes, header);
  const headerEnd = header + size.value;
  if (headerEnd > bytes.byteLength || size.value > payload.value) return null;
  const values: Value[] = [];
  let at = headerEnd;
  for (let next = size.next; next < headerEnd; ) {
    const serial = varint(bytes, next);
    next = serial.next;
    const length = lengthOf(serial.value);
    if (length === null) return null;
    values.push({ kind: kindOf(serial.value), value: decodeValue(bytes, at, serial.value, length) });
    at += length;
  }
  return values;
}

function kindOf(serial: number): Value["kind"] {
  if (serial === 0) return "null";
  if (serial === 7) return "real";
  if (serial < 12) return "integer";
  return serial % 2 === 0 ? "blob" : "text";
}

function lengthOf(serial: number): number | null {
  if (serial >= 12) return Math.floor((serial - 12) / 2);
  return [0, 1, 2, 3, 4, 6, 8, 8, 0, 0][serial] ?? null;
}

function decodeValue(bytes: Buffer, at: number, serial: number, length: number): Value["value"] {
  if (serial === 8 || serial === 9) return serial - 8;
  if (serial >= 1 && serial <= 5 && at + length <= bytes.byteLength) return bytes.readIntBE(at, length);
  if (serial < 13 || serial % 2 === 0 || at >= bytes.byteLength) return undefined;
  return bytes.toString("utf8", at, at + Math.min(length, TEXT_BYTES_READ));
}

function varint(bytes: Buffer, place: number): { readonly value: number; readonly next: number } {
  let value = 0;
  for (let index = 0; index < 8; index++) {
    const byte = bytes[place + index] ?? 0;
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return { value, next: place + index + 1 };
  }
  return { value: value * 256 + (bytes[place + 8] ?? 0), next: place + 9 };
}

/** The first page of a database without tables. */
function firstPage(beside: string, pageBytes: number): Buffer {
  const path = `${beside}.empty`;
  rmSync(path, { force: true });
  const empty = new DatabaseSync(path);
  empty.exec(`PRAGMA page_size = ${pageBytes}; VACUUM; PRAGMA user_version = 1`);
  empty.close();
  const bytes = readFileSync(path).subarray(0, pageBytes);
  rmSync(path, { force: true });
  return Buffer.from(bytes);
}

/** SQLite does not allow writing its list of tables unless enabled. */
const UNGUARDED = { readOnly: false, defensive: false };

function writeList(path: string, roots: ReadonlyMap<number, Table>): ReadonlyMap<string, readonly string[]> {
  const parts = new Map<string, string[]>();
  const db = new DatabaseSync(path, UNGUARDED);
  try {
    db.exec("PRAGMA journal_mode = OFF; PRAGMA writable_schema = ON");
    const add = db.prepare(
      "INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES ('table', ?, ?, ?, ?)",
    );
    for (const [root, table] of roots) {
      const known = parts.get(table.name) ?? [];
      const name = `${table.name}~${known.length + 1}`;
      add.run(name, name, root, definition(name, table));
      parts.set(table.name, [...known, name]);
    }
  } finally {
    db.close();
  }
  return parts;
}

/** As much of the definition as is needed to read rows: an index or a condition would need trees that are not listed. */
function definition(name: string, { columns, hasRowNumbers }: Table): string {
  const parts = columns.map((column) => {
    const key = isRowNumber(column, columns, hasRowNumbers) ? " PRIMARY KEY" : "";
    return `"${column.name}" ${column.type}${key}${column.fallback === null ? "" : ` DEFAULT ${column.fallback}`}`;
  });
  if (hasRowNumbers) return `CREATE TABLE "${name}" (${parts.join(", ")})`;
  const key = columns.filter((column) => column.key > 0).sort((one, other) => one.key - other.key);
  return `CREATE TABLE "${name}" (${parts.join(", ")}, PRIMARY KEY (${key.map((column) => `"${column.name}"`).join(", ")})) WITHOUT ROWID`;
}

function tablesOf(model: DatabaseSync): readonly Table[] {
  return model
    .prepare(
      "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'search_%'",
    )
    .all()
    .map(({ name, sql }) => ({
      name: String(name),
      hasRowNumbers: !/WITHOUT ROWID/i.test(String(sql)),
      columns: model
        .prepare("SELECT * FROM pragma_table_info(?)")
        .all(String(name))
        .map((column) => ({
          name: String(column["name"]),
          type: String(column["type"]),
          isNullable: column["notnull"] === 0 && column["pk"] === 0,
          fallback: column["dflt_value"] === null ? null : String(column["dflt_value"]),
          key: Number(column["pk"]),
        })),
    }));
}

function hasMagic(header: Buffer): boolean {
  return header.toString("latin1", 0, MAGIC.length) === MAGIC;
}
