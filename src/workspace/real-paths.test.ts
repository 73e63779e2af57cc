import { describe, expect, it } from "bun:test";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { DiskRealPaths } from "./real-paths.ts";

async function scene() {
  const dir = await tempDir();
  await mkdir(dir.join("root/sub"), { recursive: true });
  await mkdir(dir.join("outside/deep"), { recursive: true });
  await writeFile(dir.join("root/file"), "");
  await symlink("../outside/deep", dir.join("root/link"));
  await symlink("nowhere/yet", dir.join("root/dangling"));
  await symlink("loop", dir.join("root/loop"));
  await symlink(dir.join("root/link"), dir.join("root/absolute"));
  const paths = new DiskRealPaths();
  const places = async (path: string) =>
    (await paths.placesOf(`${dir.path}/${path}`))?.map((place) => place.slice(dir.path.length + 1)) ?? null;
  return { dir, paths, places, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

describe("DiskRealPaths", () => {
  it.each([
    ["root/file", ["root/file"]],
    ["root/./sub//new/file", ["root/sub/new/file"]],
    ["root/link/x", ["outside/deep/x"]],
    ["root/absolute/x", ["outside/deep/x"]],
    ["root/dangling", ["root/nowhere/yet"]],
    ["root/loop/x", null],
  ])("%s leads to %j", async (path, expected) => {
    await using at = await scene();
    expect(await at.places(path)).toEqual(expected);
  });

  it("up after a link is read both ways: as the system does, and as programs that tidy a path first do", async () => {
    await using at = await scene();
    expect(await at.places("root/link/../x")).toEqual(["outside/x", "root/x"]);
  });

  it("resolves absolute paths only", async () => {
    await using at = await scene();
    for (const path of ["root/file", "", "/a\0b", `/${"x".repeat(5_000)}`])
      expect(await at.paths.placesOf(path)).toBeNull();
  });
});
