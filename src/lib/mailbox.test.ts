import { describe, expect, it } from "bun:test";
import { Mailbox } from "./mailbox.ts";

function scene(holdMs = 16, itemsMax = 100) {
  let now = 0;
  const batches: number[][] = [];
  const errors: unknown[] = [];
  const mailbox = new Mailbox<number>({
    itemsMax,
    holdMs: () => holdMs,
    now: () => now,
    handle: (batch) => {
      batches.push([...batch]);
      if (batch.includes(-1)) throw new Error("asked to fail");
    },
    onError: (error) => errors.push(error),
  });
  return { mailbox, batches, errors, advance: (ms: number) => (now += ms) };
}

describe("Mailbox", () => {
  it("hands over a burst as one batch, in arrival order", async () => {
    const { mailbox, batches } = scene();
    for (const item of [1, 2, 3]) mailbox.post(item);
    await null;
    expect(batches).toEqual([[1, 2, 3]]);
  });

  it("lets the first held item go at once and holds the next ones back", async () => {
    const { mailbox, batches } = scene();
    mailbox.post(1, "soon");
    await null;
    mailbox.post(2, "soon");
    mailbox.post(3, "soon");
    await null;
    expect(batches).toEqual([[1]]);
    mailbox.flush();
    expect(batches).toEqual([[1], [2, 3]]);
  });

  it("NFR-2 what was urgent does not hold back the first held item after it", async () => {
    const { mailbox, batches } = scene();
    mailbox.post(1, "now");
    await null;
    mailbox.post(2, "soon");
    await null;
    expect(batches).toEqual([[1], [2]]);
  });

  it("an urgent item takes the held ones along, in order", async () => {
    const { mailbox, batches } = scene();
    mailbox.post(1, "soon");
    await null;
    mailbox.post(2, "soon");
    mailbox.post(3, "now");
    await null;
    expect(batches).toEqual([[1], [2, 3]]);
  });

  it("holds no more than its limit", async () => {
    const { mailbox, batches } = scene(1_000_000, 3);
    mailbox.post(0, "soon");
    await null;
    for (const item of [1, 2, 3]) mailbox.post(item, "soon");
    await null;
    expect(batches).toEqual([[0], [1, 2, 3]]);
  });

  it("goes on after a batch that failed", async () => {
    const { mailbox, batches, errors } = scene();
    mailbox.post(-1);
    await null;
    mailbox.post(2);
    await null;
    expect(batches).toEqual([[-1], [2]]);
    expect(errors).toHaveLength(1);
  });
});
