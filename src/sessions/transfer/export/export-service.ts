import type { Agents } from "../../../ports/agents.ts";
import type { ProjectStore } from "../../../ports/project-store.ts";
import type { SessionLog } from "../../../ports/session-log.ts";
import type { TransferStore } from "../../../ports/transfer-store.ts";
import { isoTime, type World } from "../../../ports/world.ts";
import type { Entry } from "../../../protocol/entry.ts";
import type { SessionId } from "../../../protocol/ids.ts";
import type { ExportSource, ExportWriter } from "../export-document.ts";
import { fileName } from "./file-name.ts";
import { writeHtml } from "./write-html.ts";
import { writeJson } from "./write-json.ts";
import { writeMarkdown } from "./write-markdown.ts";

/** Entries read at once: a session of any length goes out through this window. */
const RUN_ENTRIES = 32;

const FORMS = {
  md: { write: writeMarkdown, contentType: "text/markdown; charset=utf-8" },
  html: { write: writeHtml, contentType: "text/html; charset=utf-8" },
  json: { write: writeJson, contentType: "application/json; charset=utf-8" },
} as const satisfies Readonly<Record<string, { readonly write: ExportWriter; readonly contentType: string }>>;

export type ExportForm = keyof typeof FORMS;

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

/** A document on its way out. */
export interface Export {
  readonly fileName: string;
  readonly contentType: string;
  readonly pieces: () => Generator<string>;
}

export class ExportService {
  readonly #deps: ExportServiceDeps;

  constructor(deps: ExportServiceDeps) {
    this.#deps = deps;
  }

  /** Null for a session nobody knows. */
  export(sessionId: SessionId, form: ExportForm): Export | null {
    const source = this.#source(sessionId);
    if (!source) return null;
    const { write, contentType } = FORMS[form];
    return {
      fileName: `${fileName(source.session.title)}.${form}`,
      contentType,
      pieces: () => write(source),
    };
  }

  #source(sessionId: SessionId): ExportSource | null {
    const { log, projects, agents, world } = this.#deps;
    const stored = log.load(sessionId);
    if (!stored) return null;
    const { row, state } = stored;
    return {
      session: {
        title: state.title,
        titleSource: state.titleSource,
        cliType: row.cliType,
        agentName: agents.find(row.cliType)?.name ?? row.cliType,
        projectName: projects.get(row.projectId)?.name ?? "",
        createdAt: row.createdAt,
        lastActiveAt: row.lastActiveAt,
        usage: state.config.usage,
      },
      exportedAt: isoTime(world),
      runs: () => this.#runs(sessionId, state.open),
    };
  }

  /** What has settled, run by run, then what the running turn has so far. */
  *#runs(sessionId: SessionId, open: readonly Entry[]): Generator<readonly Entry[]> {
    const seen = new Set(open.map(({ entryId }) => entryId));
    for (let position: number | null = 0; position !== null; ) {
      const { entries, next } = this.#deps.store.entriesAfter(sessionId, position, RUN_ENTRIES);
      // The turn may end while the document goes out: what was open then has settled and is told once.
      for (const { entryId } of entries) seen.delete(entryId);
      yield entries;
      position = next;
    }
    yield open.filter(({ entryId }) => seen.has(entryId));
  }
}
