import { describe, expect, it } from "bun:test";
import type { StoredApiToken } from "../../src/ports/api-token-store.ts";
import { NOW, PROJECT } from "../core/names.ts";
import { type OpenStores, openScene } from "./open-scene.ts";

const token = (id: string, extra: Partial<StoredApiToken> = {}): StoredApiToken => ({
  ...{ id, secretHash: `hash of ${id}`, tokenMark: "token", name: `Program ${id}`, scope: "read" },
  ...{ projectId: null, createdAt: NOW, lastUsedAt: null, personId: null, ...extra },
});

export function describeApiTokenStore(name: string, open: OpenStores): void {
  describe(`${name}: ApiTokenStore`, () => {
    it("gives tokens of programs back as they were put, oldest first, over a restart", async () => {
      await using at = await openScene(open);
      const [younger, older] = [
        token("a", { createdAt: "2026-01-02T00:00:00.000Z", scope: "admin" }),
        token("b", { projectId: PROJECT, scope: "act", lastUsedAt: NOW, name: "“CI” ü" }),
      ];
      for (const each of [younger, older]) await at.stores.apiTokens.put(each);
      await at.reopen();
      expect(await at.stores.apiTokens.list()).toEqual([older, younger]);
    });

    it("one that is put again is replaced, and a deleted one is gone; deleting it again changes nothing", async () => {
      await using at = await openScene(open);
      for (const each of [token("a"), token("b", { projectId: PROJECT })]) await at.stores.apiTokens.put(each);
      const again = token("b", { lastUsedAt: NOW });
      await at.stores.apiTokens.put(again);
      await at.stores.apiTokens.delete("a");
      await at.stores.apiTokens.delete("a");
      await at.reopen();
      expect(await at.stores.apiTokens.list()).toEqual([again]);
    });
  });
}
