import { useEffect, useState } from "preact/hooks";
import { z } from "zod/mini";
import { CliType, SessionId } from "../../protocol/ids.ts";
import { AgentStatus } from "../../protocol/session-messages.ts";
import { elapsedWords } from "../../ui/words/time-words.ts";
import { askServer } from "../own-server.ts";

/** The part of `/api/status` that the page reads. */
export const AgentsStatus = z.object({
  agents: z.array(
    z.object({
      id: CliType,
      status: AgentStatus,
      busy: z.boolean(),
      pid: z.nullable(z.int()),
      memoryBytes: z.nullable(z.number()),
      uptimeMs: z.nullable(z.number()),
      restarts: z.int(),
    }),
  ),
  sessions: z.array(
    z.object({ id: SessionId, pid: z.optional(z.int()), memoryBytes: z.optional(z.nullable(z.number())) }),
  ),
  data: z.object({ path: z.string(), databaseBytes: z.number() }),
});
export type AgentsStatus = z.infer<typeof AgentsStatus>;
type AgentProcess = AgentsStatus["agents"][number];

/** Requests the running processes from the server; rejects if that fails. */
async function fetchAgentsStatus(): Promise<AgentsStatus> {
  const answer = await askServer("/api/status");
  if (!answer.ok) throw new Error(`the server returned ${answer.status}`);
  return AgentsStatus.parse(await answer.json());
}

const REFRESH_MS = 2_000;

type StatusReading =
  | { readonly phase: "reading" }
  | { readonly phase: "read"; readonly status: AgentsStatus }
  | { readonly phase: "failed" };

/** The running processes, refreshed while in view and when `asked` changes. */
export function useAgentsStatus(asked: unknown): StatusReading {
  const [reading, setReading] = useState<StatusReading>({ phase: "reading" });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isShown = true;
    const show = (next: StatusReading) => {
      if (!isShown) return;
      setReading(next);
      timer = setTimeout(read, REFRESH_MS);
    };
    const read = () => {
      fetchAgentsStatus().then(
        (status) => show({ phase: "read", status }),
        () => show({ phase: "failed" }),
      );
    };
    read();
    return () => {
      isShown = false;
      clearTimeout(timer);
    };
  }, [asked]);
  return reading;
}

const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;
const GIGABYTE = 1024 * MEGABYTE;
/** Keeps a figure and its unit on one line. */
const NO_BREAK = "\u00a0";

/** A process in short: id, memory, age, and restarts. */
export function processWords({ pid, memoryBytes, uptimeMs, restarts }: AgentProcess): readonly string[] {
  if (pid === null) return [];
  const facts = [
    `pid ${pid}`,
    ...(memoryBytes === null ? [] : [memoryWords(memoryBytes)]),
    ...(uptimeMs === null ? [] : [`up ${elapsedWords(uptimeMs)}`]),
    ...(restarts === 0 ? [] : [restarts === 1 ? "1 restart" : `${restarts} restarts`]),
  ];
  return facts.map((fact) => fact.replaceAll(" ", NO_BREAK));
}

/** "12 kB", "86 MB", "1.2 GB": rounded for people. */
export function memoryWords(bytes: number): string {
  if (bytes < MEGABYTE) return `${Math.ceil(bytes / KILOBYTE)} kB`;
  return bytes < GIGABYTE ? `${Math.round(bytes / MEGABYTE)} MB` : `${(bytes / GIGABYTE).toFixed(1)} GB`;
}

/** The state of an agent's process as one word. */
export const STATUS_WORDS: Readonly<Record<AgentStatus, string>> = {
  idle: "Idle",
  starting: "Starting",
  connected: "Connected",
  disconnected: "Disconnected",
  reconnecting: "Reconnecting",
};

export const STATUS_TAGS: Readonly<Record<AgentStatus, string>> = {
  idle: "tag",
  starting: "tag info",
  connected: "tag ok",
  disconnected: "tag error",
  reconnecting: "tag info",
};
