import { describe, expect, it } from "bun:test";
import type { FactBody } from "../../src/protocol/facts.ts";
import { EMPTY_CONFIG, type Usage } from "../../src/protocol/session-parts.ts";
import { NOW, PROJECT, SESSION, turnId } from "../core/names.ts";
import { type OpenStores, openScene } from "./open-scene.ts";

const used = (tokens: number, amount: number, extra: Partial<Usage> = {}): FactBody => ({
  type: "session:config",
  config: { ...EMPTY_CONFIG, usage: { used: tokens, size: 100, tokens, cost: { amount, currency: "USD" }, ...extra } },
});
const turn = (state: "running" | "idle", id: string): FactBody => ({
  type: "session:turn",
  turn: { state, turnId: turnId(id), startedAt: NOW },
});
const by = (account: string | null, at = NOW) => ({ payer: { at, account } });

export function describeUsageStore(name: string, open: OpenStores): void {
  describe(`${name}: UsageStore`, () => {
    const all = async (at: Awaited<ReturnType<typeof openScene>>) =>
      (await at.stores.usage.since("", 99)).map(({ tokens, cost, account }) => ({ tokens, cost, account }));

    it("X-43 books each report once, by turn, over restarts and after its session is gone", async () => {
      await using at = await openScene(open);
      await at.writer.write([turn("running", "a"), used(10, 0.25)], by("work"));
      await at.reopen();
      await at.writer.write([used(30, 0.75), turn("idle", "a"), turn("running", "b")], by("work"));
      await at.writer.write([used(30, 0.75), used(31, 1)], by(null, "2026-02-02T00:00:00.000Z"));
      await at.reopen();
      const booked = [
        { tokens: 1, cost: 0.25, account: null },
        { tokens: 30, cost: 0.75, account: "work" },
      ];
      expect(await all(at)).toEqual(booked);
      expect((await at.stores.usage.since("2026-02-01", 9)).map(({ tokens }) => tokens)).toEqual([1]);
      await at.log.delete(SESSION, null);
      expect(await all(at)).toEqual(booked);
      expect((await at.stores.usage.since("", 1))[0]).toMatchObject({ projectId: PROJECT, currency: "USD" });
    });

    it("X-43 counts neither what an agent remembers from elsewhere nor what an import brings, nor a smaller report", async () => {
      await using at = await openScene(open);
      await at.writer.write([used(100, 5)]);
      expect(await all(at)).toEqual([]);
      await at.writer.write([used(100, 9, { costRemembered: 4 })], by(null));
      expect(await all(at)).toEqual([]);
      await at.writer.write([used(90, 8, { costRemembered: 4 })], by(null));
      expect(await all(at)).toEqual([]);
      await at.writer.write([used(91, 8.5, { costRemembered: 4 })], by(null));
      expect(await all(at)).toEqual([{ tokens: 1, cost: 0.5, account: null }]);
    });
  });
}
