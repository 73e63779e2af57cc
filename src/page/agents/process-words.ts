import { elapsedWords } from "../../ui/words/time-words.ts";
import type { AgentProcess } from "./agents-status.ts";

const MEGABYTE = 1024 * 1024;
const GIGABYTE = 1024 * MEGABYTE;
/** A fact is not broken in the middle where the line is short. */
const NO_BREAK = "\u00a0";

/** A process in a few facts: which it is, how big, how old, and how often it had to come back. */
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

/** "86 MB", "1.2 GB": what a person compares, not what a machine counts. */
export function memoryWords(bytes: number): string {
  return bytes < GIGABYTE ? `${Math.round(bytes / MEGABYTE)} MB` : `${(bytes / GIGABYTE).toFixed(1)} GB`;
}
