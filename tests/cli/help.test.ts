import { describe, expect, it } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { knownCommand, optionsOf } from "../../src/cli/command-line.ts";
import { COMMANDS } from "../../src/cli/command-table.ts";
import { EXIT_WORDS } from "../../src/cli/exit-codes.ts";
import { helpOf, overview } from "../../src/cli/help.ts";
import { startTalk } from "../integration/talk.ts";
import { currentManPage, MAN_FILE } from "../support/keep-man.ts";
import { ROOT, startTestServer, TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { BINARY, COMMANDS_TIMEOUT_MS, environmentOf, liminal, liminalJson } from "./liminal.ts";

describe("X-14 help", () => {
  const PIPE = { columns: null, hasColour: false };

  it("every command explains itself, with each of its options", () => {
    const all = overview(COMMANDS, PIPE).render(PIPE);
    for (const command of COMMANDS) {
      expect(all).toContain(`  ${command.name} `);
      const text = helpOf(command, PIPE).render(PIPE);
      expect(text).toStartWith(`Usage: liminal ${command.name}`);
      for (const { name } of optionsOf(command)) expect(text).toContain(`--${name}`);
    }
  });

  it(
    "help needs no server, and is the same however it is asked for",
    async () => {
      await using server = await TestServer.prepare();
      const run = helpOf(knownCommand(COMMANDS, "run"), PIPE).render(PIPE);
      const serve = helpOf(knownCommand(COMMANDS, "serve"), PIPE).render(PIPE);
      const asked = [["--help"], ["help", "run"], ["run", "-h"], ["serve", "--help"]] as const;
      expect(await Promise.all(asked.map((args) => liminal(server, args)))).toEqual(
        [overview(COMMANDS, PIPE).render(PIPE), run, run, serve].map((stdout) => ({ code: 0, stdout, stderr: "" })),
      );
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "what is wrong ends with 2, names it and says what was probably meant (E4)",
    async () => {
      await using server = await TestServer.prepare();
      expect(await liminal(server, ["paint"])).toMatchObject({ code: 2, stdout: "" });
      const option = await liminal(server, ["ls", "--colour"]);
      expect(option.code).toBe(2);
      expect(option.stderr).toContain("liminal ls --help");
      expect((await liminalJson(server, ["attach"])).value.error).toMatchObject({ code: "USAGE", exitCode: 2 });
      expect((await liminal(server, ["run", "--permissions", "some", "x"])).code).toBe(2);
      expect((await liminal(server, ["run"], { stdin: "" })).code).toBe(2);
      expect((await liminal(server, ["mcp", "more"])).code).toBe(1);
      expect((await liminal(server, ["search", "--from", "soon", "x"])).stderr).toContain(
        'Invalid value "soon" for --from: expected a day',
      );
      const said = async (...args: string[]) => (await liminal(server, args)).stderr.split("\n")[0];
      expect(await said("serch", "x")).toBe(
        'Unknown command "serch". Did you mean search? Run liminal help for a list.',
      );
      expect(await said("schedule", "add")).toBe("Missing argument: <prompt>.");
      expect(await said("schedule", "enable")).toBe("Missing argument: <schedule>.");
      expect(await said("people", "role", "ann")).toBe("Missing argument: <role>.");
      expect(await said("worktrees", "purge")).toBe("Missing argument: <worktree>.");
      expect(await said("worktrees", "list", "x")).toBe('Unexpected argument "x".');
      expect(await said("ls", "--project")).toBe("--project needs a value: <project>.");
      expect(await said("-q", "ls")).toBe(
        "The command comes first, then its options: liminal ls -q. Run liminal help for a list.",
      );
      expect(await said("ls", "--jsn")).toBe("Unknown option --jsn. Did you mean --json?");
      expect(await said("attach")).toBe("Missing argument: <session>.");
      expect(await said("attach", "one", "two")).toBe('Unexpected argument "two".');
      expect(await said("projects", "ad", ".")).toBe('Unknown subcommand "ad". Did you mean add?');
      expect(await said("completion", "powershell")).toBe('Unsupported shell "powershell". Choose bash, zsh or fish.');
      expect((await liminal(server, ["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    },
    COMMANDS_TIMEOUT_MS,
  );

  it("the manual has every command and option, and is the one that is kept", async () => {
    const page = currentManPage();
    // After a change of the table: npm run man
    expect((await readFile(MAN_FILE, "utf8")) === page).toBe(true);
    for (const { name, options } of COMMANDS) {
      expect(page).toContain(`.SS liminal ${name.replaceAll("-", "\\-")}`);
      for (const option of options) expect(page).toContain(`\\-\\-${option.name.replaceAll("-", "\\-")}`);
    }
    expect(page.split("\n").filter((text) => /^[.'](?!TH|SH|SS|TP|PP|B |nf|fi)/.test(text))).toEqual([]);
  });

  it("docs/cli.md names every command, every option and every exit code", async () => {
    const text = await readFile(join(ROOT, "docs/cli.md"), "utf8");
    for (const { name, options } of COMMANDS) {
      expect(text).toContain(`\`${name}`);
      for (const option of options) expect(text).toContain(`--${option.name}`);
    }
    for (const [code] of EXIT_WORDS) expect(text).toContain(`| ${code} |`);
  });
});

describe("X-14 completion", () => {
  it(
    "bash completes commands, options, their values, and what the running server knows",
    async () => {
      await using server = await startTestServer();
      const script = await liminal(server, ["completion", "bash"]);
      expect(script.code).toBe(0);
      expect(await completed(script.stdout, ["liminal", "att"])).toEqual(["attach"]);
      expect(await completed(script.stdout, ["liminal", "run", "--perm"])).toEqual(["--permissions"]);
      expect(await completed(script.stdout, ["liminal", "run", "--permissions", ""])).toEqual(["ask", "edits", "all"]);
      expect(await completed(script.stdout, ["liminal", "agents", "in"])).toEqual(["install"]);
      expect((await liminal(server, ["completion", "offer", "agents"])).stdout).toContain("builtin\tLiminal Guide\n");
      await server.stop();
      expect(await liminal(server, ["completion", "offer", "sessions"])).toEqual({ code: 0, stdout: "", stderr: "" });
      await server.start();
    },
    COMMANDS_TIMEOUT_MS,
  );

  it.skipIf(Bun.which("zsh") === null)(
    "zsh, where it is installed, completes commands, options and their values",
    async () => {
      await using server = await TestServer.prepare();
      const { stdout } = await liminal(server, ["completion", "zsh"]);
      const folder = await server.directory("zsh");
      await writeFile(join(folder, "_liminal"), stdout);
      const offered = (typed: string) =>
        linesOf(["zsh", "-f", join(import.meta.dirname, "complete-in-zsh.zsh"), folder, typed], server.home);
      for (const [typed, words] of ASKED_OF_SHELLS) expect([typed, await offered(typed)]).toEqual([typed, words]);
    },
    COMMANDS_TIMEOUT_MS,
  );

  it.skipIf(Bun.which("zsh") === null)(
    "shells offer the ids of sessions and of the agents that are here, with their titles, and short ids of requests (E2)",
    async () => {
      await using server = await startTestServer();
      const talk = await startTalk(server);
      await talk.say("stream 2 words");
      const asking = await liminalJson(server, ["run", "run echo hi"]);
      const ids = [talk.sessionId, String(asking.value.sessionId)].map((id) => id.slice("builtin:".length).slice(0, 8));
      const bin = await server.directory("bin");
      await writeFile(join(bin, "liminal"), `#!/bin/sh\nexec "${BINARY}" "$@"\n`, { mode: 0o755 });
      const env = { ...environmentOf(server), PATH: `${bin}:${process.env["PATH"]}`, TERM: "dumb" };
      const output = async (command: string[]) => {
        const child = Bun.spawn(command, { cwd: server.home, env, stdin: "ignore", stdout: "pipe", stderr: "inherit" });
        return (await new Response(child.stdout).text()).trim().split("\n");
      };
      const folder = await server.directory("zsh");
      await writeFile(join(folder, "_liminal"), (await liminal(server, ["completion", "zsh"])).stdout);
      const zsh = (typed: string) =>
        output(["zsh", "-f", join(import.meta.dirname, "complete-in-zsh.zsh"), folder, typed]);
      expect((await zsh("liminal attach ")).sort()).toEqual([...ids].sort());
      expect(await zsh("liminal run --agent ")).toEqual(["builtin"]);

      const bash = join(folder, "bash");
      await writeFile(bash, (await liminal(server, ["completion", "bash"])).stdout);
      const typed = async (...words: string[]) => {
        const quoted = words.map((word) => `'${word}'`).join(" ");
        const ask = `source ${bash}; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _liminal; printf '%s\\n' "\${COMPREPLY[@]}"`;
        return output(["bash", "-c", ask]);
      };
      expect((await typed("liminal", "attach", "")).sort()).toEqual(
        [`${ids[0]}  stream 2 words`, `${ids[1]}  run echo hi`].sort(),
      );
      expect(await typed("liminal", "attach", ids[0] ?? "")).toEqual([ids[0] ?? ""]);

      const waiting = await waitFor(
        () => liminalJson(server, ["permit"]),
        ({ value }) => value.requests.length === 1,
        "the request",
      );
      const [short = ""] = await zsh("liminal permit ");
      expect(short.length).toBeLessThan(12);
      expect(waiting.value.requests[0].id).toEndWith(short);
      expect((await liminal(server, ["permit"])).stdout).toStartWith(`${short}  permission`);
      expect((await liminal(server, ["permit", short, "deny"])).code).toBe(0);
    },
    COMMANDS_TIMEOUT_MS,
  );

  it.skipIf(Bun.which("fish") === null)(
    "fish, where it is installed, completes commands, options and their values",
    async () => {
      await using server = await TestServer.prepare();
      const { stdout } = await liminal(server, ["completion", "fish"]);
      const file = join(await server.directory("fish"), "liminal.fish");
      await writeFile(file, stdout);
      const offered = async (typed: string) => {
        const lines = await linesOf(["fish", "-c", `source ${file}; complete -C "${typed}"`], server.home);
        return lines.map((line) => line.split("\t")[0] ?? "");
      };
      for (const [typed, words] of ASKED_OF_SHELLS)
        expect([typed, (await offered(typed)).sort()]).toEqual([typed, [...words].sort()]);
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "zsh and fish get every command and option of the table; other shells are refused",
    async () => {
      await using server = await TestServer.prepare();
      const zsh = (await liminal(server, ["completion", "zsh"])).stdout;
      const fish = (await liminal(server, ["completion", "fish"])).stdout;
      expect(zsh).toStartWith("#compdef liminal");
      for (const { name, options } of COMMANDS) {
        expect(zsh).toContain(`    ${name}) _arguments`);
        expect(fish).toContain(`-n __fish_use_subcommand -a ${name} `);
        for (const option of options) {
          expect(zsh).toContain(`'--${option.name}[`);
          expect(fish).toContain(`-l ${option.name} `);
        }
      }
      expect((await liminal(server, ["completion", "tcsh"])).code).toBe(2);
    },
    COMMANDS_TIMEOUT_MS,
  );
});

/** The command line so far, and what a shell should offer then. */
const ASKED_OF_SHELLS: readonly (readonly [string, string[]])[] = [
  ["liminal att", ["attach"]],
  ["liminal run --perm", ["--permissions"]],
  ["liminal run --permissions ", ["ask", "edits", "all"]],
  ["liminal agents in", ["install"]],
  ["liminal mcp-servers ena", ["enable"]],
];

async function linesOf(command: string[], home: string): Promise<string[]> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, TERM: "dumb" };
  const child = Bun.spawn(command, { cwd: home, env, stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  return (await new Response(child.stdout).text()).trim().split("\n");
}

/** What bash itself would offer for these words. */
async function completed(script: string, words: readonly string[]): Promise<string[]> {
  const quoted = words.map((word) => `'${word}'`).join(" ");
  const ask = `${script}\nCOMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _liminal; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const child = Bun.spawn(["bash", "-c", ask], { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  return (await new Response(child.stdout).text()).trim().split("\n");
}
