import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startGit } from "../../src/workspace/git/run-git.ts";
import { listFiles } from "../../src/workspace/list-files.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";

const GIT = Bun.which("git") ?? "";
const LIMITS = { filesMax: 1_000, durationMsMax: 60_000 };
/** A name that a command line could not carry as `name=value`. */
const DRIVER = "ca=nary x";
const HOOKS = ["post-index-change", "post-checkout", "pre-commit", "fsmonitor-watchman", "reference-transaction"];

function git(root: string, ...words: string[]) {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgSign=false"];
  return Bun.spawnSync([GIT, ...identity, "-C", root, ...words], { stdout: "pipe", stderr: "pipe" });
}

/** A repository with a commit, and a program beside it that leaves a mark when it is run. */
async function repositoryWithCanary(dir: TempDir) {
  const root = dir.join("repository");
  const canary = dir.join("canary");
  const mark = dir.join("mark");
  await writeFile(canary, `#!/bin/sh\necho "$0 $*" >> '${mark}'\nexit 1\n`, { mode: 0o755 });
  await mkdir(root);
  git(root, "init", "-q");
  await writeFile(join(root, ".gitignore"), "*.log\n");
  await writeFile(join(root, "a.txt"), "one\n");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
  await writeFile(join(root, "a.txt"), "two\n");
  await writeFile(join(root, "new.txt"), "new\n");
  return { root, canary, wasRun: () => existsSync(mark), forget: () => rm(mark, { force: true }) };
}

/** Listing files needs an object that is not there, and the settings say where it could be fetched. */
async function makePartial(root: string): Promise<void> {
  const blob = git(root, "rev-parse", "HEAD:.gitignore").stdout.toString().trim();
  git(root, "update-index", "--skip-worktree", ".gitignore");
  await rm(join(root, ".gitignore"));
  await rm(join(root, ".git/objects", blob.slice(0, 2), blob.slice(2)), { force: true });
  git(root, "config", "core.repositoryFormatVersion", "1");
  git(root, "config", "extensions.partialClone", "origin");
  git(root, "config", "remote.origin.promisor", "true");
}

const TRICKS: readonly (readonly [string, (root: string, canary: string) => Promise<void>])[] = [
  [
    "a missing object and remote.*.uploadpack",
    async (root, canary) => {
      await makePartial(root);
      git(root, "config", "remote.origin.url", root);
      git(root, "config", "remote.origin.uploadpack", canary);
    },
  ],
  [
    "a missing object and core.sshCommand",
    async (root, canary) => {
      await makePartial(root);
      git(root, "config", "remote.origin.url", "ssh://127.0.0.1:1/x");
      git(root, "config", "core.sshCommand", canary);
    },
  ],
  [
    "a missing object and an ext:: address",
    async (root, canary) => {
      await makePartial(root);
      git(root, "config", "remote.origin.url", `ext::${canary}`);
      git(root, "config", "protocol.ext.allow", "always");
    },
  ],
  [
    "a missing object and core.gitProxy",
    async (root, canary) => {
      await makePartial(root);
      git(root, "config", "remote.origin.url", "git://127.0.0.1:1/x");
      git(root, "config", "core.gitProxy", canary);
    },
  ],
  [
    "core.fsmonitor in an included file",
    async (root, canary) => {
      await writeFile(join(root, "more"), `[core]\n\tfsmonitor = ${canary}\n`);
      git(root, "config", "include.path", "../more");
    },
  ],
];

test.skipIf(GIT === "").each(TRICKS)(
  "X-7 listing files runs nothing of the repository's: %s (S3)",
  async (_, prepare) => {
    await using dir = await tempDir();
    const { root, canary, wasRun, forget } = await repositoryWithCanary(dir);
    await prepare(root, canary);
    git(root, "ls-files", "-co", "--exclude-standard");
    // Else the attack itself does not work, and proves nothing.
    expect(wasRun()).toBeTrue();
    await forget();
    const { paths } = await listFiles(root, LIMITS);
    expect(wasRun()).toBeFalse();
    expect(paths).toContain("a.txt");
  },
);

test.skipIf(GIT === "")("X-7 a folder that only looks like a repository is not taken for one (S3)", async () => {
  await using dir = await tempDir();
  const { root, canary, wasRun, forget } = await repositoryWithCanary(dir);
  const folder = join(root, "assets");
  await cp(join(root, ".git"), folder, { recursive: true });
  git(folder, "config", "core.bare", "false");
  git(folder, "config", "core.worktree", ".");
  git(folder, "config", "core.fsmonitor", canary);
  git(folder, "config", "alias.canary", `!${canary}`);
  git(folder, "status");
  expect(wasRun()).toBeTrue();
  await forget();
  const { paths } = await listFiles(folder, LIMITS);
  expect(wasRun()).toBeFalse();
  expect(paths).toContain("HEAD");
  expect((await listFiles(root, LIMITS)).paths).toContain("a.txt");
  expect(wasRun()).toBeFalse();
});

/** Every setting this Git knows whose name or meaning is a program, and some of newer versions. */
function programSettings(): readonly string[] {
  const known = Bun.spawnSync([GIT, "help", "--config"]).stdout.toString().split("\n");
  const isProgram =
    /(?:command|cmd|program|helper|editor|pager|hook|hookspath|tool|browser|driver|external|proxy|askpass|fsmonitor|tunnel|filter|pack|vcs|textconv|clean|smudge|process|>\.path)$/i;
  const newer = ["filter.<driver>.process", "hook.<name>.command", "trailer.<token>.cmd", "interactive.diffFilter"];
  return (
    [...known, ...newer, "alias.<cmd>", "pager.<cmd>", "credential.<url>.helper"]
      .filter((name) => isProgram.test(name) || /^(?:alias|pager)\./.test(name))
      // Not programs: Git stops at a path where it expects yes or no.
      .filter(
        (name) =>
          !/^(?:advice|color|column|gui|include|includeIf)\.|^submodule\.<name>\.path|cachetextconv$|\*$/i.test(name),
      )
  );
}

test.skipIf(GIT === "")(
  "X-7 none of the settings that name a program runs it, by any command that reads (S3)",
  async () => {
    await using dir = await tempDir();
    const { root, canary, wasRun, forget } = await repositoryWithCanary(dir);
    const settings = programSettings();
    expect(settings.length).toBeGreaterThan(40);
    const lines = settings.map((name) => {
      const [, section = "", subsection, key = ""] = /^([^.]+)(?:\.(.+))?\.([^.]+)$/.exec(name) ?? [];
      const names = subsection === undefined ? [null] : subsection.startsWith("<") ? [DRIVER, "origin"] : [subsection];
      const shownKey = key.startsWith("<") ? "log" : key;
      return names.map((one) => `[${section}${one === null ? "" : ` "${one}"`}]\n\t${shownKey} = ${canary}\n`).join("");
    });
    const config = join(root, ".git/config");
    await writeFile(
      config,
      `${await Bun.file(config).text()}\n[filter "${DRIVER}"]\n\trequired = true\n${lines.join("")}`,
    );
    await writeFile(join(root, ".git/info/attributes"), `* filter=origin diff=origin merge=origin\n`);
    for (const hook of HOOKS) await cp(canary, join(root, ".git/hooks", hook));
    git(root, "diff");
    git(root, "status");
    expect(wasRun()).toBeTrue();
    await forget();

    const commands = [
      "ls-files -co",
      "status --porcelain",
      "diff",
      "log -p --ext-diff --textconv",
      "show --show-signature",
    ];
    const more = [
      "grep --textconv one",
      "blame a.txt",
      "cat-file --textconv HEAD:a.txt",
      "add -A",
      "branch -v",
      "canary",
    ];
    for (const command of [...commands, ...more, "fetch origin", "commit -m x", "archive HEAD", "var GIT_EDITOR"]) {
      using process = await startGit(root, command.split(" "), AbortSignal.timeout(LIMITS.durationMsMax));
      const [, exitCode] = await Promise.all([new Response(process?.stdout).text(), process?.exited]);
      if (/^(?:ls-files|status|branch|add)/.test(command))
        expect({ command, exitCode }).toEqual({ command, exitCode: 0 });
      expect({ command, started: process !== null, wasRun: wasRun() }).toEqual({
        command,
        started: true,
        wasRun: false,
      });
    }
    expect((await listFiles(root, LIMITS)).paths).toContain("a.txt");
    expect(wasRun()).toBeFalse();
  },
);
