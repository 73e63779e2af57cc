import { describe, expect, it } from "bun:test";
import { NOW, SESSION } from "../core/names.ts";
import { type OpenStores, openScene } from "./open-scene.ts";

const LARGE = "x".repeat(200_000);

export function describeStorage(name: string, open: OpenStores): void {
  describe(`${name}: Storage`, () => {
    it("X-1 refuses nothing while everything can be stored, also after a mistake of the caller's", async () => {
      await using at = await openScene(open);
      expect(at.stores.storage.refusal()).toBeNull();
      await at.writer.fill(1);
      await expect(at.log.commit(SESSION, { ...at.writer.prepare([]), facts: at.writer.facts })).rejects.toThrow();
      expect(at.stores.storage.refusal()).toBeNull();
    });

    it("X-1 after a failed write it has advice, reads work, and a successful write ends it", async () => {
      await using at = await openScene(open);
      await at.writer.fill(3);
      const unblock = await at.block();
      await expect(at.log.saveReceipt({ commandId: "c", answer: LARGE, at: NOW })).rejects.toThrow();
      expect(at.stores.storage.refusal()).toMatchObject({ code: "STORAGE_UNWRITABLE" });
      expect(at.stores.storage.refusal()?.message).toMatch(/\w+ .*\./);
      expect(await at.log.readAfter(SESSION, 0, 9)).toHaveLength(3);
      expect(await at.log.receipt("c")).toBeNull();
      await unblock();
      await at.log.saveReceipt({ commandId: "c", answer: LARGE, at: NOW });
      expect(at.stores.storage.refusal()).toBeNull();
      expect(await at.log.receipt("c")).toBe(LARGE);
    });

    it("X-1 a commit that could not be stored is not shown, and the same one can be stored later", async () => {
      await using at = await openScene(open);
      const commit = {
        ...at.writer.prepare([{ type: "session:archived" }]),
        receipt: { commandId: "c", answer: LARGE, at: NOW },
      };
      const unblock = await at.block();
      await expect(at.log.commit(SESSION, commit)).rejects.toThrow();
      expect(await at.log.readAfter(SESSION, 0, 9)).toEqual([]);
      expect(at.log.recentAfter(SESSION, 0, 9) ?? []).toEqual([]);
      expect((await at.log.row(SESSION))?.archived).toBe(false);
      await unblock();
      await at.log.commit(SESSION, commit);
      expect(await at.log.readAfter(SESSION, 0, 9)).toHaveLength(1);
    });
  });
}
