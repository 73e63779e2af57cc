import { describe, expect, it, test } from "bun:test";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { FileSearch, rankFiles, takeSnapshot } from "./file-search.ts";
import { listFiles, walkFiles } from "./list-files.ts";

const LIMITS = { filesMax: 1_000, durationMsMax: 60_000 };

async function write(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

async function git(root: string, ...words: string[]): Promise<void> {
  const run = Bun.spawn(["git", "-C", root, ...words], { stdout: "ignore", stderr: "ignore" });
  expect(await run.exited).toBe(0);
}

function searchIn(list = listFiles) {
  const clock = { now: 0 };
  const faults: unknown[] = [];
  const search = new FileSearch({ world: { now: () => clock.now }, onError: (error) => faults.push(error), list });
  return { clock, faults, search };
}

describe("[X-7] the files of a directory", () => {
  it("in a repository are what Git tracks or would track, whatever its settings want to run", async () => {
    await using dir = await tempDir();
    await git(dir.path, "init", "-q");
    await write(dir.path, {
      ".gitignore": "*.log\nbuild/\n",
      "a.ts": "",
      "b.log": "",
      "build/out.js": "",
      "sub/.gitignore": "secret.txt\n",
      "sub/secret.txt": "",
      "sub/new.ts": "",
      "with space/ü.md": "",
    });
    await git(dir.path, "add", "a.ts");
    await git(dir.path, "config", "core.fsmonitor", `touch ${dir.join("ran")};`);
    const { paths, isPartial } = await listFiles(dir.path, LIMITS);
    expect([...paths].sort()).toEqual([".gitignore", "a.ts", "sub/.gitignore", "sub/new.ts", "with space/ü.md"]);
    expect(isPartial).toBe(false);
    expect((await listFiles(dir.join("sub"), LIMITS)).paths).toContain("new.ts");
  });

  it("without a repository are all that no ignore file names; the deepest one has the last word", async () => {
    await using dir = await tempDir();
    await write(dir.path, {
      ".gitignore": "*.log\n/build/\n",
      "a.ts": "",
      "b.log": "",
      "build/out.js": "",
      "node_modules/x/index.js": "",
      "sub/.gitignore": "!keep.log\n*.tmp\n",
      "sub/keep.log": "",
      "sub/x.tmp": "",
      "sub/build/kept.js": "",
    });
    const { paths } = await walkFiles(dir.path, LIMITS);
    expect([...paths].sort()).toEqual([".gitignore", "a.ts", "sub/.gitignore", "sub/build/kept.js", "sub/keep.log"]);
  });

  it("are listed up to the limit, and the list is marked as partial", async () => {
    await using dir = await tempDir();
    await write(dir.path, Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}.ts`, ""])));
    const few = { ...LIMITS, filesMax: 10 };
    expect(await walkFiles(dir.path, few)).toMatchObject({ paths: { length: 10 }, isPartial: true });
    await git(dir.path, "init", "-q");
    expect(await listFiles(dir.path, few)).toMatchObject({ paths: { length: 10 }, isPartial: true });
  });
});

describe("[X-7] searching", () => {
  it("names nothing that leads out of the directory, is gone, or is no file", async () => {
    await using dir = await tempDir();
    await write(dir.path, { "outside/secret.ts": "", "root/secret-inside.ts": "", "root/gone-secret.ts": "" });
    const root = dir.join("root");
    await symlink(dir.join("outside/secret.ts"), join(root, "secret-link.ts"));
    await symlink(dir.join("outside"), join(root, "secret-directory"));
    await symlink(join(root, "secret-inside.ts"), join(root, "secret-alias.ts"));
    const { search } = searchIn();
    await search.search(root, "", 10);
    await rm(join(root, "gone-secret.ts"));
    const { files } = await search.search(root, "secret", 10);
    expect(files.map(({ path }) => path).sort()).toEqual(["secret-alias.ts", "secret-inside.ts"]);
    expect(files.every(({ uri }) => uri.startsWith("file:///"))).toBe(true);
  });

  it("answers from the list it has, makes it anew behind that, and drops one that is too old", async () => {
    await using dir = await tempDir();
    await write(dir.path, { "one.ts": "" });
    let made = 0;
    const { clock, search, faults } = searchIn(async (root, limits) => {
      made += 1;
      return walkFiles(root, limits);
    });
    const names = async () => (await search.search(dir.path, "", 10)).files.map(({ path }) => path);
    expect(await names()).toEqual(["one.ts"]);
    await write(dir.path, { "two.ts": "" });
    expect([await names(), made]).toEqual([["one.ts"], 1]);
    clock.now = 2_000;
    expect([await names(), made]).toEqual([["one.ts"], 2]);
    clock.now = 200_000;
    expect([(await names()).sort(), faults]).toEqual([["one.ts", "two.ts"], []]);
  });

  it("keeps few lists, and builds one at a time for all callers", async () => {
    await using dir = await tempDir();
    const roots = await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        await write(dir.path, { [`r${index}/a.ts`]: "" });
        return dir.join(`r${index}`);
      }),
    );
    const made: string[] = [];
    const { search } = searchIn(async (root, limits) => {
      made.push(root);
      return walkFiles(root, limits);
    });
    const [first = ""] = roots;
    await Promise.all([search.search(first, "a", 1), search.search(first, "b", 1)]);
    expect(made).toEqual([first]);
    for (const root of roots) await search.search(root, "a", 1);
    await search.search(first, "a", 1);
    expect(made.filter((root) => root === first)).toHaveLength(2);
  });
});

const FILES = takeSnapshot([
  "composer/README.md",
  "composer/state.ts",
  "src/web/composer/composer.tsx",
  "src/web/composer/composer-key.ts",
  "src/sessions/session-service.ts",
  "docs/über-uns.md",
]);

test("[X-7] a match in the file's own name comes before one in its directories", () => {
  expect(rankFiles(FILES, "composer", 10).slice(0, 2).sort()).toEqual([
    "src/web/composer/composer-key.ts",
    "src/web/composer/composer.tsx",
  ]);
});

test("[X-7] letters in order are enough, in any case and across directories", () => {
  expect(rankFiles(FILES, "compkey", 10)[0]).toBe("src/web/composer/composer-key.ts");
  expect(rankFiles(FILES, "SessServ", 10)[0]).toBe("src/sessions/session-service.ts");
  expect(rankFiles(FILES, "web/composer.tsx", 10)[0]).toBe("src/web/composer/composer.tsx");
  expect(rankFiles(FILES, "uber", 10)[0]).toBe("docs/über-uns.md");
  expect(rankFiles(FILES, "zzz", 10)).toEqual([]);
});

test("no query names the first files, and never more than asked for", () => {
  expect(rankFiles(FILES, "", 2)).toHaveLength(2);
  expect(rankFiles(FILES, "o", 1)).toHaveLength(1);
});

test("[X-7] among 100,000 files the right one comes first", () => {
  const many = Array.from({ length: 100_000 }, (_, index) => `src/mod${index % 97}/file-${index}.ts`);
  const snapshot = takeSnapshot([...many, "docs/needle.md"]);
  expect(rankFiles(snapshot, "needle", 20)).toEqual(["docs/needle.md"]);
  expect(rankFiles(snapshot, "file-77777", 20)[0]).toBe("src/mod80/file-77777.ts");
  expect(rankFiles(snapshot, "file", 20)).toHaveLength(20);
});
