import { expect, test } from "bun:test";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import { parseLiminalJson, portVariable, readLiminalJson } from "./liminal-json.ts";
import { LOCAL_COMMAND_MACHINE } from "./local-command-machine.ts";

const LOCAL = `http://localhost:\${PORT}/app`;

test("all settings are read, and services have defaults", () => {
  const file = parseLiminalJson(`{
    // comments are allowed
    "setup": "bun install",
    "teardown": "docker compose down",
    "services": {
      "dev": { "command": "bun run dev", "port": true, "url": "${LOCAL}", "restart": "on-failure", "autoStart": true },
      "watch": { "command": "make watch" },
    }
  }`);
  expect(file.problems).toEqual([]);
  expect(file.setup).toBe("bun install");
  expect(file.teardown).toBe("docker compose down");
  expect([...file.services]).toEqual([
    ["dev", { command: "bun run dev", port: true, url: LOCAL, restart: "on-failure", autoStart: true }],
    ["watch", { command: "make watch", port: false, url: null, restart: "never", autoStart: false }],
  ]);
});

test.each([
  ['{ "setup": 3 }', "liminal.json, line 1: setup: expected a command in double quotes."],
  ['{\n "setup": " " }', "liminal.json, line 2: setup: is empty; remove the line, or write a command."],
  ['{ "setup": "rm a\\u202eb" }', "liminal.json, line 1: setup: has invisible characters; type it anew."],
  ['{ "setup": "ls\\rrm x" }', "liminal.json, line 1: setup: has invisible characters; type it anew."],
  [`{ "setup": "${"x".repeat(4_001)}" }`, "longer than 4000 characters; move it into a script."],
  ["[]", "liminal.json, line 1: expected an object: { … }."],
  ['{ "services": [] }', "services: expected an object: { … }."],
  ['{ "services": { "a": "ls" } }', "services.a: expected an object: { … }."],
  ['{ "services": {\n "a": {} } }', 'liminal.json, line 2: services.a: has no command; add "command".'],
  ['{ "services": { "a b": { "command": "x" } } }', "a name has up to 40 letters"],
  ['{ "services": { "a-b": { "command": "x" }, "a_b": { "command": "x" } } }', "the same variable LIMINAL_PORT_A_B"],
  ['{ "services": { "a": { "command": "x", "restart": "always" } } }', 'expected "never" or "on-failure".'],
  ['{ "services": { "a": { "command": "x", "port": 3000 } } }', "services.a.port: expected true or false."],
  ['{ "services": { "a": { "command": "x", "url": "https://example.com" } } }', "address of this machine"],
  ['{ "services": { "a": { "command": "x", "url": "http://localhost.example.com" } } }', "address of this machine"],
  ['{ "services": { "a": { "command": "x", "url": "http://me@localhost" } } }', "address of this machine"],
  ['{ "services": { "a": { "command": "x", "url": "javascript:alert(1)" } } }', "address of this machine"],
  [`{ "services": { "a": { "command": "x", "url": "${LOCAL}" } } }`, 'add "port": true'],
  ['{ "setup": "a", "teardwn": "b" }', 'line 1: teardwn: unknown. Did you mean "teardown"?'],
])("a mistake is reported with its line, and its part is left out: %s", (text, problem) => {
  const file = parseLiminalJson(text);
  expect(file.problems).toHaveLength(1);
  expect(file.problems[0]).toContain(problem);
  expect([...file.services.values()].filter(({ command }) => command !== "x")).toEqual([]);
  expect(file.setup === null || file.setup === "a").toBe(true);
});

test("a mistake in one service leaves the others usable, and one that breaks the JSON of a service removes it", () => {
  const file = parseLiminalJson(`{
    "setup": "make",
    "services": {
      "torn": { "command": "a" "restart": "never" },
      "good": { "command": "b" }
    }
  }`);
  expect([...file.services.keys()]).toEqual(["good"]);
  expect(file.setup).toBe("make");
  expect(file.problems[0]).toContain("line 4");
});

test("there are at most 20 services, and at most 10 problems are reported", () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`s${at}`, { command: "x" }]));
  const { services, problems } = parseLiminalJson(JSON.stringify({ services: many }));
  expect(services.size).toBe(20);
  expect(problems).toHaveLength(10);
});

test("the variable of a service's port has capital letters and underscores", () => {
  expect(portVariable("web-Api_2")).toBe("LIMINAL_PORT_WEB_API_2");
});

test("a directory without the file has no commands; what is not a plain, small file is refused", async () => {
  await using dir = await tempDir();
  expect(await readLiminalJson(LOCAL_COMMAND_MACHINE, dir.path)).toEqual({
    setup: null,
    teardown: null,
    services: new Map(),
    problems: [],
  });
  expect((await readLiminalJson(LOCAL_COMMAND_MACHINE, dir.join("gone"))).problems).toEqual([]);

  const at = async (name: string, make: (path: string) => Promise<unknown>) => {
    await mkdir(dir.join(name));
    await make(dir.join(name, "liminal.json"));
    const { setup, problems } = await readLiminalJson(LOCAL_COMMAND_MACHINE, dir.join(name));
    expect(setup).toBeNull();
    return problems[0];
  };
  await writeFile(dir.join("real.json"), '{ "setup": "a" }');
  expect(await at("link", (path) => symlink(dir.join("real.json"), path))).toContain("symbolic link");
  expect(await at("fifo", (path) => Bun.spawn(["mkfifo", path]).exited)).toContain("is not a file");
  expect(await at("folder", (path) => mkdir(path))).toContain("is not a file");
  expect(await at("big", (path) => writeFile(path, `{ "setup": "a", "x": "${"y".repeat(70_000)}" }`))).toContain(
    "64 KB",
  );
});
