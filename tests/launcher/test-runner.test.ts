import { expect, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { resolve } from "node:path";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import { waitFor } from "../support/wait-for.ts";
import { writeTree } from "./sample-package.ts";

const RUNNER = resolve(import.meta.dirname, "../../scripts/test.ts");
const PASSES = 'import { test } from "bun:test"; test("passes", () => {});';

/** Prints its environment. */
const PROGRAM = "console.log(import.meta.dirname);";

type Ended = { readonly code: number; readonly lines: readonly string[]; readonly last: string };

async function runTests(dir: TempDir, args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  await writeTree(dir.path, {
    "package.json": '{ "scripts": { "build": "node --version" } }',
    "src/cli/main.ts": PROGRAM,
  });
  const child = Bun.spawn([process.execPath, RUNNER, "--root", dir.path, ...args], {
    env: { ...process.env, CI: "", ...env },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const lines = (await new Response(child.stdout).text()).trimEnd().split("\n");
  return { code: await child.exited, lines, last: lines.at(-1) ?? "" };
}

test("counts both builds, the tests and both proofs, and ends with the sum", async () => {
  await using dir = await tempDir();
  await writeTree(dir.path, { "src/lib/a.test.ts": PASSES, "tests/integration/b.test.ts": PASSES });
  const { code, last, lines } = await runTests(dir, ["--only", "unit", "--only", "integration"]);
  expect({ code, last }).toEqual({ code: 0, last: "7 passed, 0 failed" });
  expect(lines.filter((line) => /\d+ passed/.test(line))).toEqual([last]);
});

test("tests with a server start the program as it was compiled, which finds its files beside its sources", async () => {
  await using dir = await tempDir();
  const starts = `import { expect, test } from "bun:test";
    test("starts", async () => {
      const program = process.env["LIMINAL_TEST_PROGRAM"] ?? "";
      const child = Bun.spawn([process.execPath, program]);
      expect(program).not.toStartWith(process.cwd());
      expect(await new Response(child.stdout).text()).toBe(process.cwd() + "/src/cli\\n");
    });`;
  await writeTree(dir.path, { "tests/integration/a.test.ts": starts });
  expect((await runTests(dir, ["--only", "integration"])).last).toBe("5 passed, 0 failed");
});

test("a failing test, and a file that cannot be loaded, both count and are named", async () => {
  await using dir = await tempDir();
  await writeTree(dir.path, {
    "src/lib/a.test.ts": `${PASSES} test("<breaks>", () => { throw new Error("no"); }); test.skip("waits", () => {});`,
    "tests/b.test.ts": 'throw new Error("cannot be loaded");',
  });
  const { code, last, lines } = await runTests(dir, ["--only", "unit"]);
  expect({ code, last }).toEqual({ code: 1, last: "5 passed, 2 failed, 1 skipped" });
  expect(lines).toContain("      | src/lib/a.test.ts > <breaks>");
  expect(lines).toContain("      | tests/b.test.ts: no test in it was reached");
});

test("a process left behind fails the run, is named and is ended", async () => {
  await using dir = await tempDir();
  const leaves = `import { spawn } from "node:child_process";
    test("leaves", () => {
      const child = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
      child.unref();
    });`;
  await writeTree(dir.path, { "src/lib/a.test.ts": `${PASSES} ${leaves}` });
  const { code, last, lines } = await runTests(dir, ["--only", "unit"]);
  expect({ code, last }).toEqual({ code: 1, last: "5 passed, 1 failed" });
  const pid = lines.map((line) => /\| (\d+) sleep 1000$/.exec(line)?.[1]).find(Boolean) ?? "";
  expect(pid).not.toBe("");
  // Gone, or a zombie that its new parent has not reaped yet. The signal may still be on its way to it.
  await waitFor(
    () => new Response(Bun.spawn(["ps", "-o", "stat=", "-p", pid]).stdout).text(),
    (state) => /^Z|^$/.test(state),
    "the process to be ended",
  );
});

test("tests run in a home of their own, marked, seeded, and may not use the default data dir", async () => {
  await using dir = await tempDir();
  const looks = `test("looks", async () => {
    const { HOME, XDG_CONFIG_HOME, LIMINAL_NO_OPEN, LIMINAL_SEED, LIMINAL_ROUNDS, LIMINAL_PORT } = process.env;
    if (HOME === ${JSON.stringify(process.env["HOME"])} || !XDG_CONFIG_HOME?.startsWith(HOME)) throw new Error(HOME);
    const told = { LIMINAL_NO_OPEN, LIMINAL_SEED, LIMINAL_ROUNDS, LIMINAL_PORT };
    await Bun.write("told.json", JSON.stringify(told));
    await Bun.write(HOME + "/.liminal-builder/token", "");
  });`;
  await writeTree(dir.path, { "src/lib/a.test.ts": `${PASSES} ${looks}` });
  const options = ["--only", "unit", "--seed", "abc", "--rounds", "5"];
  const { code, last } = await runTests(dir, options, { LIMINAL_PORT: "1", LIMINAL_ROUNDS: "9" });
  expect({ code, last }).toEqual({ code: 1, last: "5 passed, 1 failed" });
  expect(await Bun.file(dir.join("told.json")).json()).toEqual({
    LIMINAL_NO_OPEN: "1",
    LIMINAL_SEED: "abc",
    LIMINAL_ROUNDS: "5",
  });
});

test("without Chromium browser tests are skipped with a hint, and fail where CI counts on them", async () => {
  await using dir = await tempDir();
  await writeTree(dir.path, { "tests/a.browser.test.ts": PASSES });
  const options = ["--only", "browser", "--no-install"];
  const here = await runTests(dir, options, { CHROMIUM_PATH: dir.join("no-such-browser") });
  expect({ code: here.code, last: here.last }).toEqual({ code: 0, last: "3 passed, 0 failed, 1 skipped" });
  expect(here.lines.join("\n")).toContain("apt-get install chromium");
  const inCi = await runTests(dir, options, { CHROMIUM_PATH: dir.join("no-such-browser"), CI: "true" });
  expect({ code: inCi.code, last: inCi.last }).toEqual({ code: 1, last: "3 passed, 1 failed" });
});

/** Refuses twice, as while another apt runs; then it puts a browser where the test says that it is. */
const BUSY_APT = `#!/bin/sh
echo "$*" >> "$APT_LOG"
if [ "$(wc -l < "$APT_LOG")" -le 2 ]; then
  echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt-get)" >&2
  exit 100
fi
case "$*" in *" install "*) cp /bin/true "$CHROMIUM_PATH";; esac
`;

test.skipIf(process.getuid?.() !== 0)(
  "a browser is installed as soon as another apt has given the lock up",
  async () => {
    await using dir = await tempDir();
    await writeTree(dir.path, { "tests/a.browser.test.ts": PASSES, "bin/apt-get": BUSY_APT });
    await chmod(dir.join("bin/apt-get"), 0o755);
    const { last } = await runTests(dir, ["--only", "browser"], {
      PATH: `${dir.join("bin")}:${process.env["PATH"]}`,
      CHROMIUM_PATH: dir.join("browser"),
      APT_LOG: dir.join("apt.log"),
    });
    expect(last).toBe("5 passed, 0 failed");
    const update = "-qq update";
    const install = "-qq install -y --no-install-recommends chromium-headless-shell";
    expect(await Bun.file(dir.join("apt.log")).text()).toBe(`${[update, update, update, install].join("\n")}\n`);
  },
);

test("--filter takes files by path, --name takes tests by name", async () => {
  await using dir = await tempDir();
  await writeTree(dir.path, {
    "src/lib/a.test.ts": `${PASSES} test("[X-1] keeps", () => {});`,
    "src/lib/b.test.ts": 'import { test } from "bun:test"; test("fails", () => { throw new Error("no"); });',
  });
  const byPath = await runTests(dir, ["--only", "unit", "--filter", "lib/a"]);
  expect(byPath.last).toBe("6 passed, 0 failed");
  const byName = await runTests(dir, ["--only", "unit", "--name", "X-1"]);
  expect(byName.last).toBe("5 passed, 0 failed");
});

test("a test that fails once fails the run, also in CI: nothing is run a second time", async () => {
  await using dir = await tempDir();
  const once = `import { appendFileSync, readFileSync } from "node:fs"; import { test } from "bun:test";
    test("unsteady", () => {
      appendFileSync("runs", "x");
      if (readFileSync("runs", "utf8") === "x") throw new Error("the first time");
    });`;
  await writeTree(dir.path, { "src/lib/a.test.ts": once, "src/lib/c.test.ts": PASSES });
  const { code, last } = await runTests(dir, ["--only", "unit"], { CI: "true" });
  expect({ code, last }).toEqual({ code: 1, last: "5 passed, 1 failed" });
  expect(await Bun.file(dir.join("runs")).text()).toBe("x");
});

test("the CPU time of everything that ran is printed before the last line", async () => {
  await using dir = await tempDir();
  const burns = `import { spawnSync } from "node:child_process"; import { test } from "bun:test";
    test("burns", () => {
      const burned = "const { user, system } = process.cpuUsage(); return user + system";
      const burn = \`const burned = () => { \${burned}; }; while (burned() < 1_500_000) for (let i = 0; i < 1e7; i += 1);\`;
      spawnSync(process.execPath, ["-e", burn]);
    });`;
  await writeTree(dir.path, { "src/lib/a.test.ts": burns });
  const { lines } = await runTests(dir, ["--only", "unit"]);
  expect(lines.at(-2)).toMatch(/^total [\d.]+ s, \d+ s of CPU/);
  expect(Number(/, (\d+) s of CPU/.exec(lines.at(-2) ?? "")?.[1])).toBeGreaterThanOrEqual(2);
});

test("an unknown part is refused", async () => {
  await using dir = await tempDir();
  expect((await runTests(dir, ["--only", "everything"])).code).toBe(2);
});
