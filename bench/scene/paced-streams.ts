import { CHUNK, type CommitBurst } from "./next-commit.ts";

/** Sessions that stream at even distances from each other. */
interface Pace {
  /** Of one session, from chunk to chunk. */
  readonly everyMs: number;
  readonly seconds: number;
}

const MS_PER_S = 1_000;

/** How long each chunk waited until it was durable, in ms; chunks that are overdue form one burst. */
export async function streamPaced(
  writers: readonly CommitBurst[],
  { everyMs, seconds }: Pace,
): Promise<readonly number[]> {
  const waits: number[] = [];
  const sessions = writers.length;
  const chunks = Math.round((seconds * MS_PER_S) / everyMs);
  const from = performance.now() + everyMs;
  const stream = async (write: CommitBurst, nth: number) => {
    const dueAt = (chunk: number) => from + (chunk + nth / sessions) * everyMs;
    for (let chunk = 0; chunk < chunks; ) {
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueAt(chunk) - performance.now())));
      const now = performance.now();
      let burst = 1;
      while (chunk + burst < chunks && dueAt(chunk + burst) <= now) burst += 1;
      await write(Array.from({ length: burst }, () => CHUNK));
      const durableAt = performance.now();
      // A timer fires up to a millisecond early, or late on a quiet machine: of one session, only the commit counts.
      for (let at = chunk; at < chunk + burst; at += 1)
        waits.push(durableAt - (sessions === 1 ? now : Math.min(now, dueAt(at))));
      chunk += burst;
    }
  };
  await Promise.all(writers.map(stream));
  return waits;
}
