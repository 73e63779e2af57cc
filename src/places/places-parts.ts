import type { FirstUse } from "../lib/first-use.ts";
import type { FlowGate } from "../lib/flow-gate.ts";
import type { PlaceStanding } from "../protocol/places.ts";
import type { TerminalInfo } from "../protocol/terminals.ts";
import type { FileSearch } from "../workspace/file-search.ts";
import type { DialInParts } from "./dial-ins.ts";
import type { Place } from "./place.ts";
import type { ServeTools } from "./tool-calls.ts";

/** Stores the identity of this server for the runners of places. */
interface IdentityFile {
  /** Null if it is not there. */
  read(): string | null;
  write(text: string): void;
}

/** What sessions say about their pods. */
interface PodSessions {
  /** Of the projects at a place. */
  at(place: string): Promise<readonly { readonly id: string; readonly archived: boolean }[]>;
  cwdOf(sessionId: string): Promise<string | null>;
}

export interface PlacesParts {
  /** As config.json is now: a place that was just added or changed is used at once. */
  readonly configured: () => readonly Place[];
  readonly identity: IdentityFile;
  /** Several servers use the places as one: each must lead to the same machine from all of them. */
  readonly isShared: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly release: string;
  readonly newId: () => string;
  readonly limits: { readonly holdMs: number; readonly checkpointBytes: number };
  readonly workspace: { readonly checkpoints: boolean; readonly vaultBytesMax: number };
  /** While it is closed, nothing is read from places. */
  readonly flow: FlowGate;
  /** Files on this machine. */
  readonly files: FirstUse<FileSearch>;
  /** The connection to a place was lost while agents run there (a sentence), or is back (null). */
  readonly onCut: (place: string, reason: string | null) => void;
  /** A terminal at a place has changed. */
  readonly onTerminal: (terminal: TerminalInfo) => void;
  readonly onStanding: (place: string, standing: PlaceStanding) => void;
  readonly sessions: PodSessions;
  /** Rejects if another server of the team works by now. */
  readonly confirm: () => Promise<void>;
  /** For the places that dial in. */
  readonly dialIn: DialInParts;
  /** Answers calls of our tools by agents at places. */
  readonly serveTools: ServeTools;
  readonly warn: (text: string) => void;
  readonly onError: (error: unknown) => void;
}
