import type { Agents } from "../../../ports/agents.ts";
import type { ProjectStore } from "../../../ports/project-store.ts";
import type { SessionLog } from "../../../ports/session-log.ts";
import type { TransferStore } from "../../../ports/transfer-store.ts";
import { isoTime, type World } from "../../../ports/world.ts";
import { type Entry, Part } from "../../../protocol/entry.ts";
import type { SessionId } from "../../../protocol/ids.ts";
import { EXPORT_FORMAT, EXPORT_VERSION, type ExportSource, type ExportWriter } from "../export-document.ts";
import { writeMarkdown } from "./write-markdown.ts";

/** Entries per read: a session of any length is exported through this window. */
const RUN_ENTRIES = 32;

const FORMS = {
  md: { writer: async () => writeMarkdown, contentType: "text/markdown; charset=utf-8", isWhole: false },
  // Loaded on first use: with its grammars it would slow down every start of the server.
  html: {
    writer: async () => (await import("./write-html.ts")).writeHtml,
    contentType: "text/html; charset=utf-8",
    isWhole: false,
  },
  json: { writer: async () => writeJson, contentType: "application/json; charset=utf-8", isWhole: true },
} as const satisfies Readonly<Record<string, Form>>;

interface Form {
  readonly writer: () => Promise<ExportWriter>;
  readonly contentType: string;
  /** Long outputs are complete instead of having only their two ends. */
  readonly isWhole: boolean;
}

type ExportForm = keyof typeof FORMS;

export function isExportForm(name: string): name is ExportForm {
  return Object.hasOwn(FORMS, name);
}

interface ExportServiceDeps {
  readonly world: World;
  readonly log: SessionLog;
  readonly store: TransferStore;
  readonly projects: ProjectStore;
  readonly agents: Agents;
}

/** A document being exported. */
export interface Export {
  readonly fileName: string;
  readonly contentType: string;
  readonly pieces: () => AsyncGenerator<string>;
}

export class ExportService {
  readonly #deps: ExportServiceDeps;

  constructor(deps: ExportServiceDeps) {
    this.#deps = deps;
  }

  /** Null for an unknown session. */
  async export(sessionId: SessionId, form: ExportForm): Promise<Export | null> {
    return this.#document(sessionId, form, await FORMS[form].writer());
  }

  async #document(sessionId: SessionId, form: ExportForm, write: ExportWriter): Promise<Export | null> {
    const { contentType, isWhole } = FORMS[form];
    const source = await this.#source(sessionId, isWhole);
    if (!source) return null;
    return {
      fileName: `${fileName(source.session.title)}.${form}`,
      contentType,
      pieces: () => write(source),
    };
  }

  async #source(sessionId: SessionId, isWhole: boolean): Promise<ExportSource | null> {
    const { log, projects, agents, world } = this.#deps;
    const stored = await log.load(sessionId);
    if (!stored) return null;
    const { row, state } = stored;
    return {
      session: {
        title: state.title,
        titleSource: state.titleSource,
        cliType: row.cliType,
        agentName: agents.find(row.cliType)?.name ?? row.cliType,
        projectName: (await projects.get(row.projectId))?.name ?? "",
        createdAt: row.createdAt,
        lastActiveAt: row.lastActiveAt,
        usage: state.config.usage,
      },
      directory: stored.binding.cwd,
      now: () => world.now(),
      exportedAt: isoTime(world),
      runs: () => this.#runs(sessionId, state.open, isWhole),
    };
  }

  /** Settled entries in batches, then those of the running turn. */
  async *#runs(sessionId: SessionId, open: readonly Entry[], isWhole: boolean): AsyncGenerator<readonly Entry[]> {
    const { log, store } = this.#deps;
    const told = async (entries: readonly Entry[]) =>
      isWhole ? Promise.all(entries.map((entry) => wholeEntry(log, sessionId, entry))) : entries;
    const seen = new Set(open.map(({ entryId }) => entryId));
    for (let position: number | null = 0; position !== null; ) {
      const { entries, next } = await store.entriesAfter(sessionId, position, RUN_ENTRIES);
      // The turn may end during the export: entries that were open then have settled, and are written once.
      for (const { entryId } of entries) seen.delete(entryId);
      yield await told(entries);
      position = next;
    }
    yield await told(open.filter(({ entryId }) => seen.has(entryId)));
  }
}

const NAME_CHARS_MAX = 60;
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/** A title as a file name for every system: letters, digits and dashes, in any script. */
function fileName(title: string): string {
  const words = title.normalize("NFC").replace(/[^\p{L}\p{N}]+/gu, "-");
  const name = [...words]
    .slice(0, NAME_CHARS_MAX)
    .join("")
    .replace(/^-+|-+$/g, "");
  return name === "" || RESERVED.test(name) ? `session${name === "" ? "" : `-${name}`}` : name;
}

/** An entry with the long texts that are stored separately; text that was too long to store stays shortened and says so. */
async function wholeEntry(log: SessionLog, sessionId: SessionId, entry: Entry): Promise<Entry> {
  if (entry.type !== "tool-call" && entry.type !== "assistant") return entry;
  const { entryId, parts } = entry;
  const textOf = async (part: number | null): Promise<string | null> =>
    (await log.output(sessionId, { entryId, part, from: 0, charsMax: Number.MAX_SAFE_INTEGER }))?.content ?? null;
  const whole = parts?.map(async (part, index) =>
    "truncated" in part && part.truncated ? wholePart(part, await textOf(index)) : part,
  );
  const grown = { ...entry, ...(whole && { parts: await Promise.all(whole) }) };
  if (grown.type !== "tool-call" || !grown.truncated) return grown;
  const { truncated, ...rest } = grown;
  const result = await textOf(null);
  return result === null || result.length < truncated.totalChars ? grown : { ...rest, result };
}

function wholePart(part: Part, json: string | null): Part {
  if (json === null) return part;
  try {
    return Part.parse(JSON.parse(json));
  } catch (error) {
    // Truncated to the limit of one text, it is no longer a complete part.
    if (error instanceof SyntaxError) return part;
    throw error;
  }
}

/** The format that can be imported again: one entry per line, exactly as stored. */
export async function* writeJson({ session, exportedAt, runs }: ExportSource): AsyncGenerator<string> {
  const head = JSON.stringify({ format: EXPORT_FORMAT, version: EXPORT_VERSION, exportedAt, session }, null, 1);
  yield `${head.slice(0, -2)},\n "entries": [`;
  let before = "\n";
  for await (const entries of runs()) {
    for (const entry of entries) {
      yield `${before}${JSON.stringify(withoutCommand(entry))}`;
      before = ",\n";
    }
  }
  yield "\n]}\n";
}

/** The id of its command is meaningful to this server only. */
function withoutCommand(entry: Entry): Entry {
  if (entry.type !== "user") return entry;
  const { commandId: _, ...rest } = entry;
  return rest;
}
