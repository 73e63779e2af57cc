import { readFileSync } from "node:fs";
import { freemem, totalmem } from "node:os";

const AVAILABLE_SHARE_MIN = 0.08;

/** True when the machine is short of memory: then idle agents are worth more as free memory. */
export function isMemoryShort(): boolean {
  return availableBytes() / totalmem() < AVAILABLE_SHARE_MIN;
}

/** Linux counts caches as used in `freemem`, but says elsewhere what could be had. */
function availableBytes(): number {
  if (process.platform !== "linux") return freemem();
  const kilobytes = /^MemAvailable:\s+(\d+) kB/m.exec(readFileSync("/proc/meminfo", "utf8"))?.[1];
  return kilobytes === undefined ? freemem() : Number(kilobytes) * 1024;
}
