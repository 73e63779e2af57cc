import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildExecutable } from "../../scripts/executable/build-executable.ts";
import { describeService } from "../../src/operations/install/service.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import { ROOT } from "../support/test-server.ts";
import { LoopbackRegistry } from "./loopback-registry.ts";

const MINUTES_MS = 240_000;
let built: TempDir;
beforeAll(async () => {
  built = await tempDir();
  await buildExecutable(ROOT, built.join("liminal"));
}, MINUTES_MS);
afterAll(() => built[Symbol.asyncDispose]());

/** A user who has put the executable on PATH. */
async function installed(dir: TempDir, registry: LoopbackRegistry) {
  const command = dir.join("bin/liminal");
  for (const name of ["bin", "home", "work"]) await mkdir(dir.join(name));
  await copyFile(built.join("liminal"), command);
  const env = {
    PATH: `${dir.join("bin")}:${process.env["PATH"]}`,
    HOME: dir.join("home"),
    LIMINAL_DATA_DIR: dir.join("data"),
    LIMINAL_PORT: "0",
    LIMINAL_NO_OPEN: "1",
    LIMINAL_REGISTRY_URL: "off",
    npm_config_registry: registry.url,
    ...(process.env["LIMINAL_TEST_RUN"] !== undefined && { LIMINAL_TEST_RUN: process.env["LIMINAL_TEST_RUN"] }),
  };
  const run = async (...words: string[]) => {
    const child = Bun.spawn([command, ...words], { cwd: dir.join("work"), env, stdio: ["ignore", "pipe", "pipe"] });
    const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    return { code: await child.exited, stdout, stderr };
  };
  return { command, run, versions: dir.join("home/.local/share/liminal-builder/versions") };
}

/** A version as its package registry has it: the program that was built, under another number. */
function publish(registry: LoopbackRegistry, version: string): Promise<void> {
  const program = `#!/bin/sh\n[ "$1" = --version ] && echo ${version} && exit\nexec ${built.join("liminal")} "$@"\n`;
  const manifest = { bin: { liminal: "bin/liminal" } };
  return registry.publish({ name: "liminal-builder", version, manifest, files: { "bin/liminal": program } });
}

test(
  "X-70 the executable prompts, goes on after kill -9, updates after a trial from a file and from a package registry, goes back, and uninstalls without the data",
  async () => {
    await using dir = await tempDir();
    await using registry = new LoopbackRegistry();
    const { command, run, versions } = await installed(dir, registry);
    const first = JSON.parse((await run("run", "--json", "stream 200 words")).stdout);
    const { pid } = JSON.parse(await readFile(dir.join("data/server.json"), "utf8"));
    process.kill(pid, "SIGKILL");
    await run("run", "--wait", "stream 1 words");
    const { stdout } = await run("attach", first.sessionId, "--until-idle");
    expect(stdout).toContain(Array.from({ length: 200 }, (_, index) => `w${index + 1}`).join(" "));
    expect((await run("stop")).code).toBe(0);

    const before = lstatSync(command).ino;
    await writeFile(dir.join("broken"), "#!/bin/sh\necho 9.9.9\n", { mode: 0o755 });
    const refused = await run("update", dir.join("broken"));
    expect({ code: refused.code, stderr: refused.stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining("does not start. Nothing was changed."),
    });
    expect({ ino: lstatSync(command).ino, versions: readdirSync(versions) }).toEqual({ ino: before, versions: [] });

    const updated = await run("update", built.join("liminal"), "--json");
    expect({ code: updated.code, stderr: updated.stdout + updated.stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining("Trying it"),
    });
    const { program, commands } = JSON.parse(updated.stdout);
    expect({ commands, starts: realpathSync(command) }).toEqual({ commands: [command], starts: realpathSync(program) });
    expect(JSON.parse((await run("update", "--back", "--json")).stdout).program).not.toBe(program);
    expect(realpathSync(command)).not.toBe(realpathSync(program));
    expect((await run("update", "--back")).code).toBe(0);
    expect(realpathSync(command)).toBe(realpathSync(program));

    await publish(registry, "0.2.0");
    const missing = await run("update", "0.9.9");
    expect({ code: missing.code, stderr: missing.stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining("Could not fetch liminal-builder@0.9.9. Nothing was changed."),
    });
    expect(realpathSync(command)).toBe(realpathSync(program));
    const newest = JSON.parse((await run("update", "--json")).stdout);
    expect({ version: newest.version, said: (await run("--version")).stdout }).toEqual({
      version: "0.2.0",
      said: "0.2.0\n",
    });
    expect(newest.program).toStartWith(join(versions, "0.2.0"));
    expect((await run("run", "--wait", "stream 2 words")).stdout).toContain("w1 w2");
    expect((await run("stop")).code).toBe(0);
    expect((await run("update", "--back")).code).toBe(0);
    expect(realpathSync(command)).toBe(realpathSync(program));

    const written = await run("service", "install", "--no-start", "--json");
    const { path } = JSON.parse(written.stdout);
    expect(written.stderr).toContain(readFileSync(path, "utf8"));
    expect(JSON.parse((await run("uninstall", "--json")).stdout).removes).toContain(`${path} (the service)`);
    expect(existsSync(path)).toBe(true);
    expect((await run("uninstall", "--yes")).code).toBe(0);
    expect([command, path, versions].filter(existsSync)).toEqual([]);
    expect(existsSync(dir.join("data/liminal.db"))).toBe(true);
  },
  MINUTES_MS,
);

test.skipIf(Bun.which("systemd-analyze") === null)(
  "X-70 systemd accepts the service, whatever the paths contain, and no secret gets into it",
  async () => {
    await using dir = await tempDir();
    const program = dir.join('a "b" %n $HOME', "liminal");
    await mkdir(join(program, ".."));
    await writeFile(program, "#!/bin/sh\n", { mode: 0o755 });
    const env = { HOME: dir.path, PATH: '/usr/bin:/x "y" %h', LIMINAL_PORT: "4000", LIMINAL_TOKEN: "secret" };
    const service = describeService(program, env, "linux");
    await writeFile(dir.join("liminal-builder.service"), service?.text ?? "");
    const verify = ["systemd-analyze", "--user", "verify", dir.join("liminal-builder.service")];
    const { stderr } = Bun.spawnSync(verify, { env: { ...process.env, XDG_RUNTIME_DIR: dir.path } });
    expect(stderr.toString()).not.toContain("liminal-builder.service");
    expect(service?.text).toContain('Environment="LIMINAL_PORT=4000"');
    expect(service?.text).not.toContain("secret");
  },
);

test.skipIf(Bun.which("python3") === null)(
  "X-70 a property list parser reads the launchd agent as it was meant",
  () => {
    const service = describeService("/a & <b>/liminal", { HOME: "/home/me", PATH: "/x&y" }, "darwin");
    const read = "import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))";
    const { stdout } = Bun.spawnSync(["python3", "-c", read], { stdin: Buffer.from(service?.text ?? "") });
    expect(service?.path).toBe("/home/me/Library/LaunchAgents/builder.liminal.plist");
    expect(JSON.parse(stdout.toString())).toMatchObject({
      ProgramArguments: ["/a & <b>/liminal", "serve"],
      EnvironmentVariables: { PATH: "/x&y", LIMINAL_NO_OPEN: "1" },
      RunAtLoad: true,
    });
  },
);
