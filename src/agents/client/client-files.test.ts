import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ClientFiles } from "./client-files.ts";

let base = "";
let root = "";
let outside = "";

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "liminal-files-"));
  root = join(base, "root");
  outside = join(base, "outside");
  await mkdir(join(root, "src"), { recursive: true });
  await mkdir(outside);
  await mkdir(join(base, "root-evil"));
  await writeFile(join(root, "src/a.txt"), "one\ntwo\nthree\n");
  await writeFile(join(outside, "secret.txt"), "secret");
  await writeFile(join(base, "root-evil/secret.txt"), "secret");
  await symlink(join(outside, "secret.txt"), join(root, "link-to-file"));
  await symlink(outside, join(root, "link-to-dir"));
  await symlink("../outside", join(root, "relative-link"));
  await symlink("../../outside/secret.txt", join(root, "src/deep-link"));
  await symlink(join(outside, "not-there-yet.txt"), join(root, "dangling"));
  await symlink(join(root, "dangling"), join(root, "link-to-dangling"));
  await symlink(join(root, "circle-b"), join(root, "circle-a"));
  await symlink(join(root, "circle-a"), join(root, "circle-b"));
  await symlink("/", join(root, "to-the-top"));
  await symlink("/proc/self/cwd", join(root, "proc-cwd"));
  await symlink(join(root, "src"), join(root, "inner"));
});
afterAll(() => rm(base, { recursive: true }));

/** Paths an agent could try, as functions because the root is only known later. */
const ESCAPES: readonly (readonly [string, () => string])[] = [
  ["an absolute path elsewhere", () => join(outside, "secret.txt")],
  ["a system file", () => "/etc/passwd"],
  ["..", () => `${root}/../outside/secret.txt`],
  [".. in the middle", () => `${root}/src/../../outside/secret.txt`],
  ["many ..", () => `${root}/../../../../../../../../etc/passwd`],
  [".. through a directory that is not there", () => `${root}/nothing/../../outside/secret.txt`],
  ["dots and slashes", () => `${root}/.//..//outside/./secret.txt`],
  ["a link to a file", () => join(root, "link-to-file")],
  ["a link to a directory", () => join(root, "link-to-dir/secret.txt")],
  ["a relative link", () => join(root, "relative-link/secret.txt")],
  ["a link below a directory", () => join(root, "src/deep-link")],
  ["a link to what is not there yet", () => join(root, "dangling")],
  ["a link to such a link", () => join(root, "link-to-dangling")],
  ["a new file behind a link", () => join(root, "link-to-dir/new.txt")],
  ["a new directory behind a link", () => join(root, "link-to-dir/new/deep.txt")],
  ["a circle of links", () => join(root, "circle-a")],
  ["a link to the top", () => join(root, "to-the-top/etc/passwd")],
  ["a link through /proc", () => join(root, "proc-cwd/package.json")],
  ["a link back out of an inner link", () => join(root, "inner/deep-link")],
  ["a sibling whose name starts the same", () => join(base, "root-evil/secret.txt")],
  ["the directory above", () => base],
  ["the roots' parent with a slash", () => `${base}/`],
  ["a relative path", () => "src/a.txt"],
  ["a relative path upwards", () => "../outside/secret.txt"],
  ["an empty path", () => ""],
  ["a tilde", () => "~/secret.txt"],
  ["a NUL byte", () => `${root}/src/a.txt\0/../../outside/secret.txt`],
  ["a file address", () => `file://${join(outside, "secret.txt")}`],
  ["a process's memory", () => "/proc/self/environ"],
  ["a device", () => "/dev/zero"],
  ["a descriptor", () => "/proc/self/fd/0"],
  ["a variable", () => "$HOME/secret.txt"],
];

describe("W-10 nothing outside the roots is accessible", () => {
  it.each(ESCAPES)("reading by %s", async (_, path) => {
    await expect(new ClientFiles([root]).read({ path: path() })).rejects.toThrow();
  });

  it.each(ESCAPES)("writing by %s", async (_, path) => {
    await expect(new ClientFiles([root]).write(path(), "overwritten")).rejects.toThrow();
    expect(await readFile(join(outside, "secret.txt"), "utf8")).toBe("secret");
    expect(await Bun.file(join(outside, "not-there-yet.txt")).exists()).toBe(false);
    expect(await Bun.file(join(outside, "new.txt")).exists()).toBe(false);
  });

  it("nor are guarded directories inside them: by name, by a link, or if they do not exist yet", async () => {
    const guarded = join(root, "ours");
    await mkdir(join(guarded, "deep"), { recursive: true });
    await writeFile(join(guarded, "token"), "secret");
    await symlink(guarded, join(root, "by-link"));
    const files = new ClientFiles([root], [guarded]);
    for (const name of ["ours/token", "ours/deep/new", "by-link/token", "src/../ours/token", "ours"]) {
      await expect(files.read({ path: join(root, name) })).rejects.toThrow("belongs to Liminal Builder");
      await expect(files.write(join(root, name), "changed")).rejects.toThrow("belongs to Liminal Builder");
    }
    expect(await readFile(join(guarded, "token"), "utf8")).toBe("secret");
    await files.write(join(root, "ours-not.txt"), "fine");
    await rm(join(root, "by-link"));
    await rm(guarded, { recursive: true });
    await expect(files.write(join(guarded, "config.json"), "planted")).rejects.toThrow("belongs to Liminal Builder");
  });

  it("covers at least thirty ways", () => {
    expect(ESCAPES.length).toBeGreaterThanOrEqual(30);
  });
});

describe("W-10 inside the roots", () => {
  it("reads a file, and a window of its lines", async () => {
    const files = new ClientFiles([root]);
    const path = join(root, "src/a.txt");
    expect(await files.read({ path })).toBe("one\ntwo\nthree\n");
    expect(await files.read({ path, line: 2, limit: 1 })).toBe("two");
    expect(await files.read({ path, line: 3 })).toBe("three\n");
  });

  it("follows a link that stays inside", async () => {
    expect(await new ClientFiles([root]).read({ path: join(root, "inner/a.txt") })).toContain("two");
  });

  it("creates missing files and replaces existing ones completely", async () => {
    const files = new ClientFiles([root]);
    const path = join(root, "new/deep/file.txt");
    await files.write(path, "a long first text");
    await files.write(path, "short");
    expect(await readFile(path, "utf8")).toBe("short");
  });

  it("reports a missing file, and a directory that is not a file", async () => {
    const files = new ClientFiles([root]);
    await expect(files.read({ path: join(root, "nothing.txt") })).rejects.toMatchObject({ isMissing: true });
    await expect(files.read({ path: join(root, "src") })).rejects.toThrow("not a file");
  });

  it("has a limit", async () => {
    const files = new ClientFiles([root]);
    await expect(files.write(join(root, "big.txt"), "x".repeat(10 * 1024 * 1024 + 1))).rejects.toThrow("limit");
  });
});
