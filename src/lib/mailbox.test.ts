import { describe, expect, it } from "bun:test";
import { Mailbox } from "./mailbox.ts";

function scene(holdMs = 16, itemsMax = 100, work: () => Promise<void> = async () => undefined) {
  let now = 0;
  const batches: number[][] = [];
  const errors: unknown[] = [];
  const mailbox = new Mailbox<number>({
    itemsMax,
    holdMs: () => holdMs,
    now: () => now,
    handle: async (batch) => {
      batches.push([...batch]);
      if (batch.includes(-1)) throw new Error("asked to fail");
      await work();
    },
    onError: (error) => errors.push(error),
  });
  return { mailbox, batches, errors, advance: (ms: number) => (now += ms) };
}

/** Everything due has been handled. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe("Mailbox", () => {
  it("passes on a burst as one batch, in arrival order", async () => {
    const { mailbox, batches } = scene();
    for (const item of [1, 2, 3]) mailbox.post(item);
    await turn();
    expect(batches).toEqual([[1, 2, 3]]);
  });

  it("passes on the first held item at once and holds the next ones back", async () => {
    const { mailbox, batches } = scene(1_000_000);
    mailbox.post(1, "soon");
    await turn();
    mailbox.post(2, "soon");
    mailbox.post(3, "soon");
    await turn();
    expect(batches).toEqual([[1]]);
    await mailbox.flush();
    expect(batches).toEqual([[1], [2, 3]]);
  });

  it("NFR-2 urgent items do not delay the first held item after them", async () => {
    const { mailbox, batches } = scene();
    mailbox.post(1, "now");
    await turn();
    mailbox.post(2, "soon");
    await turn();
    expect(batches).toEqual([[1], [2]]);
  });

  it("an urgent item includes the held ones, in order", async () => {
    const { mailbox, batches } = scene();
    mailbox.post(1, "soon");
    await turn();
    mailbox.post(2, "soon");
    mailbox.post(3, "now");
    await turn();
    expect(batches).toEqual([[1], [2, 3]]);
  });

  it("holds no more than its limit", async () => {
    const { mailbox, batches } = scene(1_000_000, 3);
    mailbox.post(0, "soon");
    await turn();
    for (const item of [1, 2, 3]) mailbox.post(item, "soon");
    await turn();
    expect(batches).toEqual([[0], [1, 2, 3]]);
  });

  it("continues after a failed batch", async () => {
    const { mailbox, batches, errors } = scene();
    mailbox.post(-1);
    await turn();
    mailbox.post(2);
    await turn();
    expect(batches).toEqual([[-1], [2]]);
    expect(errors).toHaveLength(1);
  });

  it("collects items that arrive while a batch is handled, and passes them on afterwards", async () => {
    const { promise: handled, resolve } = Promise.withResolvers<void>();
    const { mailbox, batches } = scene(16, 100, () => handled);
    mailbox.post(1);
    await turn();
    mailbox.post(2);
    mailbox.post(3, "soon");
    const flushed = mailbox.flush();
    await turn();
    expect(batches).toEqual([[1]]);
    resolve();
    await flushed;
    expect(batches).toEqual([[1], [2, 3]]);
  });

  it("a flush waits for items posted before it, and not for later ones", async () => {
    const later = Promise.withResolvers<void>();
    const { mailbox, batches } = scene(16, 100, async () => {
      if (batches.length === 1) mailbox.post(2);
      else await later.promise;
    });
    mailbox.post(1);
    await mailbox.flush();
    expect(batches[0]).toEqual([1]);
    later.resolve();
    await mailbox.flush();
    expect(batches).toEqual([[1], [2]]);
  });
});
