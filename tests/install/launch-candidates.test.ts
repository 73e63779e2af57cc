import { expect, test } from "bun:test";
import { countPackages } from "../../src/agents/install/fetch-package.ts";
import { type InstallTarget, parsePackageSpec } from "../../src/agents/install/install-target.ts";
import { launchCandidates } from "../../src/agents/install/smoke-test.ts";
import { CliType } from "../../src/protocol/ids.ts";
import { tempDir } from "../support/temp-dir.ts";

const HERE = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
const NATIVE = "\x7fELF and so on";
const target: InstallTarget = {
  id: CliType.parse("acme"),
  name: "Acme",
  package: { name: "@acme/cli", version: "1.0.0" },
  args: ["acp"],
  env: {},
};

async function candidates(manifest: object, files: Readonly<Record<string, string>>, program?: string) {
  await using dir = await tempDir();
  const main = "node_modules/@acme/cli/package.json";
  await Bun.write(dir.join(main), JSON.stringify({ version: "1.0.0", ...manifest }));
  for (const [path, text] of Object.entries(files)) await Bun.write(dir.join("node_modules", path), text);
  const { launches, lacksBuild } = launchCandidates(dir.path, program === undefined ? target : { ...target, program });
  return { lacksBuild, launches: launches.map(({ runtime, file }) => `${runtime} ${file}`) };
}

test("X-5 a script is tried with Bun, then with Node", async () => {
  expect(await candidates({ bin: { acme: "./run.js" } }, { "@acme/cli/run.js": "#!/usr/bin/env node\n" })).toEqual({
    lacksBuild: false,
    launches: ["bun node_modules/@acme/cli/run.js", "node node_modules/@acme/cli/run.js"],
  });
});

test("X-5 quirk: a script that brings a terminal of its own is tried with Node first, since Bun runs nothing in one", async () => {
  const files = { "@acme/cli/run.js": "#!/usr/bin/env node\n" };
  const pty = { "@lydell/node-pty": "1.1.0" };
  for (const manifest of [{ dependencies: pty }, { optionalDependencies: pty }])
    expect((await candidates({ bin: { acme: "./run.js" }, ...manifest }, files)).launches).toEqual([
      "node node_modules/@acme/cli/run.js",
      "bun node_modules/@acme/cli/run.js",
    ]);
});

test("X-5 a wrapper's program for this system goes first, the plain build before its variants", async () => {
  const names = [`@acme/cli-${HERE}-baseline`, `@acme/cli-${HERE}`, "@acme/cli-plan9-x64", `rg-${HERE}`];
  const { launches, lacksBuild } = await candidates(
    { bin: { acme: "bin/acme" }, optionalDependencies: Object.fromEntries(names.map((name) => [name, "1.0.0"])) },
    {
      "@acme/cli/bin/acme": "echo the install script did not run",
      [`@acme/cli-${HERE}-baseline/bin/acme`]: NATIVE,
      [`@acme/cli-${HERE}/acme`]: NATIVE,
      [`@acme/cli-${HERE}/README.md`]: NATIVE,
      [`rg-${HERE}/bin/rg`]: NATIVE,
    },
  );
  expect(launches.slice(0, 3)).toEqual([
    `native node_modules/@acme/cli-${HERE}/acme`,
    `native node_modules/@acme/cli-${HERE}-baseline/bin/acme`,
    "bun node_modules/@acme/cli/bin/acme",
  ]);
  expect(lacksBuild).toBe(false);
});

test("X-5 a package that is itself a program is started as it is", async () => {
  expect((await candidates({ bin: "acme" }, { "@acme/cli/acme": NATIVE })).launches).toEqual([
    "native node_modules/@acme/cli/acme",
  ]);
});

test("X-5 of several programs the one that was named is started, else the one named like the package", async () => {
  const bin = { other: "o.js", cli: "c.js", third: "t.js" };
  const files = { "@acme/cli/o.js": "", "@acme/cli/c.js": "", "@acme/cli/t.js": "" };
  expect((await candidates({ bin }, files)).launches[0]).toEndWith("c.js");
  expect((await candidates({ bin }, files, "third")).launches[0]).toEndWith("t.js");
});

test("X-26 another version than the one asked for is refused", async () => {
  await expect(candidates({ version: "2.0.0", bin: "a.js" }, { "@acme/cli/a.js": "" })).rejects.toThrow(
    "Received version 2.0.0 instead of 1.0.0",
  );
});

test.each([
  ["@acme/agent@1.2.3", { name: "@acme/agent", version: "1.2.3" }],
  ["agent@1.2.3-beta.1", { name: "agent", version: "1.2.3-beta.1" }],
  ["agent", { name: "agent", version: "9.9.9" }],
  ["agent@latest", null],
  ["agent@^1.0.0", null],
  ["agent@file:../x", null],
  ["--registry=x", null],
  ["../agent@1.0.0", null],
  ["https://127.0.0.1/agent.tgz", null],
])("X-26 only one exact version of a plain package is installed: %s", (spec, parsed) => {
  expect(parsePackageSpec(spec, "9.9.9")).toEqual(parsed);
});

test("packages for other systems do not count", () => {
  const lock = [
    '  "packages": {',
    '    "a": ["a@1.0.0", "", {}, "sha512-x"],',
    '    "b": ["b@1.0.0", "", { "os": "linux", "cpu": "x64" }, "sha512-x"],',
    '    "c": ["c@1.0.0", "", { "os": ["darwin", "linux"], "cpu": [ "arm64", ] }, "sha512-x"],',
    '    "d": ["d@1.0.0", "", { "os": "!linux" }, "sha512-x"],',
    '    "e": ["e@1.0.0", "", { "os": "!win32" }, "sha512-x"],',
    "  }",
  ].join("\n");
  expect(countPackages(lock, "linux", "x64")).toBe(3);
  expect(countPackages(lock, "darwin", "arm64")).toBe(4);
});
