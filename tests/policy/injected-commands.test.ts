import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmod, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import type { PermissionMode, RuleDraft } from "../../src/protocol/permission-policy.ts";
import { roundsOf, type SeededRandom, seededRandom } from "../support/seeded-random.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import { type PolicyTree, policyTree } from "./policy-tree.ts";

const SHELLS_TIMEOUT_MS = 120_000;
const ALLOWED = ["npm test", "npm test --silent", "git status", "git add src/a.ts", "ls -la"];
const RULES: readonly RuleDraft[] = ["npm test", "git status", "git add", "ls"].map((command) => ({
  effect: "allow",
  command,
}));
const EVIL = ["rm -rf x", "curl x.y", "evil", "git push", "npm publish", "./npm test", "/tmp/ls", "dd if=a of=b"];
const SEPARATORS = [";", " ; ", "&&", " && ", "||", " || ", "|", " | ", "&", " & ", "\n", "\n\n", " |& ", " ;\t"];

let tree: PolicyTree;
let stubs: TempDir;
beforeAll(async () => {
  tree = await policyTree();
  stubs = await stubPrograms();
});
afterAll(async () => {
  await tree[Symbol.asyncDispose]();
  await stubs[Symbol.asyncDispose]();
});

/** Ways to hide one command in a line with another. */
const INJECTIONS: readonly ((random: SeededRandom, good: string, evil: string) => string)[] = [
  (random, good, evil) => good + random.pick(SEPARATORS) + evil,
  (random, good, evil) => evil + random.pick(SEPARATORS) + good,
  (random, good, evil) => [good, evil, good].join(random.pick(SEPARATORS)),
  (_, good, evil) => `${good} $(${evil})`,
  (_, good, evil) => `${good} "a $(${evil}) b"`,
  (_, good, evil) => `${good} \`${evil}\``,
  (_, good, evil) => `${good} <(${evil})`,
  (_, good, evil) => `${good} > >(${evil})`,
  (_, good, evil) => `(${good}; ${evil})`,
  (_, good, evil) => `{ ${good}; ${evil}; }`,
  (_, good, evil) => `${good} | xargs ${evil}`,
  (_, good, evil) => `${good}; sh -c '${evil}'`,
  (_, good, evil) => `bash -c "${good} && ${evil}"`,
  (_, good, evil) => `${good}; env ${evil}`,
  (_, good, evil) => `${good}; sudo ${evil}`,
  (_, good, evil) => `${good}; eval '${evil}'`,
  (_, good, evil) => `if ${good}; then ${evil}; fi`,
  (_, good, evil) => `for i in 1; do ${evil}; done; ${good}`,
  (_, good, evil) => `f() { ${evil}; }; f; ${good}`,
  (_, good, evil) => `${good} <<E\n$(${evil})\nE`,
  (_, good, evil) => `timeout 5 ${evil}; ${good}`,
  (_, good, evil) => `trap '${evil}' EXIT; ${good}`,
  (_, good, evil) => `${good} \\\n; ${evil}`,
  (_, good, evil) => `${good} ''; ${evil}`,
  (_, good) => `PATH=/tmp ${good}`,
  (_, good) => `${good} > ../outside/x`,
  (_, good) => `cd ../outside && ${good}`,
];

test("X-4 a line that hides a command which no rule allows is never allowed", async () => {
  const random = seededRandom("injected commands");
  for (let round = 0; round < roundsOf(20_000); round += 1) {
    const line = random.pick(INJECTIONS)(random, random.pick(ALLOWED), random.pick(EVIL));
    const deeper = random.between(0, 3) === 0 ? `${random.pick(ALLOWED)}${random.pick(SEPARATORS)}${line}` : line;
    const { answer } = await tree.judge({ tool: { kind: "execute", input: { command: deeper } }, rules: RULES });
    expect([deeper, answer]).toEqual([deeper, "ask"]);
  }
});

/** Every operator and sign that some shell has a meaning for, beside ordinary words. */
const TOKENS = [
  ..."'\"\\;&|<>(){}[]$`#*?~!=^%@+,:-\n\t".split(""),
  ..." ".repeat(30).split(""),
  ..."; && || | & |& &| &! ;; ;& ;| ;;& > >> >| >! >>! >>| >& >&! >&| >>& >>&! &> &>> &>! &>| &>>! 2>&1 2>&1- >&2 >&- <&- 10> 2>> <> < << <<- <<< <( >( =( $( $((  (( [[ { } {a,b} {x}> a=b A=1 A+=1 $x $'x' $\"x\" !! !x ^x^y \\\n \r \v \f \u0085 =x ~ ~/x ~+ *(e:x:) @(x) %1".split(
    " ",
  ),
  ...[
    "$",
    "{",
    "$\u007b",
    "/dev/null",
    "/dev/null ",
    "../outside/x",
    "src",
    "E",
    "1",
    "2",
    "x",
    "-n",
    "--",
    "é",
    "log.txt",
  ],
  ...[
    "npm test",
    "npm test ",
    "echo",
    "echo ",
    "canary",
    "canary ",
    " canary ",
    "\ncanary",
    "rm ",
    "sh ",
    "-c ",
    "cd src",
  ],
  ...[
    "sh -c ",
    "env ",
    "xargs ",
    "time ",
    "nohup ",
    "timeout 1 ",
    "command ",
    "nice ",
    "if ",
    "then ",
    "! ",
    "repeat 2 ",
  ],
  ...["noglob ", "- ", "exec ", "eval ", "coproc ", "and ", "not ", "builtin ", "test ", "printf ", "alias ", ". "],
];
/** Whatever shells put between a command and a file, or between two commands. */
const OPERATORS =
  "> >> >| >! >>! >>| >& >&! >&| >>& >>&! &> &>> &>! &>| &>>! &>>| 2> 2>> 2>! 2>& 10> 10>& <> < <& 1<> | |& || & && &| &! ; ;; ;& ;| ;;& \\\n> &\\\n> >\\\n& |\\\n& ;\\\n {a}> {a}>& !> ^ # % @ = == -".split(
    " ",
  );
const TARGETS = [
  "/dev/null",
  "/dev/null;",
  "1",
  "2",
  "-",
  "1-",
  "x",
  "! ../outside/x",
  "../outside/x",
  "|x",
  "&1",
  "a.txt",
];
const STUBS = ["npm", "canary", "rm", "x", "E", "1", "2", "a", "log.txt"];
const TOOLS = ["env", "xargs", "nohup", "timeout", "time", "nice", "sh", "cat"];
/** Each shell as it may be started; those that are missing are named. */
const SHELLS: readonly (readonly string[])[] = [
  ["sh"],
  ["dash"],
  ["bash"],
  ["bash", "--posix"],
  ["bash", "-O", "extglob"],
  ["zsh"],
  ["zsh", "-o", "extendedglob", "-o", "magicequalsubst"],
  ["zsh", "--emulate", "sh"],
  ["busybox", "sh"],
  ["ksh"],
  ["mksh"],
  ["fish"],
];

test(
  "X-4 whatever is allowed runs nothing but what the rules name, in every shell that is installed (S2)",
  async () => {
    const random = seededRandom("lines for real shells");
    const rules: RuleDraft[] = ["npm test", "echo", "git status"].map((command) => ({ effect: "allow", command }));
    const allowed = new Set<string>();
    const collect = async (command: string, mode: PermissionMode, into: Set<string>) => {
      const { answer } = await tree.judge({ tool: { kind: "execute", input: { command } }, rules, mode });
      if (answer === "allow") into.add(command);
    };
    const writing = new Set<string>();
    for (const operator of OPERATORS)
      for (const target of TARGETS)
        for (const tail of ["", " canary"])
          for (const blank of ["", " "]) {
            const command = `${random.pick(["npm test", "echo x"])} ${operator}${blank}${target}${tail}`;
            await collect(command, "ask", allowed);
            await collect(command, "edits", writing);
          }
    const structured = allowed.size;
    for (let round = 0; round < roundsOf(40_000); round += 1) {
      const tail = Array.from({ length: random.between(1, 7) }, () => random.pick(TOKENS)).join("");
      const command = random.pick(["npm test", "echo x", "echo", ""]) + random.pick(["", " "]) + tail;
      await collect(command, "ask", allowed);
    }
    expect(allowed.size).toBeGreaterThan(50);
    const lines = [...allowed].slice(0, structured + roundsOf(500));
    for (const shell of SHELLS) {
      const program = Bun.which(shell[0] ?? "");
      if (program === null) console.log(`${shell[0]} is not installed: its reading was not tried`);
      else {
        const started = [program, ...shell.slice(1)];
        expect([shell, await oddRuns(started, lines, "nothing is written")]).toEqual([shell, []]);
        expect([shell, await oddRuns(started, [...writing], "files inside are written")]).toEqual([shell, []]);
      }
    }
  },
  SHELLS_TIMEOUT_MS,
);

/** Programs that only note their names, beside the real ones that run others: what a line starts shows, and nothing happens. */
async function stubPrograms(): Promise<TempDir> {
  const dir = await tempDir();
  await mkdir(dir.join("bin"));
  for (const name of STUBS) {
    await writeFile(dir.join("bin", name), `#!/bin/sh\necho "${name} $1" >> "$SEEN"\n`);
    await chmod(dir.join("bin", name), 0o755);
  }
  for (const name of TOOLS) {
    const real = Bun.which(name);
    if (real !== null) await symlink(real, dir.join("bin", name));
  }
  return dir;
}

/** The lines by which a shell started something beside `npm test`, or made a file. */
async function oddRuns(
  shell: readonly string[],
  lines: readonly string[],
  expected: "nothing is written" | "files inside are written",
): Promise<string[]> {
  const work = stubs.join("work");
  await rm(work, { recursive: true, force: true });
  await rm(stubs.join("lines"), { recursive: true, force: true });
  await mkdir(stubs.join("lines"), { recursive: true });
  await mkdir(stubs.join("work/src"), { recursive: true });
  await mkdir(stubs.join("outside"), { recursive: true });
  const looked = expected === "nothing is written" ? ".* * src/.* src/* ../outside/*" : "../outside/*";
  await writeFile(stubs.join("seen"), "");
  for (const [index, line] of lines.entries()) await writeFile(stubs.join("lines", String(index)), line);
  // One process tries all lines: each in a shell of its own, with a mark behind what it did.
  const driver = `i=0; while [ $i -lt ${lines.length} ]; do line=$(cat "$LINES_IN/$i"; echo .)
    "$@" -c "\${line%.}" </dev/null >/dev/null 2>&1
    for made in ${looked}; do case $made in .|..|src|src/.|src/..|*"*") ;; *) echo "made $made" >> "$SEEN" ;; esac; done
    echo "line $i" >> "$SEEN"; i=$((i+1)); done`;
  const child = Bun.spawn(["/bin/sh", "-c", driver, "driver", ...shell], {
    cwd: work,
    env: { PATH: stubs.join("bin"), SEEN: stubs.join("seen"), LINES_IN: stubs.join("lines"), HOME: stubs.join("home") },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  });
  await child.exited;
  const odd: string[] = [];
  let noted: string[] = [];
  const notes = (await readFile(stubs.join("seen"), "utf8")).split("\n").filter((note) => note !== "");
  expect(notes.filter((note) => note.startsWith("line ")).length).toBe(lines.length);
  for (const note of notes) {
    if (!note.startsWith("line ")) noted.push(note);
    else {
      const strange = noted.filter((each) => each !== "npm test");
      if (strange.length > 0) odd.push(`${JSON.stringify(lines[Number(note.slice(5))])}: ${strange.join(", ")}`);
      noted = [];
    }
  }
  return odd;
}
