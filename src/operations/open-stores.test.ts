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
  return Object.assign(stores, { said, [Symbol.asyncDispose]: () => stores.close() });
}

describe("openStores", () => {
  const today = Date.parse(NOW);

  it("imports data of an older version once", async () => {
    await using dir = await tempDir();
    const projects = [{ id: "p", path: "/old/app", name: "app", addedAt: NOW }];
    writeFileSync(dir.join("projects.json"), JSON.stringify({ version: 1, projects }));
    const data = new DataDir(dir.path);
    {
      await using stores = await open(data, at(today));
      expect(stores.said).toEqual(["Imported 1 projects and 0 sessions from an older version."]);
      const [project] = await stores.projects.list();
      if (project) await stores.projects.remove(project.id);
    }
    await using again = await open(data, at(today));
    expect([again.said, await again.projects.list()]).toEqual([[], []]);
  });

  it("reports where a damaged database was moved, and continues", async () => {
    await using dir = await tempDir();
    writeFileSync(dir.join("liminal.db"), "damaged ".repeat(1_000));
    await using stores = await open(new DataDir(dir.path), at(today));
    const [aside] = readdirSync(dir.path).filter((name) => name.includes("damaged"));
    expect(stores.movedAside).toBe(dir.join(String(aside)));
    expect(stores.said).toEqual([expect.stringContaining(String(aside))]);
    expect(await stores.projects.list()).toEqual([]);
  });

  it("deletes receipts after 30 days, when no client repeats a command any more", async () => {
    await using dir = await tempDir();
    const data = new DataDir(dir.path);
    {
      await using stores = await open(data, at(today));
      await stores.log.saveReceipt({ commandId: "old", answer: "{}", at: new Date(today).toISOString() });
      await stores.log.saveReceipt({ commandId: "new", answer: "{}", at: new Date(today + DAY_MS).toISOString() });
    }
    await using later = await open(data, at(today + 30.5 * DAY_MS));
    expect([await later.log.receipt("old"), await later.log.receipt("new")]).toEqual([null, "{}"]);
  });
});
