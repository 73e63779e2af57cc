import { renameSync, rmSync, symlinkSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

/** What stands at `path` is a directory, then nothing, then a link that leads to `target`, then a directory again, as fast as it goes. */
interface Swap {
  readonly path: string;
  readonly aside: string;
  readonly target: string;
  /** One number: anything but 0 ends it. */
  readonly stop: SharedArrayBuffer;
}

export type SwapAnswer = { readonly swaps: number };

/** `using swapper = startSwapper(...)`: another thread that swaps until it is told to stop. */
export function startSwapper(swap: Omit<Swap, "stop">): { stop(): Promise<number> } {
  const stop = new SharedArrayBuffer(4);
  const worker = new Worker(import.meta.url);
  const answer = new Promise<number>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<SwapAnswer>) => resolve(data.swaps);
    worker.onerror = reject;
  });
  worker.postMessage({ ...swap, stop });
  return {
    async stop() {
      Atomics.store(new Int32Array(stop), 0, 1);
      const swaps = await answer;
      worker.terminate();
      return swaps;
    },
  };
}

function swapUntilStopped({ path, aside, target, stop }: Swap): number {
  const stopped = new Int32Array(stop);
  let swaps = 0;
  for (; Atomics.load(stopped, 0) === 0; swaps++) {
    renameSync(path, aside);
    putInPlace(path, () => symlinkSync(target, path));
    putInPlace(path, () => renameSync(aside, path));
  }
  return swaps;
}

/** A write of the victim's may have made a directory there in between, which goes; it may even grow while it goes. */
function putInPlace(path: string, put: () => void): void {
  for (;;) {
    try {
      rmSync(path, { recursive: true, force: true });
      put();
      return;
    } catch (error) {
      if (!(error instanceof Error && "code" in error)) throw error;
    }
  }
}

if (!isMainThread)
  self.onmessage = ({ data }: MessageEvent<Swap>) => {
    const answer: SwapAnswer = { swaps: swapUntilStopped(data) };
    self.postMessage(answer);
  };
