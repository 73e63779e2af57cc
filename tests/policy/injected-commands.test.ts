import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmod, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import type { RuleDraft } from "../../src/protocol/permission-policy.ts";
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

const TOKENS = [
  ..."'\"\\;&|<>(){}$`#*?~!=\n \t".split(""),
  ..." ".repeat(8).split(""),
  ...["npm", "test", "npm test", "npm test ", "evil", "evil ", "rm", "sh", "-c", "sh -c ", "cd src", "env ", "xargs "],
  ...[
    "&&",
    "||",
    ">>",
    "2>&1",
    "&>",
    "<<E\n",
    "$(",
    "${",
    "E",
    "1",
    "x",
    "time ",
    "nohup ",
    "timeout 1 ",
    "command ",
    "if ",
    "then ",
  ],
];

test(
  "X-4 whatever is allowed runs nothing but what the rules name, in the shells there are",
  async () => {
    const random = seededRandom("lines for real shells");
    let ran = 0;
    for (let round = 0; round < roundsOf(20_000); round += 1) {
      const tail = Array.from({ length: random.between(1, 8) }, () => random.pick(TOKENS)).join("");
      const command = random.between(0, 1) === 0 ? `npm test ${tail}` : tail;
      const rules: RuleDraft[] = [{ effect: "allow", command: "npm test" }];
      const { answer } = await tree.judge({ tool: { kind: "execute", input: { command } }, rules });
      if (answer !== "allow") continue;
      ran += 1;
      for (const shell of ["sh", "bash"]) expect([command, await programsRunBy(shell, command)]).toEqual([command, []]);
    }
    expect(ran).toBeGreaterThan(20);
  },
  SHELLS_TIMEOUT_MS,
);

/** Programs that only note their names, beside the real ones that run others: what a line starts shows, and nothing happens. */
async function stubPrograms(): Promise<TempDir> {
  const dir = await tempDir();
  await mkdir(dir.join("bin"));
  await mkdir(dir.join("work/src"), { recursive: true });
  for (const name of ["npm", "evil", "rm", "x", "test", "E"]) {
    await writeFile(dir.join("bin", name), `#!/bin/sh\necho "${name} $1" >> "$SEEN"\n`);
    await chmod(dir.join("bin", name), 0o755);
  }
  for (const name of ["env", "xargs", "nohup", "timeout", "time", "sh"]) {
    const real = Bun.which(name);
    if (real !== null) await symlink(real, dir.join("bin", name));
  }
  return dir;
}

/** What a shell started beside `npm test`, and files it made. */
async function programsRunBy(shell: string, line: string): Promise<string[]> {
  const seen = stubs.join("seen");
  await writeFile(seen, "");
  const child = Bun.spawn([`/bin/${shell}`, "-c", line], {
    cwd: stubs.join("work"),
    env: { PATH: stubs.join("bin"), SEEN: seen },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
    timeout: 10_000,
  });
  await child.exited;
  const names = (await readFile(seen, "utf8")).split("\n").filter((name) => name !== "" && name !== "npm test");
  const made = await Array.fromAsync(new Bun.Glob("**/*").scan({ cwd: stubs.join("work"), dot: true }));
  return [...names, ...made];
}
