import { describe, expect, it } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { DataDir } from "./data-dir.ts";

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

describe("DataDir", () => {
  it("is created with its parents, accessible to its user only", async () => {
    await using dir = await tempDir();
    const data = new DataDir(dir.join("a", "b"));
    expect(modeOf(data.path)).toBe("700");
  });

  it("is made private even if it was not before", async () => {
    await using dir = await tempDir();
    mkdirSync(dir.join("open"));
    chmodSync(dir.join("open"), 0o777);
    expect(modeOf(new DataDir(dir.join("open")).path)).toBe("700");
  });

  it("creates a token once and keeps it, readable by its user only", async () => {
    await using dir = await tempDir();
    const token = new DataDir(dir.path).token(() => undefined);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(new DataDir(dir.path).token(() => undefined)).toBe(token);
    expect(modeOf(dir.join("token"))).toBe("600");
    await using other = await tempDir();
    expect(new DataDir(other.path).token(() => undefined)).not.toBe(token);
  });

  it("an empty token file counts as missing", async () => {
    await using dir = await tempDir();
    writeFileSync(dir.join("token"), " \n");
    const token = new DataDir(dir.path).token(() => undefined);
    expect(token).not.toBe("");
    expect(readFileSync(dir.join("token"), "utf8").trim()).toBe(token);
  });

  it("X-16 a token that can be guessed is replaced, and that is reported (S17)", async () => {
    await using dir = await tempDir();
    writeFileSync(dir.join("token"), "x\n");
    const told: string[] = [];
    const token = new DataDir(dir.path).token((text) => told.push(text));
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(told.join()).toMatch(/too short \(1 of at least 22 characters\).*liminal open/);
    expect(readFileSync(dir.join("token"), "utf8").trim()).toBe(token);
  });

  it("remembers the port of the last run, if it is valid", async () => {
    await using dir = await tempDir();
    const data = new DataDir(dir.path);
    expect(data.lastPort()).toBeNull();
    data.keepPort(4711);
    expect(new DataDir(dir.path).lastPort()).toBe(4711);
    for (const nonsense of ["", "0", "65536", "-1", "80.5", "port"]) {
      writeFileSync(data.file("port"), nonsense);
      expect(data.lastPort()).toBeNull();
    }
  });
});
