import { readFileSync } from "node:fs";

/** Resident memory of a process, or null where the system does not tell. */
export function processMemoryBytes(pid: number): number | null {
  if (process.platform !== "linux") return null;
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  } catch (error) {
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}
