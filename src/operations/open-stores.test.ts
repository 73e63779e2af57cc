import { describe, expect, it } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { NOW } from "../../tests/core/names.ts";
import { tempDir } from "../../tests/support/temp-dir.ts";
import type { World } from "../ports/world.ts";
import { DataDir } from "./data-dir.ts";
import { openStores } from "./open-stores.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

function at(now: number): World {
  return { now: () => now, newId: () => "id" };
}

async function open(dataDir: DataDir, world: World) {
  const said: string[] = [];
  const note = (text: string) => void said.push(text);
  const stores = await openStores(dataDir, world, { info: note, warn: note, error: note }, () => undefined);
  return Object.assign(stores, { said, [Symbol.dispose]: () => stores.close() });
}

describe("openStores", () => {
  const today = Date.parse(NOW);

  it("takes over what an older version left, once", async () => {
    await using dir = await tempDir();
    const projects = [{ id: "p", path: "/old/app", name: "app", addedAt: NOW }];
    writeFileSync(dir.join("projects.json"), JSON.stringify({ version: 1, projects }));
    const data = new DataDir(dir.path);
    {
      using stores = await open(data, at(today));
      expect(stores.said).toEqual(["Imported 1 projects and 0 sessions from an older version."]);
      const [project] = stores.projects.list();
      if (project) stores.projects.remove(project.id);
    }
    using again = await open(data, at(today));
    expect([again.said, again.projects.list()]).toEqual([[], []]);
  });

  it("says where a damaged database went, and works", async () => {
    await using dir = await tempDir();
    writeFileSync(dir.join("liminal.db"), "damaged ".repeat(1_000));
    using stores = await open(new DataDir(dir.path), at(today));
    const [aside] = readdirSync(dir.path).filter((name) => name.includes("damaged"));
    expect(stores.movedAside).toBe(dir.join(String(aside)));
    expect(stores.said).toEqual([expect.stringContaining(String(aside))]);
    expect(stores.projects.list()).toEqual([]);
  });

  it("forgets receipts after 30 days, when nobody tries again any more", async () => {
    await using dir = await tempDir();
    const data = new DataDir(dir.path);
    {
      using stores = await open(data, at(today));
      await stores.log.saveReceipt({ commandId: "old", answer: "{}", at: new Date(today).toISOString() });
      await stores.log.saveReceipt({ commandId: "new", answer: "{}", at: new Date(today + DAY_MS).toISOString() });
    }
    using later = await open(data, at(today + 30.5 * DAY_MS));
    expect([await later.log.receipt("old"), await later.log.receipt("new")]).toEqual([null, "{}"]);
  });
});
