import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { RefusalError } from "../../src/protocol/errors.ts";
import { type CommittedFile, commitFiles as commitIn } from "../../src/workspace/git/commit.ts";
import { type RawPath, rawPath } from "../../src/workspace/git/raw-path.ts";
import { git, gitScene, picture, write } from "./git-scene.ts";

const ENV = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", GIT_DIR: "/nowhere" };
type Limits = NonNullable<Parameters<typeof commitIn>[4]>;
const commitFiles = (root: string, files: readonly CommittedFile[], message: string, limits?: Limits) =>
  commitIn(root, files, message, ENV, limits);
const file = (path: string): CommittedFile => ({ path: rawPath(path) });
const partOf = (path: string, content: string): CommittedFile => ({
  path: rawPath(path),
  part: { content: Buffer.from(content), mode: "100644" },
});
const shown = (root: string, what: string) => git(root, "show", what);
const staged = (root: string) => git(root, "diff", "--cached", "--name-status").trim();

async function identified(files?: Record<string, string>) {
  const at = await gitScene(files);
  git(at.root, "config", "user.name", "The User");
  git(at.root, "config", "user.email", "user@example.org");
  return at;
}

async function hook(root: string, name: string, text: string): Promise<void> {
  await mkdir(join(root, ".git/hooks"), { recursive: true });
  await writeFile(join(root, ".git/hooks", name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
}

async function refusal(commit: Promise<unknown>): Promise<{ message: string; details?: string }> {
  const error = await commit.catch((reason: unknown) => reason);
  if (!(error instanceof RefusalError)) throw error;
  expect(error.refusal.code).toBe("GIT_REFUSED");
  return error.refusal;
}

test("[WS-23] a commit takes the chosen files alone; what else is staged stays staged", async () => {
  await using at = await identified({ "a.txt": "1\n", "b.txt": "1\n", "c.txt": "1\n", "gone.txt": "1\n" });
  await write(at.root, {
    "a.txt": "2\n",
    "b.txt": "staged\n",
    "c.txt": "staged\n",
    "new.txt": "n\n",
    "new\nline": "n\n",
  });
  git(at.root, "add", "b.txt", "c.txt");
  await write(at.root, { "c.txt": "chosen\n" });
  await rm(join(at.root, "gone.txt"));
  const files = ["a.txt", "c.txt", "new.txt", "gone.txt", "new\nline"].map(file);
  const { commit, output } = await commitFiles(at.root, files, "# Not a comment\n\nBody\n");
  expect(commit).toBe(git(at.root, "rev-parse", "HEAD").trim());
  expect(output).toContain("5 files changed");
  expect(shown(at.root, "HEAD:c.txt")).toBe("chosen\n");
  expect(shown(at.root, "HEAD:b.txt")).toBe("1\n");
  expect(git(at.root, "log", "-1", "--format=%an %B").trim()).toBe("The User # Not a comment\n\nBody");
  expect(staged(at.root)).toBe("M\tb.txt");
  expect(shown(at.root, ":b.txt")).toBe("staged\n");
  expect(git(at.root, "status", "--porcelain").trim()).toBe("M  b.txt");
});

test("[WS-23] the output of hooks is given; one that fails refuses, and the index is as before", async () => {
  await using at = await identified();
  await hook(at.root, "pre-commit", "echo checked by the hook; echo and a warning >&2");
  await write(at.root, { "a.txt": "2\n", "new.txt": "n\n" });
  const { output } = await commitFiles(at.root, [file("a.txt")], "second");
  expect(output).toContain("checked by the hook");
  expect(output).toContain("and a warning");
  await hook(at.root, "pre-commit", "echo the tests fail; exit 1");
  await write(at.root, { "a.txt": "3\n", "src/b.txt": "staged\n" });
  git(at.root, "add", "src/b.txt");
  const before = [git(at.root, "ls-files", "--stage"), git(at.root, "rev-parse", "HEAD"), await picture(at.root)];
  const { message, details } = await refusal(commitFiles(at.root, [file("a.txt"), file("new.txt")], "third"));
  expect(message).toContain("Nothing was changed");
  expect(details).toContain("the tests fail");
  expect([git(at.root, "ls-files", "--stage"), git(at.root, "rev-parse", "HEAD"), await picture(at.root)]).toEqual(
    before,
  );
  expect((await refusal(commitFiles(at.root, [partOf("a.txt", "x\n")], "part"))).details).toContain("the tests fail");
  expect([git(at.root, "ls-files", "--stage"), git(at.root, "rev-parse", "HEAD"), await picture(at.root)]).toEqual(
    before,
  );
});

test("[WS-23] a commit is signed by the user's program, and one that hangs is stopped", async () => {
  await using at = await identified();
  const signer = at.dir.join("signer");
  await writeFile(
    signer,
    "#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED D' >&2\nprintf -- '-----BEGIN PGP SIGNATURE-----\\nfake\\n-----END PGP SIGNATURE-----\\n'\n",
    { mode: 0o755 },
  );
  git(at.root, "config", "commit.gpgSign", "true");
  git(at.root, "config", "gpg.program", signer);
  await write(at.root, { "a.txt": "2\n" });
  await commitFiles(at.root, [file("a.txt")], "signed");
  expect(git(at.root, "cat-file", "commit", "HEAD")).toContain("gpgsig -----BEGIN PGP SIGNATURE-----");
  const head = git(at.root, "rev-parse", "HEAD");
  await hook(at.root, "pre-commit", "echo waits; exec sleep 600");
  await write(at.root, { "a.txt": "3\n" });
  const slow = await refusal(commitFiles(at.root, [file("a.txt")], "never", { timeoutMs: 300, lockWaitMs: 0 }));
  expect(slow.message).toContain("was stopped");
  expect(existsSync(join(at.root, ".git/index.lock"))).toBe(false);
  expect(git(at.root, "rev-parse", "HEAD")).toBe(head);
});

test("[WS-23] single places are committed where nothing else of the file is staged", async () => {
  const lines = (...changed: number[]) =>
    Array.from({ length: 9 }, (_, at) => `${at}${changed.includes(at) ? " changed" : ""}\n`).join("");
  await using at = await identified({
    "a.txt": lines(),
    "b.txt": "1\n",
    ".gitattributes": "*.crlf text eol=crlf\n",
    "w.crlf": lines(),
  });
  await write(at.root, {
    "a.txt": lines(1, 7),
    "b.txt": "2\n",
    "new.txt": "n\n",
    "w.crlf": lines(1, 7).replaceAll("\n", "\r\n"),
  });
  git(at.root, "add", "b.txt");
  const files = [partOf("a.txt", lines(1)), partOf("w.crlf", lines(7).replaceAll("\n", "\r\n")), file("new.txt")];
  await commitFiles(at.root, files, "parts");
  expect(shown(at.root, "HEAD:a.txt")).toBe(lines(1));
  expect(shown(at.root, "HEAD:w.crlf")).toBe(lines(7));
  expect(shown(at.root, "HEAD:new.txt")).toBe("n\n");
  expect(await Bun.file(join(at.root, "a.txt")).text()).toBe(lines(1, 7));
  expect(staged(at.root)).toBe("M\tb.txt");
  expect(git(at.root, "diff", "--name-only").trim().split("\n")).toEqual(["a.txt", "w.crlf"]);
  const refused = await refusal(commitFiles(at.root, [partOf("b.txt", "x\n")], "no"));
  expect(refused.message).toContain("b.txt are staged already");
});

test("[WS-8] a lock of another process is waited for and never removed", async () => {
  await using at = await identified();
  await write(at.root, { "a.txt": "2\n" });
  const lock = join(at.root, ".git/index.lock");
  await writeFile(lock, "");
  const { message, details } = await refusal(
    commitFiles(at.root, [file("a.txt")], "second", { timeoutMs: 60_000, lockWaitMs: 200 }),
  );
  expect(message).toContain("Another Git process");
  expect(details).toContain(lock);
  expect(existsSync(lock)).toBe(true);
  const waiting = commitFiles(at.root, [file("a.txt")], "second");
  await rm(lock);
  await waiting;
  expect(git(at.root, "log", "-1", "--format=%s").trim()).toBe("second");
});

test("[WS-23] Git's own words are given when it refuses; an unfinished merge is named", async () => {
  await using at = await identified();
  await write(at.root, { "a.txt": "2\n" });
  expect((await refusal(commitFiles(at.root, [file("a.txt")], "  \n"))).details).toContain("empty commit message");
  expect((await refusal(commitFiles(at.root, [file("none.txt")], "x"))).details).toContain("did not match any file");
  await writeFile(join(at.root, ".git/MERGE_HEAD"), git(at.root, "rev-parse", "HEAD"));
  expect((await refusal(commitFiles(at.root, [file("a.txt")], "x"))).message).toContain("not finished");
  const plain = await refusal(commitFiles(at.dir.path, [{ path: "a" as RawPath }], "x"));
  expect(plain.message).toContain("git init");
});

/** A machine that needs longer for the commit itself, which nothing is left of then, gets twice as long. */
async function commitUnderLimit(root: string, chosen: CommittedFile): ReturnType<typeof commitIn> {
  for (let timeoutMs = 2_000; ; timeoutMs *= 2) {
    const head = git(root, "rev-parse", "HEAD");
    try {
      return await commitFiles(root, [chosen], "made", { timeoutMs, lockWaitMs: 0 });
    } catch (error) {
      expect(git(root, "rev-parse", "HEAD")).toBe(head);
      if (timeoutMs > LIMIT_MS_MAX) throw error;
    }
  }
}

const LIMIT_MS_MAX = 20_000;

test("WS-23 a hook that runs after the commit and is stopped for its time leaves the commit, with its files tracked", async () => {
  await using at = await identified();
  await hook(at.root, "post-commit", "sleep 60");
  await write(at.root, { "new.txt": "new\n", "a.txt": "two\n" });
  for (const chosen of [file("new.txt"), partOf("a.txt", "two\n")]) {
    const { commit, output } = await commitUnderLimit(at.root, chosen);
    expect(output).toContain("The commit was made.");
    expect(commit).toBe(git(at.root, "rev-parse", "HEAD").trim());
  }
  expect(git(at.root, "status", "--porcelain")).toBe("");
  expect(shown(at.root, "HEAD~1:new.txt")).toBe("new\n");
});
