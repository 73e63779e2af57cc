import { expect, test } from "bun:test";
import { BINARY, COMMANDS_TIMEOUT_MS, environmentOf, liminal, liminalJson } from "../cli/liminal.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { Screen } from "./screen.ts";

const CTRL_CLOSING_BRACKET = "\x1d";

/** The command in a real terminal. */
class Window implements AsyncDisposable {
  readonly #screen = new Screen(90, 20);
  readonly #child: Bun.Subprocess;

  constructor(server: TestServer, args: readonly string[], cwd: string) {
    this.#child = Bun.spawn([BINARY, "term", ...args], {
      cwd,
      env: { ...environmentOf(server), TERM: "xterm-256color" },
      terminal: { cols: 90, rows: 20, data: (_, bytes) => this.#screen.write(bytes) },
    });
  }

  type(data: string): void {
    this.#child.terminal?.write(data);
  }

  shows(text: string): Promise<string> {
    return waitFor(
      () => this.#screen.text(),
      (shown) => shown.includes(text),
      `"${text}" on the screen`,
    );
  }

  get exited(): Promise<number> {
    return this.#child.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.exited;
    this.#child.terminal?.close();
    this.#screen[Symbol.dispose]();
  }
}

test(
  "[WS-39] X-14 liminal term opens a shell here, Ctrl-] leaves it, and --attach shows it again, over a kill of the server",
  async () => {
    await using server = await startTestServer();
    const path = await server.directory("app");
    await using first = new Window(server, [], path);
    await first.shows("Added project app");
    first.type("echo $((6*7)) in $(basename $PWD), $(stty size)\r");
    await first.shows("42 in app, 20 90");
    first.type(CTRL_CLOSING_BRACKET);
    await first.shows("it keeps running");
    expect(await first.exited).toBe(0);

    const { value } = await liminalJson(server, ["term", "--list"]);
    expect(value.terminals).toMatchObject([{ cwd: path, end: null, columns: 90, rows: 20 }]);
    const { terminalId } = value.terminals[0];
    await using second = new Window(server, ["--attach", terminalId.slice(0, 6)], path);
    await second.shows("42 in app, 20 90");
    await server.kill();
    await server.start();
    second.type("echo still $((5*5))\r");
    await second.shows("still 25");
    second.type("exit 3\r");
    await second.shows("ended with exit code 3");
    expect(await second.exited).toBe(0);
  },
  COMMANDS_TIMEOUT_MS,
);

test(
  "X-14 liminal term says what to do where there is no terminal, and when none has the id",
  async () => {
    await using server = await startTestServer();
    const path = await server.directory("app");
    const piped = await liminal(server, ["term", path]);
    expect(piped).toMatchObject({ code: 2, stdout: "" });
    expect(piped.stderr).toContain("liminal term --list");
    expect((await liminal(server, ["term", "--list"])).stdout).toContain("No terminals are open.");
    await using window = new Window(server, ["--attach", "none"], path);
    await window.shows('No terminal "none" is open.');
    expect(await window.exited).toBe(1);
  },
  COMMANDS_TIMEOUT_MS,
);
