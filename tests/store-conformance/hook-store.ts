import { describe, expect, it } from "bun:test";
import type { StoredHook } from "../../src/ports/hook-store.ts";
import { BUILTIN, NOW, PROJECT, SESSION } from "../core/names.ts";
import { type OpenStores, openScene } from "./open-scene.ts";

const hook = (name: string, extra: Partial<StoredHook["hook"]> = {}): StoredHook => ({
  hook: { name, projectId: PROJECT, cliType: BUILTIN, template: "Look at this:\n{{body}}", createdAt: NOW, ...extra },
  secretHash: `hash of ${name}`,
});

export function describeHookStore(name: string, open: OpenStores): void {
  describe(`${name}: HookStore`, () => {
    it("gives hooks back as they were put, by name, over a restart", async () => {
      await using at = await openScene(open);
      const run = { at: NOW, sessionId: SESSION };
      const all = [
        hook("a-b", { template: "“ü”\0\t'" }),
        hook("ab", { last: run, runs: [run, { at: NOW, problem: "full" }] }),
      ];
      for (const one of all.toReversed()) await at.stores.hooks.put(one);
      await at.reopen();
      expect(await at.stores.hooks.list()).toEqual(all);
    });

    it("one that is put again is replaced, and a deleted one is gone; deleting it again changes nothing", async () => {
      await using at = await openScene(open);
      for (const one of [hook("a"), hook("b", { last: { at: NOW, sessionId: SESSION } })])
        await at.stores.hooks.put(one);
      await at.stores.hooks.put({ ...hook("b"), secretHash: "new" });
      await at.stores.hooks.delete("a");
      await at.stores.hooks.delete("a");
      expect(await at.stores.hooks.list()).toEqual([{ ...hook("b"), secretHash: "new" }]);
    });
  });
}
