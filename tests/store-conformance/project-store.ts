import { describe, expect, it } from "bun:test";
import { ProjectId } from "../../src/protocol/ids.ts";
import { NOW, PROJECT } from "../core/names.ts";
import { type OpenStores, openScene } from "./open-scene.ts";

const OTHER = { id: ProjectId.parse("project-2"), path: "/other", name: "other", addedAt: NOW };

export function describeProjectStore(name: string, open: OpenStores): void {
  describe(`${name}: ProjectStore`, () => {
    it("TC-1.1a lists in the order of adding, over a restart", async () => {
      await using at = await openScene(open);
      await at.stores.projects.add(OTHER);
      await at.reopen();
      expect((await at.stores.projects.list()).map(({ name }) => name)).toEqual(["work", "other"]);
    });

    it("TC-1.3a a removed project is hidden, known by its path, and comes back with its id, last in the order", async () => {
      await using at = await openScene(open);
      await at.stores.projects.add(OTHER);
      await at.stores.projects.remove(PROJECT);
      await at.reopen();
      expect(await at.stores.projects.get(PROJECT)).toBeNull();
      expect(await at.stores.projects.list()).toEqual([OTHER]);
      const known = await at.stores.projects.byPath("/work");
      expect(known).toMatchObject({ removed: true, project: { id: PROJECT } });
      if (known) await at.stores.projects.add(known.project);
      expect((await at.stores.projects.list()).map(({ id }) => String(id))).toEqual([OTHER.id, PROJECT]);
      expect((await at.stores.projects.byPath("/work"))?.removed).toBe(false);
    });

    it("TC-1.2d never holds one path twice", async () => {
      await using at = await openScene(open);
      await expect(at.stores.projects.add({ ...OTHER, path: "/work" })).rejects.toThrow();
      expect(await at.stores.projects.byPath("/nowhere")).toBeNull();
    });
  });
}
