import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ProjectService } from "../../src/workspace/project-service.ts";
import { countingWorld } from "../core/counting-world.ts";
import { openStore } from "../core/open-store.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startTestServer } from "../support/test-server.ts";

const LISTED_MAX = 100;

/** A server, a client of it, and a directory to look into. */
async function scene(...directories: string[]) {
  const server = await startTestServer();
  const client = await server.connect();
  const dir = await server.directory("place");
  for (const name of directories) await mkdir(join(dir, name), { recursive: true });
  const list = (path: string) => client.ask("directories:list", { type: "directories:list", path });
  const names = async (path: string) => (await list(path)).entries.map(({ name }) => name);
  return { server, client, dir, list, names, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

test("directories:list gives what a typed path could become: directories by name, never a file", async () => {
  await using at = await scene("zeta", "Alpha", "alto", "beta/inner", "item10", "item9");
  await writeFile(join(at.dir, "alone.txt"), "");
  expect(await at.names(`${at.dir}/`)).toEqual(["Alpha", "alto", "beta", "item9", "item10", "zeta"]);
  expect(await at.names(`${at.dir}/al`)).toEqual(["alto", "Alpha"]);
  expect(await at.names(`${at.dir}/alone`)).toEqual([]);
  expect(await at.list(`${at.dir}/beta/`)).toMatchObject({ base: `${at.dir}/beta/`, hasMore: false });
  expect(await at.names(`${at.dir}/beta/`)).toEqual(["inner"]);
});

test("directories:list shows hidden directories only when the dot is typed", async () => {
  await using at = await scene(".hidden", ".config", "seen");
  expect(await at.names(`${at.dir}/`)).toEqual(["seen"]);
  expect(await at.names(`${at.dir}/.`)).toEqual([".config", ".hidden"]);
  expect(await at.names(`${at.dir}/.h`)).toEqual([".hidden"]);
});

test("directories:list expands ~, marks repositories and links, and leaves out links that lead to no directory", async () => {
  await using at = await scene("target/.git");
  await writeFile(join(at.dir, "file"), "");
  const home = at.server.home;
  await mkdir(join(home, "code"));
  await symlink(join(at.dir, "target"), join(home, "code", "link"));
  await symlink("round", join(home, "code", "round"));
  await symlink(join(at.dir, "file"), join(home, "code", "to-file"));
  await symlink("nowhere", join(home, "code", "to-nothing"));
  expect(await at.names("~")).toContain("code");
  expect(await at.list("~/code/")).toMatchObject({
    base: "~/code/",
    entries: [{ name: "link", linkTo: join(at.dir, "target"), isRepository: true }],
  });
  expect((await at.list("~/code/round")).problem).toBe("The path is a symbolic link loop.");
  expect(await at.names("~/code/link/")).toEqual([]);
});

test("directories:list reports the error in a path while it is typed: missing, relative, a file, there already", async () => {
  await using at = await scene("once");
  const file = join(at.dir, "file");
  await writeFile(file, "");
  expect((await at.list(join(at.dir, "missing"))).problem).toBe("That directory doesn't exist.");
  expect((await at.list(join(at.dir, "missing", "deeper"))).entries).toEqual([]);
  expect((await at.list(file)).problem).toBe("That is a file, not a directory.");
  for (const path of ["place", "", "~nobody", "./x"])
    expect(await at.list(path)).toMatchObject({ entries: [], problem: "Enter the full path, starting with / or ~." });
  expect((await at.list(join(at.dir, "once"))).problem).toBeUndefined();
  await at.client.ask("project:added", { type: "project:add", path: join(at.dir, "once") });
  expect((await at.list(`${at.dir}/once/`)).problem).toBe("Project already exists.");
  expect((await at.list(`${at.dir}/on\0ce`)).problem).toBe("The path contains an invalid character.");
  const tooLong = await at.client.request({ type: "directories:list", path: "/".repeat(5_000) });
  expect(tooLong).toMatchObject({ type: "error", code: "INVALID_MESSAGE" });
});

test("directories:list of 5,000 links to directories is bounded, reports that, and still finds each by its name", async () => {
  await using at = await scene();
  const target = await at.server.directory("target");
  for (let made = 0; made < 5_000; made += 1) symlinkSync(target, join(at.dir, `d${made}`));
  const all = await at.list(`${at.dir}/`);
  expect(all.entries).toHaveLength(LISTED_MAX);
  expect(all.entries[0]?.name).toBe("d0");
  expect(all.hasMore).toBe(true);
  expect(await at.list(`${at.dir}/d4999`)).toMatchObject({ entries: [{ name: "d4999" }], hasMore: false });
});

const NOBODY = 65_534;

test("directories:list marks what cannot be looked into, and lists nothing of it", async () => {
  await using store = await openStore();
  await using dir = await tempDir();
  await mkdir(dir.join("closed/secret"), { recursive: true });
  await mkdir(dir.join("open"));
  await chmod(dir.path, 0o755);
  const service = await ProjectService.open({
    world: countingWorld(),
    store: store.projects,
    home: dir.path,
    places: null,
  });
  await chmod(dir.join("closed"), 0o000);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(NOBODY); // root may read everything
  const [outside, inside] = await Promise.all([service.directories("~/"), service.directories("~/closed/")]).finally(
    () => {
      if (isRoot) process.seteuid?.(0);
    },
  );
  await chmod(dir.join("closed"), 0o700);
  expect(outside.entries).toEqual([{ name: "closed", isUnreadable: true }, { name: "open" }]);
  expect(inside).toMatchObject({ entries: [], problem: "You don't have permission to read it." });
});
