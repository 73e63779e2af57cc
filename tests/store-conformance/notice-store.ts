import { describe, expect, it } from "bun:test";
import type { NoticeMark } from "../../src/ports/notice-store.ts";
import { SessionId } from "../../src/protocol/ids.ts";
import { NOW, SESSION, turnId } from "../core/names.ts";
import { type OpenStores, openScene } from "./open-scene.ts";

const mark = (extra: Partial<NoticeMark> = {}): NoticeMark => ({
  subject: SESSION,
  targetId: "target",
  seq: 1,
  state: "sent",
  tries: 1,
  at: NOW,
  problem: null,
  ...extra,
});

export function describeNoticeStore(name: string, open: OpenStores): void {
  describe(`${name}: NoticeStore`, () => {
    it("CV-50 a mark is kept over a restart, one for each session and target, and a newer one replaces it", async () => {
      await using at = await openScene(open);
      await at.stores.notices.save(mark({ state: "sending" }));
      await at.stores.notices.save(mark({ seq: 2, tries: 2, state: "again", problem: "no answer" }));
      await at.stores.notices.save(mark({ targetId: "other" }));
      await at.reopen();
      expect(await at.stores.notices.mark(SESSION, "target")).toEqual(
        mark({ seq: 2, tries: 2, state: "again", problem: "no answer" }),
      );
      expect(await at.stores.notices.mark(SESSION, "other")).toEqual(mark({ targetId: "other" }));
      expect(await at.stores.notices.mark(SESSION, "nobody")).toBeNull();
    });

    it("CV-51 the newest notice of a target that arrived or failed is known; one under way is not counted", async () => {
      await using at = await openScene(open);
      const second = SessionId.parse("builtin:second");
      const third = SessionId.parse("builtin:third");
      for (const id of [second, third]) await at.addSession(id);
      const failed = mark({ subject: second, at: "2026-01-02T00:00:00.000Z", state: "failed", problem: "rejected" });
      expect(await at.stores.notices.lastOf("target")).toBeNull();
      for (const one of [mark(), failed, mark({ subject: third, at: "2026-01-03T00:00:00.000Z", state: "sending" })])
        await at.stores.notices.save(one);
      expect(await at.stores.notices.lastOf("target")).toEqual(failed);
      await at.log.delete(second, null);
      expect(await at.stores.notices.lastOf("target")).toEqual(mark());
    });

    it("CV-50 returns unread news with their time; seen and archived ones are left out", async () => {
      await using at = await openScene(open);
      const { notices } = at.stores;
      const idle = { type: "session:turn", turn: { state: "idle", turnId: turnId("t") } } as const;
      expect(await notices.attention(SESSION)).toEqual({ seq: 0, isUnread: false });
      await at.writer.write([idle], { lastActiveAt: NOW, attention: { seq: 1, isSeen: false } });
      expect(await notices.attention(SESSION)).toEqual({ seq: 1, isUnread: true });
      expect(await notices.unreadSince(NOW)).toEqual([SESSION]);
      expect(await notices.unreadSince("2999-01-01T00:00:00.000Z")).toEqual([]);
      await at.log.markSeen(SESSION, 1);
      expect(await notices.attention(SESSION)).toEqual({ seq: 1, isUnread: false });
      expect(await notices.unreadSince(NOW)).toEqual([]);
      await at.writer.write([idle], { lastActiveAt: NOW, attention: { seq: 2, isSeen: false } });
      expect(await notices.unreadSince(NOW)).toEqual([SESSION]);
      await at.writer.write([{ type: "session:archived" }]);
      expect(await notices.unreadSince(NOW)).toEqual([]);
      expect(await notices.attention(SessionId.parse("builtin:nobody"))).toBeNull();
    });
  });
}
