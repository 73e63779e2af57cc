import { describe, expect, test } from "bun:test";
import { renameSync, symlinkSync, unlinkSync } from "node:fs";
import { chmod, lstat, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { FILE_PIECE_BYTES_MAX } from "../../src/protocol/changes.ts";
import { RefusalError } from "../../src/protocol/errors.ts";
import { listDirectory, openInEditor, pieceOfBuffer, readFilePiece } from "../../src/workspace/directory-listing.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { tempDir } from "../support/temp-dir.ts";
import { waitFor } from "../support/wait-for.ts";
import { git, gitScene, write } from "./git-scene.ts";

const MANY = 500;
const isRoot = process.getuid?.() === 0;

/** The code and words of a refusal; a value that was not refused fails the test. */
async function refusalOf(attempt: Promise<unknown>): Promise<{ code: string; message: string }> {
  const error = await attempt.then(
    (value) => value,
    (reason: unknown) => reason,
  );
  if (!(error instanceof RefusalError)) throw new Error(`not refused: ${JSON.stringify(error)}`);
  return error.refusal;
}

const whole = (path: string) => ({ path, from: 0, bytesMax: FILE_PIECE_BYTES_MAX });

async function readAll(root: string, path: string, bytesMax: number): Promise<string> {
  let text = "";
  for (let from: number | undefined = 0; from !== undefined; ) {
    const piece = await readFilePiece(root, { path, from, bytesMax });
    text += piece.content;
    from = piece.next;
  }
  return text;
}

async function names(root: string, path = ""): Promise<readonly string[]> {
  return (await listDirectory(root, path, MANY)).entries.map(({ name }) => name);
}

describe("listing a directory", () => {
  test("directories come first, then names in the order of a reader, and Git's own directory is not there", async () => {
    await using scene = await gitScene({ "b/x.txt": "", "a/x.txt": "", "file10.txt": "", "file9.txt": "", ".env": "" });
    expect(await names(scene.root)).toEqual(["a", "b", ".env", "file9.txt", "file10.txt"]);
    await symlink("a", join(scene.root, "link"));
    const { entries } = await listDirectory(scene.root, "", MANY);
    expect(entries.find(({ name }) => name === "link")?.kind).toBe("link");
    expect(await names(scene.root, "link")).toEqual(["x.txt"]);
  });

  test("shows which files Git ignores and which have changed since the last commit", async () => {
    await using scene = await gitScene({
      ".gitignore": "dist/\n*.log\n",
      "changed.txt": "one\n",
      "same.txt": "",
      "src/deep/a.ts": "",
      "still/a.ts": "",
      "strange [name]:*.txt": "",
    });
    await write(scene.root, {
      "changed.txt": "two\n",
      "new.txt": "",
      "src/deep/a.ts": "changed\n",
      "dist/out.js": "",
      "a.log": "",
      "fresh/one.txt": "",
      "strange [name]:*.txt": "changed\n",
      ":(glob)*.log": "",
    });
    git(scene.root, "add", "new.txt");
    const { entries, total } = await listDirectory(scene.root, "", MANY);
    const shown = entries.map(({ name, ignored, status = "-" }) => `${name} ${ignored ? "ignored" : status}`);
    expect(shown).toEqual([
      "dist ignored",
      "fresh added",
      "src modified",
      "still -",
      ":(glob)*.log ignored",
      ".gitignore -",
      "a.log ignored",
      "changed.txt modified",
      "new.txt added",
      "same.txt -",
      "strange [name]:*.txt modified",
    ]);
    expect(total).toBe(11);
    const statuses = async (path: string) => (await listDirectory(scene.root, path, MANY)).entries;
    expect(await statuses("src")).toEqual([{ name: "deep", kind: "directory", ignored: false, status: "modified" }]);
    expect(await statuses("fresh")).toEqual([{ name: "one.txt", kind: "file", ignored: false, status: "added" }]);
    expect(await statuses("dist")).toEqual([{ name: "out.js", kind: "file", ignored: true }]);
  });

  test("runs nothing that the repository names", async () => {
    await using scene = await gitScene({ ".gitattributes": "*.txt filter=own\n", "a.txt": "one\n" });
    const proof = scene.dir.join("ran");
    const program = `touch ${proof}; cat`;
    for (const [name, value] of [
      ["core.fsmonitor", program],
      ["filter.own.clean", program],
      ["core.hooksPath", scene.root],
    ] as const)
      git(scene.root, "config", name, value);
    // Of the same size, so that Git has to look into it.
    await write(scene.root, { "a.txt": "two\n" });
    const { entries } = await listDirectory(scene.root, "", MANY);
    expect(entries.find(({ name }) => name === "a.txt")?.status).toBe("modified");
    expect(await Bun.file(proof).exists()).toBe(false);
  });

  test("works without Git's help in a plain directory", async () => {
    await using dir = await tempDir();
    await write(dir.path, { "a.txt": "" });
    expect((await listDirectory(dir.path, "", MANY)).entries).toEqual([
      { name: "a.txt", kind: "file", ignored: false },
    ]);
  });

  test("gives as many entries as asked for, and the number of all", async () => {
    await using dir = await tempDir();
    await Promise.all(Array.from({ length: 620 }, (_, index) => writeFile(dir.join(`f${index}`), "")));
    const { entries, total } = await listDirectory(dir.path, "", MANY);
    expect([entries.length, entries[0]?.name, entries.at(-1)?.name, total]).toEqual([500, "f0", "f499", 620]);
  });

  test("names that are no text, and such with line ends, come back as they were", async () => {
    await using dir = await tempDir();
    const odd = Buffer.concat([Buffer.from(`${dir.path}/`), Buffer.from([0x61, 0xff, 0x0a, 0xc3])]);
    await writeFile(odd, "odd");
    await writeFile(dir.join("line\nend\t.txt"), "end");
    const listed = await names(dir.path);
    expect(listed).toContain("line\nend\t.txt");
    const read = await Promise.all(listed.map(async (path) => (await readFilePiece(dir.path, whole(path))).content));
    expect(read.toSorted()).toEqual(["end", "odd"]);
    // As they are after a message has carried them.
    const carried = JSON.parse(JSON.stringify(listed)) as string[];
    expect((await readFilePiece(dir.path, whole(carried.find((name) => name.includes("\udcff")) ?? ""))).content).toBe(
      "odd",
    );
  });

  test.skipIf(isRoot)("a directory that may not be read is refused in words", async () => {
    await using dir = await tempDir();
    await mkdir(dir.join("closed"), { mode: 0 });
    const { code, message } = await refusalOf(listDirectory(dir.path, "closed", MANY));
    expect([code, message]).toEqual(["FILE_UNREADABLE", expect.stringContaining("No permission to read closed")]);
    await chmod(dir.join("closed"), 0o700);
  });
});

describe("reading a file", () => {
  test("[WS-45] nothing outside the directory is listed or read, whatever the path and wherever links lead", async () => {
    await using dir = await tempDir();
    const root = dir.join("work");
    await write(dir.path, { "secret.txt": "secret", "other/secret.txt": "secret", "work/in/a.txt": "inside" });
    await mkdir(dir.join("work2"));
    await symlink(dir.join("secret.txt"), join(root, "absolute"));
    await symlink("../secret.txt", join(root, "relative"));
    await symlink(dir.join("other"), join(root, "directory"));
    await symlink("/", join(root, "top"));
    await symlink("../work2", join(root, "sibling"));
    await symlink("absolute", join(root, "twice"));
    await symlink("circle", join(root, "circle"));
    await symlink("nowhere", join(root, "dangling"));
    await symlink("in/a.txt", join(root, "inside"));
    const out = ["../secret.txt", "in/../../secret.txt", dir.join("secret.txt"), "/etc/passwd", "absolute", "relative"];
    out.push("directory/secret.txt", "top/etc/passwd", "twice", "..", "sibling", "a\0b", "circle", "dangling");
    for (const path of out) {
      const read = await refusalOf(readFilePiece(root, whole(path)));
      const listed = await refusalOf(listDirectory(root, path, MANY));
      expect([path, read.code]).toEqual([path, expect.stringMatching(/^FILE_/)]);
      expect([path, listed.code]).toEqual([path, expect.stringMatching(/^FILE_/)]);
      expect(read.message).not.toContain("secret\n");
    }
    expect((await readFilePiece(root, whole("inside"))).content).toBe("inside");
    expect((await readFilePiece(root, whole("./in//a.txt"))).content).toBe("inside");
  });

  test("[WS-45] no FIFO, socket or device is opened", async () => {
    await using dir = await tempDir();
    expect(Bun.spawnSync(["mkfifo", dir.join("fifo")]).exitCode).toBe(0);
    // It waits for a reader, and is let go by whoever opens the other end.
    const writer = Bun.spawn(["sh", "-c", 'echo x > "$0"', dir.join("fifo")]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(dir.join("socket"), resolve));
    await symlink("fifo", dir.join("link"));
    for (const path of ["fifo", "socket", "link"]) {
      const { code, message } = await refusalOf(readFilePiece(dir.path, whole(path)));
      expect([code, message]).toEqual(["FILE_UNREADABLE", expect.stringContaining("Only files can be shown")]);
    }
    const { message } = await refusalOf(readFilePiece("/dev", whole("zero")));
    expect(message).toContain("Only files can be shown");
    expect((await listDirectory(dir.path, "", MANY)).entries.map(({ kind }) => kind)).toEqual([
      "other",
      "link",
      "other",
    ]);
    expect(writer.exitCode).toBe(null);
    writer.kill();
    await writer.exited;
    await new Promise((resolve) => server.close(resolve));
  });

  test("[WS-45] a link that takes the place of a directory while it is read leads nowhere", async () => {
    await using dir = await tempDir();
    const root = dir.join("work");
    await write(dir.path, { "out/a.txt": "secret", "work/sub/a.txt": "inside" });
    for (let round = 0; round < 200; round += 1) {
      const reading = readFilePiece(root, whole("sub/a.txt")).then(
        ({ content }) => content,
        (error: unknown) => (error instanceof RefusalError ? error.refusal.code : String(error)),
      );
      // Each round lets the reader get a little further before the ground is moved.
      for (let step = 0; step < round % 10; step += 1) await lstat(root);
      renameSync(join(root, "sub"), join(root, "kept"));
      symlinkSync("../out", join(root, "sub"));
      expect(["inside", "FILE_NOT_FOUND", "FILE_UNREADABLE"]).toContain(await reading);
      unlinkSync(join(root, "sub"));
      renameSync(join(root, "kept"), join(root, "sub"));
    }
    expect((await readFilePiece(root, whole("sub/a.txt"))).content).toBe("inside");
  });

  test("[WS-45] a file of any size is read by pieces that join to the text", async () => {
    await using dir = await tempDir();
    const random = seededRandom("pieces");
    const letters = ["a", "\n", "é", "€", "😀", "\u202e"];
    const text = Array.from({ length: 2_000 }, () => random.pick(letters)).join("");
    await writeFile(dir.join("text"), text);
    for (const bytesMax of [1, 5, 64, 4_096]) expect(await readAll(dir.path, "text", bytesMax)).toBe(text);
    const huge = Buffer.alloc(11 * 1024 * 1024, "0123456789abcde\n");
    await writeFile(dir.join("huge"), huge);
    const first = await readFilePiece(dir.path, whole("huge"));
    expect([first.content.length, first.totalBytes, first.next]).toEqual([
      FILE_PIECE_BYTES_MAX,
      huge.length,
      FILE_PIECE_BYTES_MAX,
    ]);
    expect(await readAll(dir.path, "huge", FILE_PIECE_BYTES_MAX)).toBe(huge.toString());
    const last = await readFilePiece(dir.path, { path: "huge", from: huge.length - 3, bytesMax: 100 });
    expect([last.content, last.next]).toEqual(["de\n", undefined]);
    const after = await readFilePiece(dir.path, { path: "huge", from: huge.length + 5, bytesMax: 100 });
    expect([after.content, after.next]).toEqual(["", undefined]);
  });

  test("a start inside a character skips to the next one", async () => {
    const bytes = Buffer.from("€€");
    expect(pieceOfBuffer(bytes, 1, 100)).toMatchObject({ content: "€", from: 3 });
    expect(pieceOfBuffer(bytes, 0, 4)).toMatchObject({ content: "€", next: 3 });
  });

  test("bytes that are no text do not stop the reading", async () => {
    await using dir = await tempDir();
    await writeFile(dir.join("latin"), Buffer.from([0x61, 0xe9, 0x62, 0x80, 0x80, 0x80, 0x80, 0x80, 0xff]));
    for (const bytesMax of [1, 4, 100]) expect(await readAll(dir.path, "latin", bytesMax)).toStartWith("a");
  });

  test("binary files, empty files, directories and deleted files are distinguished", async () => {
    await using dir = await tempDir();
    await write(dir.path, { "sub/x": "", empty: "", binary: new Uint8Array([1, 0, 2]) });
    expect(await readFilePiece(dir.path, whole("binary"))).toMatchObject({ binary: true, content: "", totalBytes: 3 });
    expect(await readFilePiece(dir.path, whole("empty"))).toMatchObject({ binary: false, content: "", totalBytes: 0 });
    expect(await refusalOf(readFilePiece(dir.path, whole("sub")))).toMatchObject({ message: "sub is a directory." });
    expect(await refusalOf(readFilePiece(dir.path, whole("gone/x")))).toMatchObject({ code: "FILE_NOT_FOUND" });
  });

  test.skipIf(isRoot)("a file that may not be read is refused in words", async () => {
    await using dir = await tempDir();
    await writeFile(dir.join("closed"), "x", { mode: 0 });
    expect((await refusalOf(readFilePiece(dir.path, whole("closed")))).message).toContain(
      "No permission to read closed",
    );
  });
});

describe("opening a file in the editor", () => {
  test("the program gets file and line as they are, without a shell", async () => {
    await using dir = await tempDir();
    const name = "a $(touch ran) 'b'.txt";
    await write(dir.path, { [name]: "" });
    const program = dir.join("editor");
    await writeFile(
      program,
      `#!/bin/sh\nprintf '%s\\n' "$@" "$MINE" > '${dir.join("told.part")}'\nmv '${dir.join("told.part")}' '${dir.join("told")}'\n`,
      { mode: 0o755 },
    );
    const env = { PATH: process.env["PATH"] ?? "", MINE: "mine" };
    await openInEditor({ command: [program, "--goto", "{file}:{line}"], env }, dir.path, name, 9);
    await waitFor(
      () => Bun.file(dir.join("told")).exists(),
      (isThere) => isThere,
      "the editor has run",
    );
    expect(await readFile(dir.join("told"), "utf8")).toBe(`--goto\n${dir.join(name)}:9\nmine\n`);
    await rm(dir.join("told"));
    await openInEditor({ command: ["$EDITOR"], env: { ...env, EDITOR: `${program} --wait` } }, dir.path, name, null);
    await waitFor(
      () => Bun.file(dir.join("told")).exists(),
      (isThere) => isThere,
      "the editor has run",
    );
    expect(await readFile(dir.join("told"), "utf8")).toBe(`--wait\n${dir.join(name)}\nmine\n`);
    expect(await Bun.file(dir.join("ran")).exists()).toBe(false);
  });

  test("without an editor the refusal has the setting for config.json", async () => {
    await using dir = await tempDir();
    await write(dir.path, { "a.txt": "", "bin/zed": "#!/bin/sh\n" });
    await chmod(dir.join("bin/zed"), 0o755);
    const ask = (command: readonly string[] | null, path: string, env = { PATH: dir.join("bin") }) =>
      refusalOf(openInEditor({ command, env }, dir.path, path, 1));
    expect((await ask(null, "a.txt")).message).toContain('Put "editor": "zed" into config.json');
    expect((await ask(null, "a.txt", { PATH: "" })).message).toContain('"editor": "code" or "editor": "zed"');
    expect((await ask(["gone"], "a.txt")).message).toContain('The editor "gone" was not found');
    expect((await ask(["$EDITOR"], "a.txt")).message).toContain("neither VISUAL nor EDITOR is set");
    expect((await ask(["zed"], "../a.txt")).code).toBe("FILE_UNREADABLE");
    expect((await ask(["zed"], "bin")).message).toBe("bin is a directory.");
  });
});
