import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { OPENING } from "../../src/places/frames.ts";
import { COMMANDS_TIMEOUT_MS, liminal, liminalJson } from "../cli/liminal.ts";
import { START, TestServer } from "../support/test-server.ts";
import { ECHO, type Machine, machine, SHARED } from "./machine.ts";
import { carriesAgents, hasWorkspace, hasWorktrees } from "./one-suite.ts";
import { CAN_SSH, Sshd, WHERE_SSH } from "./sshd.ts";

/** Our program, as it is installed there. */
function installed({ home }: Machine): string {
  const program = join(home, "installed");
  writeFileSync(program, `#!/bin/sh\nexec ${START.join(" ")} "$@"\n`);
  chmodSync(program, 0o755);
  return program;
}

/** What comes until the first words have come, and after the end of the input. */
async function answerTo({ bin }: Sshd, ...words: string[]): Promise<string> {
  const child = Bun.spawn([join(bin, "ssh"), "-o", "BatchMode=yes", ...words], {
    ...{ stdin: "pipe", stdout: "pipe", stderr: "ignore" },
  });
  const decoder = new TextDecoder();
  let stdout = "";
  for await (const chunk of child.stdout) {
    stdout += decoder.decode(chunk);
    if (stdout.includes(OPENING)) await child.stdin.end();
  }
  await child.exited;
  return stdout;
}

/** What a key with these options is for, and what it is not. */
const RESTRICTED = (program: string) => `restrict,command="${program} runner"`;

describe.skipIf(!CAN_SSH)(`[SC-36] a key for the runner alone ${WHERE_SSH}`, () => {
  it(
    "is enough for a place, and opens no shell, no other command, no file transfer, no terminal and no port",
    async () => {
      await using at = await machine();
      const program = installed(at);
      const env = { HOME: at.home, PATH: process.env["PATH"] ?? "", ...at.processes.env };
      await using sshd = await Sshd.start(env, RESTRICTED(program));
      const PATH = `${sshd.bin}:${process.env["PATH"]}`;
      await using server = await TestServer.prepare();
      const added = await liminalJson(server, ["place", "add", "box"], { env: { PATH } });
      expect(added.value).toMatchObject({ place: { name: "box", kind: "ssh" }, home: at.home });
      const link = at.link({ setting: { ...SHARED, kind: "ssh", host: "box", program: "liminal" }, env: { PATH } });
      const agent = at.start(link, "one", "/bin/sh", "-c", ECHO);
      agent.write("hello");
      await at.said("got hello");
      expect(await agent.stop()).toMatchObject({ code: 0 });

      const written = join(at.home, "written");
      // Whatever is asked for, it is the runner that answers.
      for (const words of [["box"], ["box", `touch ${written}`], ["-s", "box", "sftp"]])
        expect(await answerTo(sshd, ...words)).toBe(OPENING);
      expect(existsSync(written)).toBe(false);
      using web = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("no") });
      const refused = (...words: string[]) =>
        Bun.spawnSync([join(sshd.bin, "ssh"), "-o", "BatchMode=yes", ...words], { stdin: "ignore" }).stderr.toString();
      expect(refused("-tt", "box")).toContain("PTY allocation request failed");
      expect(refused("-W", `127.0.0.1:${web.port}`, "box")).toContain("administratively prohibited");
    },
    COMMANDS_TIMEOUT_MS,
  );
});

describe.skipIf(!CAN_SSH)(`[SC-32] a place ${WHERE_SSH}`, () => {
  let at: Machine;
  let sshd: Sshd;
  let program: string;

  beforeAll(async () => {
    at = await machine();
    sshd = await Sshd.start({ HOME: at.home, PATH: process.env["PATH"] ?? "", ...at.processes.env });
    program = installed(at);
  });
  afterAll(async () => {
    await at[Symbol.asyncDispose]();
    await sshd[Symbol.asyncDispose]();
  });

  it(
    "[SC-27] carries agents and files; no line is lost or doubled when it is cut",
    async () => {
      const setting = { ...SHARED, kind: "ssh", host: "box", program } as const;
      const link = at.link({ setting, env: { PATH: `${sshd.bin}:${process.env["PATH"]}` } });
      await carriesAgents(at, link);
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "[SC-26] [SC-33] has changes, checkpoints, terminals and worktrees",
    async () => {
      const setting = { ...SHARED, kind: "ssh", host: "box", program } as const;
      const link = at.link({ setting, epoch: 2, env: { PATH: `${sshd.bin}:${process.env["PATH"]}` } });
      await hasWorkspace(at, link);
      await hasWorktrees(at, link);
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "[SC-35] is added after a check, listed and removed by the command line, with its program copied if it is missing",
    async () => {
      await using server = await TestServer.prepare();
      const surroundings = { env: { PATH: `${sshd.bin}:${process.env["PATH"]}` } };
      const missing = await liminal(server, ["place", "add", "box", "--program", "no-such-liminal"], surroundings);
      expect(missing.stderr).toContain("Liminal Builder is not installed at box: install it there");
      const stranger = await liminal(server, ["place", "add", "stranger"], surroundings);
      expect(stranger.stderr).toContain('The host key of stranger is unknown or has changed: run "ssh stranger"');
      expect(existsSync(join(server.dataDir, "config.json"))).toBe(false);

      expect((await liminalJson(server, ["place", "add", "box", "--copy", program], surroundings)).value).toMatchObject(
        {
          place: { name: "box", kind: "ssh" },
          home: at.home,
        },
      );
      expect(JSON.parse(readFileSync(join(server.dataDir, "config.json"), "utf8"))).toEqual({
        places: { box: { kind: "ssh", host: "box", program: "~/.liminal-runner/bin/liminal" } },
      });
      expect((await liminalJson(server, ["place", "check", "box"], surroundings)).value).toMatchObject({
        places: [{ name: "box", home: at.home }],
      });
      expect((await liminal(server, ["place", "list"], surroundings)).stdout).toContain(
        "~/.liminal-runner/bin/liminal runner",
      );
      const again = await liminal(server, ["place", "add", "box", "--copy", program], surroundings);
      expect(again.stderr).toContain('There is a place "box" already');
      await liminalJson(server, ["place", "remove", "box"], surroundings);
      expect((await liminal(server, ["place"], surroundings)).stdout).toContain("No places");
    },
    COMMANDS_TIMEOUT_MS,
  );
});
