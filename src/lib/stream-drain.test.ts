import { expect, it } from "bun:test";
import { StreamDrain } from "./stream-drain.ts";

const CHUNKS = 2_000;

/** Its content arrives in pieces, each in a later round of the event loop, as on a busy machine. */
function slowPipe(onCancel: () => void): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream({
    async pull(controller) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      // Another process holds it open.
      if (sent === CHUNKS) return new Promise<void>(() => undefined);
      sent += 1;
      controller.enqueue(new Uint8Array([sent % 256]));
    },
    cancel: onCancel,
  });
}

it("what was in the pipe when its writer ended is read, though the time is over before any of it has arrived", async () => {
  let chunks = 0;
  let isCancelled = false;
  const pipe = slowPipe(() => {
    isCancelled = true;
  });
  const drain = new StreamDrain(pipe, () => {
    chunks += 1;
  });
  await drain.endWithin(0);
  expect({ chunks, isCancelled }).toEqual({ chunks: CHUNKS, isCancelled: true });
});

it("a consumer without room is waited for, and then the rest is read", async () => {
  let chunks = 0;
  const room = Promise.withResolvers<void>();
  const drain = new StreamDrain(
    slowPipe(() => undefined),
    () => {
      chunks += 1;
      return chunks === 10 ? room.promise : null;
    },
  );
  const ended = drain.endWithin(0);
  for (let round = 0; round < 100; round += 1) await new Promise<void>((resolve) => setImmediate(resolve));
  expect(chunks).toBe(10);
  room.resolve();
  await ended;
  expect(chunks).toBe(CHUNKS);
});

it("one that writes without end is not waited for", async () => {
  let bytes = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024)),
  });
  const drain = new StreamDrain(endless, (chunk) => {
    bytes += chunk.byteLength;
    // As a pipe does, it takes a round to bring more.
    return new Promise<void>((resolve) => setImmediate(resolve));
  });
  await drain.endWithin(0);
  expect(bytes).toBeGreaterThanOrEqual(1024 * 1024);
});
