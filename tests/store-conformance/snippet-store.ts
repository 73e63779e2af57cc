import { describe, expect, it } from "bun:test";
import { type Snippet, SnippetId } from "../../src/protocol/snippets.ts";
import { NOW, PROJECT } from "../core/names.ts";
import { type OpenStores, openScene } from "./open-scene.ts";

const snippet = (id: string, extra: Partial<Snippet> = {}): Snippet => ({
  id: SnippetId.parse(id),
  name: id,
  body: `body of ${id}\n$ARGUMENTS`,
  updatedAt: NOW,
  ...extra,
});

export function describeSnippetStore(name: string, open: OpenStores): void {
  describe(`${name}: SnippetStore`, () => {
    it("CV-53 keeps snippets exactly, by name, over a restart", async () => {
      await using at = await openScene(open);
      const all = [snippet("a", { body: "ü\n\t'\"; DROP" }), snippet("b", { projectId: PROJECT })];
      for (const one of [...all].reverse()) await at.stores.snippets.put(one);
      await at.reopen();
      expect(await at.stores.snippets.list()).toEqual(all);
    });

    it("one with the same id is replaced, and its project may be taken away", async () => {
      await using at = await openScene(open);
      await at.stores.snippets.put(snippet("a", { projectId: PROJECT }));
      await at.stores.snippets.put(snippet("a", { name: "renamed" }));
      expect(await at.stores.snippets.list()).toEqual([snippet("a", { name: "renamed" })]);
    });

    it("removes one, once", async () => {
      await using at = await openScene(open);
      await at.stores.snippets.put(snippet("a"));
      expect(await at.stores.snippets.remove(SnippetId.parse("a"))).toBe(true);
      expect(await at.stores.snippets.remove(SnippetId.parse("a"))).toBe(false);
      expect(await at.stores.snippets.list()).toEqual([]);
    });
  });
}
