import { describe, expect, it } from "bun:test";
import type { StoredDevice } from "../../src/ports/device-store.ts";
import { NOW } from "../core/names.ts";
import { type OpenStores, openScene } from "./open-scene.ts";

function device(id: string, extra: Partial<StoredDevice> = {}): StoredDevice {
  return {
    ...{ id, secretHash: `hash of ${id}`, tokenMark: "token", name: `Device ${id}` },
    ...{ createdAt: NOW, lastSeenAt: NOW, isRevoked: false, personId: null, ...extra },
  };
}

export function describeDeviceStore(name: string, open: OpenStores): void {
  describe(`${name}: DeviceStore`, () => {
    it("X-16 gives devices back as they were put, oldest first, over a restart", async () => {
      await using at = await openScene(open);
      const [younger, older] = [
        device("a", { createdAt: "2026-01-02T00:00:00.000Z" }),
        device("b", { isRevoked: true, name: "“Safari” on iPhone" }),
      ];
      for (const each of [younger, older]) await at.stores.devices.put(each);
      await at.reopen();
      expect(await at.stores.devices.list()).toEqual([older, younger]);
    });

    it("X-16 a device that is put again is the same one: its secret is replaced, its first day stays", async () => {
      await using at = await openScene(open);
      await at.stores.devices.put(device("a"));
      const later = "2026-01-03T00:00:00.000Z";
      const again = device("a", { secretHash: "new", tokenMark: "other", name: "Renamed", lastSeenAt: later });
      await at.stores.devices.put({ ...again, createdAt: later });
      expect(await at.stores.devices.list()).toEqual([again]);
    });

    it("X-16 a deleted device is gone, over a restart too; deleting it again changes nothing", async () => {
      await using at = await openScene(open);
      for (const id of ["a", "b"]) await at.stores.devices.put(device(id));
      await at.stores.devices.delete("a");
      await at.stores.devices.delete("a");
      await at.reopen();
      expect(await at.stores.devices.list()).toEqual([device("b")]);
    });
  });
}
