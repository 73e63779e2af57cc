import { describe, expect, it } from "bun:test";
import { chmod, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { basename, relative } from "node:path";
import { countingWorld } from "../../tests/core/counting-world.ts";
import { openStore } from "../../tests/core/open-store.ts";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { ProjectService } from "./project-service.ts";

/** A home with the directory `app`, and the service on a real store that also holds another project. */
async function scene() {
  const store = await openStore();
  const home = await tempDir();
  await mkdir(home.join("app"));
  const service = await ProjectService.open({
    world: countingWorld(),
    store: store.projects,
    home: home.path,
    places: null,
  });
  return {
    service,
    home,
    app: home.join("app"),
    names: async () => (await service.list()).map(({ name }) => name),
    add: async (path: string) => {
      const added = await service.add(path);
      return added.ok ? added.project : added.refusal;
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

const NOBODY = 65_534;

/** Root may read everything, so it loses that right for the duration of the test. */
async function withoutPrivileges<Result>(act: () => Promise<Result>): Promise<Result> {
  if (process.getuid?.() !== 0) return act();
  process.seteuid?.(NOBODY);
  try {
    return await act();
  } finally {
    process.seteuid?.(0);
  }
}

const INVALID = { code: "PROJECT_PATH_INVALID", message: "Project path is invalid or inaccessible." } as const;

describe("ProjectService", () => {
  it("TC-1.1a lists in the order of adding, by the directory's name", async () => {
    await using at = await scene();
    await mkdir(at.home.join("aaa"));
    await at.add(at.app);
    await at.add(at.home.join("aaa"));
    expect(await at.names()).toEqual(["work", "app", "aaa"]);
  });

  it("TC-1.2d a directory that is added twice at once is added once", async () => {
    await using at = await scene();
    const added = await Promise.all([at.service.add(at.app), at.service.add(`${at.app}/`)]);
    expect(added.map(({ ok }) => ok).toSorted()).toEqual([false, true]);
    expect(await at.names()).toEqual(["work", "app"]);
  });

  it("TC-1.2b refuses a path that is missing, a file, below a file or a circle of links, and adds nothing", async () => {
    await using at = await scene();
    await writeFile(at.home.join("file"), "");
    await symlink(at.home.join("circle"), at.home.join("circle"));
    const reasons = {
      missing: "That directory doesn't exist.",
      file: "That is a file, not a directory.",
      "file/below": "That directory doesn't exist.",
      circle: "The path is a symbolic link loop.",
      ["x".repeat(300)]: "The path is too long.",
      "with\0zero": "The path contains an invalid character.",
    };
    for (const [name, details] of Object.entries(reasons))
      expect(await at.add(`${at.home.path}/${name}`)).toEqual({ ...INVALID, details });
    expect(await at.names()).toEqual(["work"]);
  });

  it("TC-1.2b refuses a directory that cannot be read", async () => {
    await using at = await scene();
    await chmod(at.app, 0o000);
    const refused = await withoutPrivileges(() => at.add(at.app));
    await chmod(at.app, 0o700);
    expect(refused).toEqual({ ...INVALID, details: "You don't have permission to read it." });
    expect(await at.names()).toEqual(["work"]);
  });

  it("TC-1.2d no detour adds a directory twice: trailing slash, `..`, doubled slashes, links on the way", async () => {
    await using at = await scene();
    await symlink(at.app, at.home.join("link"));
    await symlink(at.home.path, at.home.join("round"));
    await at.add(at.app);
    const detours = [
      at.app,
      `${at.app}/`,
      `${at.app}/.`,
      `${at.app}/../app`,
      `${at.home.path}//app`,
      at.home.join("link"),
      at.home.join("round", "app"),
      "~/app",
      "~/link/",
    ];
    for (const detour of detours)
      expect(await at.add(detour)).toEqual({ code: "PROJECT_DUPLICATE", message: "Project already exists." });
    expect(await at.names()).toEqual(["work", "app"]);
  });

  it("TC-1.3a keeps the real path and the real name, also when added through a link", async () => {
    await using at = await scene();
    await symlink(at.app, at.home.join("link"));
    expect(await at.add(at.home.join("link"))).toMatchObject({ path: at.app, name: "app" });
  });

  it("TC-1.3a removing deletes nothing; the re-added directory has its id back and is last", async () => {
    await using at = await scene();
    await writeFile(`${at.app}/file`, "kept");
    await mkdir(at.home.join("later"));
    const first = await at.add(at.app);
    await at.add(at.home.join("later"));
    if (!("id" in first)) throw new Error("it was not added");
    expect(await at.service.remove(first.id)).toBe(true);
    expect(await at.names()).toEqual(["work", "later"]);
    expect(await readdir(at.app)).toEqual(["file"]);
    expect(await at.service.remove(first.id)).toBe(false);
    expect(await at.add(`${at.app}/`)).toMatchObject({ id: first.id, path: at.app });
    expect(await at.names()).toEqual(["work", "later", "app"]);
  });

  it("TC-1.3a expands ~ and nothing else that begins with it", async () => {
    await using at = await scene();
    expect(await at.add("~")).toMatchObject({ path: at.home.path, name: basename(at.home.path) });
    expect(await at.add("~/app")).toMatchObject({ path: at.app });
    expect(await at.add("~app")).toMatchObject(INVALID);
  });

  it("TC-1.3a refuses a relative path, even to a directory that is there", async () => {
    await using at = await scene();
    const details = "Enter the full path, starting with / or ~.";
    for (const path of [relative(process.cwd(), at.app), ".", "..", " /", ""])
      expect(await at.add(path)).toEqual({ ...INVALID, details });
  });

  it("names the root by its path", async () => {
    await using at = await scene();
    expect(await at.add("/")).toMatchObject({ path: "/", name: "/" });
  });
});
