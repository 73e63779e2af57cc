import { describe, expect, it } from "bun:test";
import { NOW, PROJECT } from "../../tests/core/names.ts";
import { openStore } from "../../tests/core/open-store.ts";
import { ProjectId } from "../protocol/ids.ts";

const OTHER = { id: ProjectId.parse("project-2"), path: "/other", name: "other", addedAt: NOW };

describe("SqliteProjectStore", () => {
  it("TC-1.1a lists in the order of adding, over a restart", async () => {
    await using store = await openStore();
    store.projects.add(OTHER);
    store.reopen();
    expect(store.projects.list().map(({ name }) => name)).toEqual(["work", "other"]);
  });

  it("TC-1.3a a removed project is hidden, known by its path, and comes back with its id, last in the order", async () => {
    await using store = await openStore();
    store.projects.add(OTHER);
    store.projects.remove(PROJECT);
    store.reopen();
    expect(store.projects.get(PROJECT)).toBeNull();
    expect(store.projects.list()).toEqual([OTHER]);
    const known = store.projects.byPath("/work");
    expect(known).toMatchObject({ removed: true, project: { id: PROJECT } });
    if (known) store.projects.add(known.project);
    expect(store.projects.list().map(({ id }) => String(id))).toEqual([OTHER.id, PROJECT]);
    expect(store.projects.byPath("/work")?.removed).toBe(false);
  });

  it("TC-1.2d never holds one path twice", async () => {
    await using store = await openStore();
    expect(() => store.projects.add({ ...OTHER, path: "/work" })).toThrow("UNIQUE");
    expect(store.projects.byPath("/nowhere")).toBeNull();
  });
});
