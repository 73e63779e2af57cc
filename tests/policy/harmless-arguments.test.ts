import { describe, expect, test } from "bun:test";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RuleDraft } from "../../src/protocol/permission-policy.ts";
import { evaluatePolicy } from "../../src/sessions/policy/evaluate-policy.ts";
import { HARMLESS_TABLE } from "../../src/sessions/policy/harmless-arguments.ts";
import { describeRequest } from "../../src/sessions/policy/permission-subject.ts";
import { ROOT, scoped, someFacts } from "../fuzz/targets/policy-words.ts";
import { roundsOf, type SeededRandom, seededRandom } from "../support/seeded-random.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import { type PolicyTree, policyTree } from "./policy-tree.ts";

const PROGRAMS_TIMEOUT_MS = 120_000;
const USES = Object.keys(HARMLESS_TABLE);
/** Builtins have no page of their own; npm's settings are in no page of a command; the demo names of go and tsc are not installed everywhere. */
const WITHOUT_PAGE = new Set(["echo", "pwd", "true", "false", "printf", "which", "npm t", "npm test", "npm start"]);

const rule = (command: string): RuleDraft => ({ effect: "allow", command });
/** Without a disk: every path of these lines stays inside. */
const judge = (command: string, use: string) =>
  evaluatePolicy(
    describeRequest({ toolCallId: "call", name: "Run", kind: "execute", input: { command } }, ROOT),
    { mode: "ask", modeFrom: "session", rules: scoped([rule(use)]) },
    someFacts(),
  ).answer;
const optionsIn = (use: string) =>
  (HARMLESS_TABLE[use]?.options ?? "").split(" ").flatMap((spec) => {
    const [, name, sign, kind = ""] = /^(-[^:?]*)(?:([:?])(\w+))?$/.exec(spec) ?? [];
    return name === undefined ? [] : [{ name, sign, kind }];
  });

// biome-ignore lint/suspicious/noControlCharactersInRegex: manual pages have them
const OVERSTRUCK = /.\u0008/g;

async function output(command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    env: { ...process.env, MANPAGER: "cat", PAGER: "cat", MANWIDTH: "2000" },
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  await child.exited;
  // A launcher that finds no program behind it prints a refusal instead; git says with 129 that it only printed help.
  if (child.exitCode !== 0 && child.exitCode !== 129) return "";
  // Manual pages print letters twice over each other to make them bold.
  return `${out}\n${err}`.replaceAll(OVERSTRUCK, "").replaceAll("\u2010", "-").replaceAll("\u2212", "-");
}

/** Uses that another page describes. */
const PAGES: Readonly<Record<string, string>> = {
  "git stash list": "git log",
  "git show": "git log",
  "cargo clippy": "cargo check",
};

/** How a program is asked for all of its options, where that is not `--help`. */
const HELP_OPTIONS: Readonly<Record<string, string>> = { git: "-h", tsc: "--all" };

/** What an installed program says about its options; null when it is not installed or says nothing. */
async function helpOf(use: string): Promise<string | null> {
  const words = (PAGES[use] ?? use).split(" ");
  const [program = ""] = words;
  if (Bun.which(program) === null || WITHOUT_PAGE.has(use)) return null;
  const text = await output([...words, HELP_OPTIONS[program] ?? "--help"]);
  return text.length < 200 ? null : text;
}

/** Its manual page, which takes a while to set: only where the help leaves options out. */
const manualOf = (use: string) =>
  Bun.which("man") === null
    ? Promise.resolve("")
    : output(["man", (PAGES[use] ?? use).split(" ").slice(0, 2).join("-")]);

/** The options a text names, as they are typed. */
function optionsNamed(text: string): ReadonlySet<string> {
  const plain = text.replace(/--\[no-\]([\w-]+)/g, "--$1 --no-$1");
  return new Set([...plain.matchAll(/(?<![\w-])--?[a-zA-Z0-9][\w-]*/g)].map(([name]) => name));
}

describe("X-4 the table of harmless arguments (S4)", () => {
  test(
    "X-4 every option of the table is one of the installed program's",
    async () => {
      const unknown: string[] = [];
      let compared = 0;
      for (const use of USES) {
        const help = await helpOf(use);
        if (help === null) {
          console.log(`${use}: not installed or without help, its options were not compared`);
          continue;
        }
        compared += 1;
        const missingIn = (text: string) => {
          const known = optionsNamed(text);
          return optionsIn(use).filter(({ name }) => name !== "-0" && !known.has(name));
        };
        const missing = missingIn(help).length > 0 ? missingIn(`${help}\n${await manualOf(use)}`) : [];
        unknown.push(...missing.map(({ name }) => `${use} ${name}`));
      }
      expect(unknown).toEqual([]);
      expect(compared).toBeGreaterThan(20);
    },
    PROGRAMS_TIMEOUT_MS,
  );

  test(
    "X-4 every other option asks: whole, shortened, bundled, with a value attached or behind it",
    async () => {
      const allowed: string[] = [];
      let tried = 0;
      const ask = (command: string, use: string) => {
        tried += 1;
        if (judge(command, use) !== "ask") allowed.push(command);
      };
      for (const use of USES) {
        const specs = optionsIn(use);
        const known = new Set(specs.map(({ name }) => name));
        const named = [...optionsNamed((await helpOf(use)) ?? "")];
        const letters = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"].map((letter) => `-${letter}`);
        const long = [...named, ...known].filter((name) => name.startsWith("--"));
        const shortened = long.flatMap((name) => [name.slice(0, -1), name.slice(0, Math.ceil(name.length / 2) + 1)]);
        const others = [...named, ...letters, ...shortened].filter(
          (name) => !known.has(name) && /^--?[a-zA-Z]/.test(name),
        );
        const flag = specs.find(({ name, sign }) => /^-[a-zA-Z]$/.test(name) && sign === undefined)?.name;
        for (const name of new Set(others)) {
          // A short option with a value attached is not another option.
          if (
            specs.some((spec) => spec.sign !== undefined && /^-[a-zA-Z]$/.test(spec.name) && name.startsWith(spec.name))
          )
            continue;
          if (/^-[a-zA-Z]+$/.test(name) && [...name.slice(1)].every((letter) => known.has(`-${letter}`))) continue;
          ask(`${use} ${name}`, use);
          ask(`${use} ${name}=src/a.ts`, use);
          ask(`${use} src/a.ts ${name} src/a.ts`, use);
          if (flag !== undefined && /^-[a-zA-Z]$/.test(name)) ask(`${use} ${flag}${name.slice(1)}`, use);
        }
      }
      expect(allowed).toEqual([]);
      expect(tried).toBeGreaterThan(2_000);
    },
    PROGRAMS_TIMEOUT_MS,
  );

  test("X-4 a word that the shell expands asks, in any position", () => {
    const random = seededRandom("words that are filled in");
    const words = [
      "*",
      "?x",
      "[-]x",
      "{-o,x}",
      "{,-o}x",
      "~",
      "~root/x",
      "$X",
      "$(x)",
      "`x`",
      '"$X"',
      "x{a,b}",
      "=ls",
      "src/*",
    ];
    for (const use of USES)
      for (const word of words) {
        const place = random.pick([
          `${use} ${word}`,
          `${use} src/a.ts ${word}`,
          `${use} -- ${word}`,
          `${use} --x=${word}`,
        ]);
        expect([place, judge(place, use)]).toEqual([place, "ask"]);
      }
  });

  test("X-4 programs without a table are covered exactly, and programs that run others by no beginning", () => {
    const lines = [
      ..."npx tsc¦npm exec tsc¦npm x tsc¦npm run build¦npm install¦pnpm dlx x¦pnpm run build¦yarn build¦bunx x¦bun run x¦make¦make test¦node a.js¦python3 a.py¦docker ps¦kubectl get pods¦git bisect¦git config -l¦git submodule¦git filter-branch¦git push¦git checkout x¦eslint src¦prettier --check src¦jest¦vitest run¦mocha¦rm x¦mv a b¦mkdir x¦touch x¦curl x.y¦awk x¦gh pr list¦cargo run¦go run x".split(
        "¦",
      ),
    ];
    for (const line of lines) {
      expect([line, judge(line, line)]).toEqual([line, "allow"]);
      for (const more of ["x", "-x", "--x=y", "-- x", "''"])
        expect([line, more, judge(`${line} ${more}`, line)]).toEqual([line, more, "ask"]);
      const [program = ""] = line.split(" ");
      if (line !== program) expect([line, judge(line, program)]).toEqual([line, "ask"]);
    }
  });

  test(
    "X-4 what the table allows starts nothing and changes no file, when it is really run",
    async () => {
      await using at = await scratchRepository();
      const random = seededRandom("harmless arguments");
      const before = await snapshot(at.root);
      const ran = new Set<string>();
      for (let round = 0; round < roundsOf(8_000) && ran.size < roundsOf(3_000); round += 1) {
        const use = random.pick(USES);
        if (!RUN_FOR_REAL.test(use) || Bun.which(use.split(" ")[0] ?? "") === null) continue;
        const command = `${use} ${someArguments(random, use)}`;
        if (/^tail.* (-\S*[fF]|--follow|--retry)/.test(command)) continue;
        const { answer } = await at.tree.judge({ tool: { kind: "execute", input: { command } }, rules: [rule(use)] });
        if (answer !== "allow" || ran.has(command)) continue;
        ran.add(command);
        await at.run(command);
        expect([command, await readFile(at.seen, "utf8")]).toEqual([command, ""]);
      }
      expect(await snapshot(at.root)).toEqual(before);
      expect(ran.size).toBeGreaterThan(roundsOf(600));
    },
    PROGRAMS_TIMEOUT_MS,
  );
});

/** Uses that only look; the others change the repository or run the project's own code, as the user was told. */
const RUN_FOR_REAL = /^(?!git add|git commit|npm|cargo|go |tsc|pytest)/;
const VALUES = [
  ..."canary¦./canary¦made¦>made¦|canary¦;canary¦$(canary)¦`canary`¦!canary¦w made¦e canary¦%(canary)¦1¦2¦10¦1,3¦HEAD¦HEAD:a.txt¦a.txt¦src¦.¦always¦never¦a¦%H¦+%s¦1p¦$d¦1w made¦x[$(canary)]¦-¦src/b.txt¦../outside/x¦/etc/hostname¦.git/config".split(
    "¦",
  ),
];

function someArguments(random: SeededRandom, use: string): string {
  const specs = optionsIn(use).filter(({ name }) => name !== "-0");
  const quoted = (text: string) => `'${text}'`;
  const words = Array.from({ length: random.between(0, 3) }, () => {
    const spec = specs.length === 0 || random.between(0, 2) === 0 ? undefined : random.pick(specs);
    if (spec === undefined) return quoted(random.pick(VALUES));
    if (spec.sign === undefined) return spec.name;
    const value = quoted(random.pick(VALUES));
    if (spec.sign === "?")
      return random.pick([spec.name, `${spec.name}${spec.name.startsWith("--") ? "=" : ""}${value}`]);
    return random.pick([`${spec.name} ${value}`, `${spec.name}${spec.name.startsWith("--") ? "=" : ""}${value}`]);
  });
  return words.join(" ");
}

interface Scratch extends AsyncDisposable {
  readonly root: string;
  readonly seen: string;
  readonly tree: PolicyTree;
  run(command: string): Promise<void>;
}

/** A repository with a commit, and a program that must never be started: as `canary`, as editor, as pager. */
async function scratchRepository(): Promise<Scratch> {
  const dir: TempDir = await tempDir();
  const own = await policyTree();
  const seen = dir.join("seen");
  await mkdir(dir.join("bin"));
  await mkdir(dir.join("home"));
  await writeFile(seen, "");
  await writeFile(dir.join("bin/canary"), `#!/bin/sh\necho started >> "${seen}"\n`);
  await chmod(dir.join("bin/canary"), 0o755);
  await writeFile(join(own.root, "canary"), `#!/bin/sh\necho started >> "${seen}"\n`);
  await chmod(join(own.root, "canary"), 0o755);
  await writeFile(join(own.root, "a.txt"), "one\ntwo\nthree\n");
  await writeFile(join(own.root, "src/b.txt"), "four\n");
  const env = {
    ...{
      PATH: `${dir.join("bin")}:${process.env["PATH"]}`,
      HOME: dir.join("home"),
      GIT_PAGER: "canary",
      GIT_EDITOR: "canary",
    },
    ...{ GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null", GIT_OPTIONAL_LOCKS: "0", TERM: "dumb" },
  };
  const run = async (command: string) => {
    const child = Bun.spawn(["/bin/sh", "-c", command], {
      cwd: own.root,
      env,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
      timeout: 20_000,
    });
    await child.exited;
  };
  await run(
    "find . -type l -delete && rm -rf .git && git init -q . && git add a.txt src && git -c user.name=a -c user.email=a@b commit -qm one && echo five >> a.txt",
  );
  return {
    ...{ root: own.root, seen, tree: own, run },
    async [Symbol.asyncDispose]() {
      await own[Symbol.asyncDispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

async function snapshot(root: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true }))
    if (entry.isFile())
      found[join(entry.parentPath, entry.name)] = await readFile(join(entry.parentPath, entry.name), "base64");
  return found;
}
