import { cpuMs } from "../measure/process-cost.ts";
import { within } from "../measure/wait-until.ts";
import type { RawReader } from "./raw-reader.ts";
import type { StampRoute } from "./stamp-route.ts";
import { stampsIn } from "./stamps.ts";

/** The cost of one turn. */
export interface Passage {
  readonly latenciesMs: readonly number[];
  readonly cpuMs: number;
}

/** One turn of the agent, followed by some readers; the first of them reads the stamps. */
export async function pass(route: StampRoute, readerCount: number, prompt: string, chunks: number): Promise<Passage> {
  const readers: RawReader[] = [];
  for (let count = 0; count < readerCount; count++) readers.push(await route.openReader());
  try {
    const [first, ...others] = readers;
    if (!first) throw new Error("a passage needs a reader");
    const latenciesMs: number[] = [];
    const ends = others.map((reader) => endOf(reader, route.endSign));
    const end = endOf(first, route.endSign, (frame, at) => {
      for (const { writtenAt } of stampsIn(frame)) latenciesMs.push(at - writtenAt);
    });
    const before = cpuMs(route.pid);
    first.send(route.promptFrame(prompt));
    await within("the turn to end at every reader", Promise.all([end, ...ends]));
    const spent = cpuMs(route.pid) - before;
    if (latenciesMs.length !== chunks) throw new Error(`${latenciesMs.length} of ${chunks} chunks came through`);
    return { latenciesMs, cpuMs: spent };
  } finally {
    for (const reader of readers) reader[Symbol.dispose]();
  }
}

function endOf(reader: RawReader, sign: string, look?: (frame: string, at: number) => void): Promise<void> {
  const ended = Promise.withResolvers<void>();
  reader.onFrame = (frame, at) => {
    look?.(frame, at);
    if (frame.includes(sign)) ended.resolve();
  };
  return ended.promise;
}
