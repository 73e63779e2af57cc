import { describe, expect, it } from "bun:test";
import type { PushSubscription } from "../../src/ports/push-store.ts";
import { NOW } from "../core/names.ts";
import { type OpenStores, openScene } from "./open-scene.ts";

const subscription = (endpoint: string, extra: Partial<PushSubscription> = {}): PushSubscription => ({
  ...{ endpoint, deviceId: "phone", publicKey: "key", auth: "auth", ...extra },
});

async function scene(open: OpenStores) {
  const at = await openScene(open);
  for (const id of ["phone", "laptop"])
    await at.stores.devices.put({
      ...{ id, secretHash: `hash of ${id}`, tokenMark: "token", name: id },
      ...{ createdAt: NOW, lastSeenAt: NOW, isRevoked: false, personId: null },
    });
  return at;
}

export function describePushStore(name: string, open: OpenStores): void {
  describe(`${name}: PushStore`, () => {
    it("keeps where browsers want notices, in the order of time, over a restart; the same address is replaced", async () => {
      await using at = await scene(open);
      const later = "2026-01-02T00:00:00.000Z";
      await at.stores.pushes.put(subscription("https://push.example/b"), NOW);
      await at.stores.pushes.put(subscription("https://push.example/a"), later);
      const again = subscription("https://push.example/b", { deviceId: "laptop", publicKey: "new", auth: "new" });
      await at.stores.pushes.put(again, "2026-01-03T00:00:00.000Z");
      await at.reopen();
      expect(await at.stores.pushes.list()).toEqual([subscription("https://push.example/a"), again]);
    });

    it("one that is removed is gone, and those of a device go with it; an unknown device gets none", async () => {
      await using at = await scene(open);
      const { pushes, devices } = at.stores;
      await pushes.put(subscription("https://push.example/a"), NOW);
      await pushes.put(subscription("https://push.example/b"), NOW);
      await pushes.put(subscription("https://push.example/c", { deviceId: "laptop" }), NOW);
      await pushes.remove("https://push.example/b");
      await pushes.remove("https://push.example/b");
      await devices.delete("phone");
      expect((await pushes.list()).map(({ endpoint }) => endpoint)).toEqual(["https://push.example/c"]);
      await expect(pushes.put(subscription("https://push.example/d", { deviceId: "nobody" }), NOW)).rejects.toThrow();
      expect(await pushes.list()).toHaveLength(1);
    });
  });
}
