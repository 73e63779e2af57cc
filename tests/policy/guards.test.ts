import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import type { PermissionMode, RuleDraft } from "../../src/protocol/permission-policy.ts";
import { HARMLESS_TABLE } from "../../src/sessions/policy/harmless-arguments.ts";
import { roundsOf, seededRandom } from "../support/seeded-random.ts";
import { type PolicyTree, policyTree } from "./policy-tree.ts";

let tree: PolicyTree;
beforeAll(async () => {
  tree = await policyTree();
  // What Git takes for a repository: a hostile clone can bring it along under any name.
  for (const folder of ["vendor/data/objects", "vendor/data/refs", "vendor/data/hooks"])
    await mkdir(`${tree.root}/${folder}`, { recursive: true });
  await writeFile(`${tree.root}/vendor/data/HEAD`, "ref: refs/heads/main\n");
});
afterAll(() => tree[Symbol.asyncDispose]());

const allow = (command: string, exact?: true): RuleDraft => ({ effect: "allow", command, ...(exact && { exact }) });
const deny = (command: string): RuleDraft => ({ effect: "deny", command });
const ran = async (command: string, rules: readonly RuleDraft[], mode: PermissionMode = "ask", input: object = {}) =>
  (await tree.judge({ tool: { kind: "execute", input: { command, ...input } }, rules, mode })).answer;
const edited = async (path: string, mode: PermissionMode = "edits", rules: readonly RuleDraft[] = []) =>
  (await tree.judge({ tool: { kind: "edit", input: { file_path: path } }, mode, rules })).answer;

describe("X-4 paths of commands (S5)", () => {
  const places = [
    "../outside/file",
    "{outside}/file",
    "/etc/hostname",
    "link/file",
    "file-link",
    "dangling",
    "src/../../outside/file",
    "docs/out/file",
    "loop/x",
    "own-data/token",
    "./own-data/../own-data/token",
    "{root}/own-data/token",
    ".git/config",
    ".GIT/config",
    ".env",
    "src/.env.local",
    ".ssh/id_rsa",
    ".npmrc",
  ];

  test("X-4 a path that leaves the session's directory or is guarded asks, under every use of the table", async () => {
    const random = seededRandom("paths of commands");
    const uses = Object.entries(HARMLESS_TABLE).filter(([, { operands }]) => operands === "paths");
    expect(uses.length).toBeGreaterThan(20);
    for (const [use] of uses) {
      const first = /^(grep|rg|git grep)$/.test(use) ? "x " : use === "sed" ? "1p " : "";
      const good = `${use} ${first}src/a.ts`;
      expect([good, await ran(good, [allow(use)])]).toEqual([good, "allow"]);
      for (const place of Array.from({ length: roundsOf(60) }, () => random.pick(places))) {
        const line = random.pick([
          `${use} ${first}${place}`,
          `${use} ${first}src/a.ts '${place}'`,
          `cd src && ${use} ${first}${/^[{/]/.test(place) ? "" : "../"}${place}`,
        ]);
        expect([line, await ran(line, [allow(use)])]).toEqual([line, "ask"]);
      }
    }
  });

  test("X-4 the same attached to an option, behind a sign, redirected, or as the directory it runs in", async () => {
    const asked: readonly (readonly [string, string])[] = [
      ["find", "find src -newer /etc/hostname"],
      ["find", "find src -samefile ../outside/file"],
      ["git show", "git show HEAD:../outside/file"],
      ["git show", "git show HEAD:.env"],
      ["cat", "cat < ../outside/file"],
      ["cat", "cat < own-data/token"],
      ["cat", "cat < .env"],
      ["cat", "cd own-data && cat token"],
      ["cat", "cd .git && cat config"],
      ["cat", "cd link && cat file"],
      ["cat", "cd src/.. && cd .. && cat outside/file"],
      ["grep", "grep -r token ."],
      ["grep", "grep -r token"],
      ["rg", "rg token"],
      ["ls", "ls -R"],
      ["find", "find . -name token"],
      ["git status", "cd vendor/data && git status"],
      ["git log", "cd vendor/data/refs && git log"],
    ];
    for (const [use, line] of asked) expect([line, await ran(line, [allow(use)])]).toEqual([line, "ask"]);
    for (const key of ["cwd", "directory", "dir_path", "workingDirectory", "working_dir", "workdir", "dir", "folder"])
      for (const place of ["{outside}", "..", "own-data", "link"])
        expect([key, place, await ran("ls", [allow("ls")], "ask", { [key]: place })]).toEqual([key, place, "ask"]);
    expect(await ran("ls", [allow("ls")], "ask", { directory: "src" })).toBe("allow");
  });

  test("X-4 an exact rule reaches the place outside that it names, and our own data never", async () => {
    expect(await ran("cat /etc/hostname", [allow("cat /etc/hostname", true)])).toBe("allow");
    expect(await ran("cat link/file", [allow("cat link/file", true)])).toBe("ask");
    for (const line of [
      "cat own-data/token",
      "rm -f own-data/liminal.db",
      "dd if=own-data/token",
      "tar --file=own-data/x",
    ])
      expect([line, await ran(line, [allow(line, true)])]).toEqual([line, "ask"]);
  });
});

describe("X-4 rules that deny (S7)", () => {
  const wrappers =
    "prlimit --nofile=9¦setarch x86_64¦linux32¦/lib64/ld-linux-x86-64.so.2¦/lib/ld-musl-x86_64.so.1¦nice -n 5¦ionice -c3¦timeout -s KILL 5¦stdbuf -o0¦busybox¦env¦env -i¦env A=1¦env -S¦xargs¦xargs -n1¦sudo¦sudo -u x¦doas¦chroot /x¦unshare -r¦nsenter -t 1¦script -c¦flock f¦flock f -c¦watch¦strace -f¦ltrace¦time¦time -p¦command¦builtin¦exec¦exec -a x¦eval¦sh -c¦bash -lc¦setsid¦nohup¦taskset 1¦chrt 1¦systemd-run¦unknown-wrapper¦unknown-wrapper --opt=1 --¦docker exec x¦docker run --entrypoint=¦npx -c¦ssh host¦find . -exec¦fd -x¦parallel¦make SHELL=¦git -c alias.x=!¦tar --to-command=¦rsync -e¦awk system¦python3 -c¦perl -e¦node -e¦ruby -e¦noglob¦nocorrect¦repeat 2¦coproc¦!¦if true; then¦{¦(".split(
      "¦",
    );
  const names = ["rm", "/bin/rm", "r''m", "\\rm", '"rm"', "RM", "./rm", "rm.exe"];
  const patterns = [
    "/bin/r?",
    "/bin/r*",
    "/b?n/rm",
    "/bin/[r]m",
    "{rm,-rf}",
    "r{m,x}",
    "$RM",
    "$X$Y",
    "`echo rm`",
    "$(echo rm)",
    "~/rm",
    "=rm",
    "r\\\nm",
  ];

  test("X-4 under Allow everything no wrapper, spelling or pattern gets a denied program through", async () => {
    const random = seededRandom("denied programs");
    for (const wrapper of ["", ...wrappers])
      for (const name of [...names, ...patterns]) {
        const separator = /[=!]$/.test(wrapper) && !/^!$/.test(wrapper) && random.between(0, 1) ? "" : " ";
        for (const line of [
          `${wrapper}${separator}${name} -rf x`,
          `${wrapper}${separator}'${name.replaceAll("'", "")} -rf x'`,
          `npm test; ${wrapper} ${name} x`,
        ]) {
          // Quoted whole and started by nothing, it is a program of that very name.
          if (wrapper === "" && line.startsWith(" '")) continue;
          // In quotes a pattern is no pattern, unless a program reads it as a command.
          if (line.includes("'") && patterns.includes(name)) continue;
          expect([line, (await ran(line, [deny("rm")], "all")) !== "allow"]).toEqual([line, true]);
        }
      }
  });

  test("X-4 a denied subcommand or option that is shortened, moved or filled in asks", async () => {
    const asked: readonly (readonly [string, string])[] = [
      ["git push", "git p?sh"],
      ["git push", "git {push,--force}"],
      ["git push", "git -C . push"],
      ["git push", "wrap git push"],
      ["npm publish", "npm publi"],
      ["rm -rf", "rm -fr x"],
      ["rm -rf", "rm -r -f x"],
      ["rm -rf", "rm --recursive --force x"],
      ["git push --force", "git push -f"],
      ["git push --force", "git push --forc"],
    ];
    for (const [rule, line] of asked) expect([line, await ran(line, [deny(rule)], "all")]).toEqual([line, "ask"]);
    for (const line of [
      "echo rm",
      "ls src",
      "git log --grep 'rm x'",
      "npm test",
      "git commit -m 'rm the file'",
      "mkdir confirm",
    ])
      expect([line, await ran(line, [deny("rm"), deny("git push")], "all")]).toEqual([line, "allow"]);
  });

  test("X-4 a denied path is found attached to an option", async () => {
    const rules: RuleDraft[] = [{ effect: "deny", path: "secrets/**" }];
    for (const word of [
      "--file=secrets/key",
      "-fsecrets/key",
      "-xfsecrets/key",
      "@secrets/key",
      "a:secrets/key",
      "if=secrets/key",
      "-Isecrets/key",
    ])
      expect([word, (await ran(`tool ${word}`, rules, "all")) !== "allow"]).toEqual([word, true]);
  });
});

describe("X-4 files that make tools run programs (S8)", () => {
  const guarded =
    ".git¦.git/config¦sub/.git¦.gitmodules¦.gitattributes¦.husky/pre-commit¦.vscode/tasks.json¦x.code-workspace¦.idea/workspace.xml¦.envrc¦.cargo/config.toml¦.npmrc¦.yarnrc¦.yarnrc.yml¦.yarn/releases/yarn.cjs¦.pnpmfile.cjs¦.pre-commit-config.yaml¦lefthook.yml¦.mvn/jvm.config¦.gdbinit¦.lldbinit¦.vim/plugin/x.vim¦.vimrc¦.nvim.lua¦.exrc¦.bashrc¦.bash_aliases¦.bash_logout¦.zshrc¦.zshenv¦.zlogin¦.profile¦.inputrc¦.pythonrc.py¦sitecustomize.py¦lib/usercustomize.py¦x.pth¦.pdbrc¦.irbrc¦.Rprofile¦.dir-locals.el¦bunfig.toml¦.tmux.conf¦.mise.toml¦.tool-versions¦.devcontainer/devcontainer.json¦.github/workflows/ci.yml¦.claude/settings.json¦.mcp.json¦.ssh/config¦.env.local¦node_modules/.bin/tsc¦.bundle/config¦.bazelrc¦.ghci¦.sqliterc".split(
      "¦",
    );
  const ordinary =
    "package.json¦Makefile¦Cargo.toml¦conftest.py¦tests/conftest.py¦build.rs¦tsconfig.json¦src/head.ts¦src/head/index.ts¦src/config¦src/objects/a.ts¦src/refs/b.ts¦.gitignore¦.editorconfig¦.prettierrc¦README.md¦git/notes.md¦src/environment.ts".split(
      "¦",
    );

  test("X-4 under Allow edits they ask, in every letter case and folder; ordinary source does not", async () => {
    const random = seededRandom("guarded files");
    for (const name of guarded)
      for (const path of [name, `src/deep/${name}`, name.toUpperCase(), `{root}/${name}`, `src/../${name}`]) {
        const spelled = random.between(0, 3) === 0 ? `./${path}`.replace("./{", "{") : path;
        expect([spelled, await edited(spelled)]).toEqual([spelled, "ask"]);
        expect([spelled, await edited(spelled, "ask", [{ effect: "allow", path: "**" }])]).toEqual([spelled, "ask"]);
      }
    for (const name of ordinary) expect([name, await edited(name)]).toEqual([name, "allow"]);
  });

  test("X-4 a repository is known by its shape: it is neither made nor changed, in whatever order", async () => {
    const random = seededRandom("nested repositories");
    for (let round = 0; round < roundsOf(200); round += 1) {
      const folder = Array.from({ length: random.between(1, 3) }, () => random.pick(["a", "lib", "data", "x.y"])).join(
        "/",
      );
      for (const name of ["HEAD", "head", "commondir"])
        expect([folder, name, await edited(`${folder}/${name}`)]).toEqual([folder, name, "ask"]);
    }
    for (const name of [
      "config",
      "hooks/post-checkout",
      "objects/x",
      "refs/x",
      "info/attributes",
      "packed-refs",
      "new/deep",
    ]) {
      expect([name, await edited(`vendor/data/${name}`)]).toEqual([name, "ask"]);
      expect([name, await edited(`vendor/data/${name}`, "ask", [{ effect: "allow", path: "**" }])]).toEqual([
        name,
        "ask",
      ]);
    }
    expect(await edited("vendor/other/config")).toBe("allow");
  });
});

describe("X-4 what a tool is given (S16)", () => {
  const nested = (levels: number, value: unknown): unknown =>
    levels === 0 ? value : levels % 2 === 0 ? [nested(levels - 1, value)] : { inner: nested(levels - 1, value) };
  const judged = async (input: unknown, rules: readonly RuleDraft[] = []) =>
    (await tree.judge({ tool: { kind: "edit", locations: [{ path: "src/a.ts" }], input }, mode: "edits", rules }))
      .answer;

  test("X-4 a path is found at every depth, or what is too deep asks", async () => {
    for (let levels = 0; levels < 40; levels += 1) {
      expect([levels, await judged({ edits: nested(levels, { path: "../outside/file" }) })]).toEqual([levels, "ask"]);
      expect([levels, await ran("ls", [allow("ls")], "ask", { more: nested(levels, { cwd: "../outside" }) })]).toEqual([
        levels,
        "ask",
      ]);
    }
    expect(await judged({ edits: nested(3, { path: "src/a.ts" }) })).toBe("allow");
    expect(await judged([{ path: "../outside/file" }])).toBe("ask");
    expect(await judged({ changes: { "../outside/file": "x" } })).toBe("ask");
    expect(await judged({ path: `src/${"x/../".repeat(2_000)}../../outside/file` })).toBe("ask");
  });

  test("X-4 a patch for a/x is judged as a/x and as x", async () => {
    const denied: RuleDraft[] = [{ effect: "deny", path: "a/**" }];
    const inX: RuleDraft[] = [{ effect: "deny", path: "x.ts" }];
    for (const line of [
      "--- a/x.ts\n+++ a/x.ts\n",
      "+++ a/x.ts\t2026-01-01\n",
      "Index: a/x.ts\n",
      "diff --git a/x.ts b/x.ts\nold mode 100644\n",
      "rename to a/x.ts\n",
      '+++ "a/x.ts"\n',
      "  +++ a/x.ts\r\n",
      "*** a/x.ts\t2026\n",
    ]) {
      expect([line, await judged({ patch: line }, denied)]).toEqual([line, "deny"]);
      expect([line, await judged({ patch: line }, inX)]).toEqual([line, "deny"]);
      expect([line, await judged({ patch: line })]).toEqual([line, "allow"]);
    }
    for (const line of [
      "+++ b/../../outside/file\n",
      "+++ b/link/x\n",
      "diff --git a/.git/hooks/x b/.git/hooks/x\n",
      '--- "a/../../x"\n',
      "*** Update File: a/.envrc\n",
    ])
      expect([line, await judged({ patch: line })]).toEqual([line, "ask"]);
  });
});
