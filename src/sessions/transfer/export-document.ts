import { z } from "zod";
import type { Entry } from "../../protocol/entry.ts";
import { CliType } from "../../protocol/ids.ts";
import { TITLE_CHARS_MAX } from "../../protocol/limits.ts";
import { Usage } from "../../protocol/session-parts.ts";
import { TitleSource } from "../../protocol/session-schema.ts";

export const EXPORT_FORMAT = "liminal-builder-session";
export const EXPORT_VERSION = 1;

const time = z.string().refine((text) => !Number.isNaN(Date.parse(text)), "not a time");

/** What a document says of its session, besides what was said in it. */
export const ExportedSession = z.object({
  title: z.string().min(1).max(TITLE_CHARS_MAX),
  titleSource: TitleSource,
  cliType: CliType,
  agentName: z.string().max(200),
  projectName: z.string().max(1_000),
  createdAt: time,
  lastActiveAt: time,
  usage: z.nullable(Usage),
});
export type ExportedSession = z.infer<typeof ExportedSession>;

/** Everything of a document but its entries. */
export const ExportHead = z.object({
  format: z.literal(EXPORT_FORMAT),
  version: z.literal(EXPORT_VERSION),
  exportedAt: time,
  session: ExportedSession,
});

/** A session on its way out; the entries come in runs, so that a long one is never held whole. */
export interface ExportSource {
  readonly session: ExportedSession;
  /** Where the session works. */
  readonly directory: string;
  /** The clock, in milliseconds. */
  readonly now: () => number;
  /** ISO 8601, UTC. */
  readonly exportedAt: string;
  readonly runs: () => AsyncIterable<readonly Entry[]>;
}

/** One form of a document, in pieces. */
export type ExportWriter = (source: ExportSource) => AsyncGenerator<string>;
