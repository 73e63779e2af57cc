import { existsSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { z } from "zod";
import { AGENT_PACKAGES, agentCache, agentFolder } from "../../scripts/agents/agent-packages.ts";
import { waitFor } from "../support/wait-for.ts";

const SOCKET = "app-server-control/app-server-control.sock";
const Answer = z.looseObject({ id: z.int(), result: z.unknown() });
const Listed = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) });

/**
 * The background server that `codex` starts in a terminal, with the words that it starts it with, but without the
 * process beside it that looks for updates.
 */
export class CodexBackground implements AsyncDisposable {
  readonly #child: Bun.Subprocess;
  readonly #socket: string;

  private constructor(child: Bun.Subprocess, socket: string) {
    this.#child = child;
    this.#socket = socket;
  }

  static async start(env: Readonly<Record<string, string>>, cwd: string): Promise<CodexBackground> {
    const agent = AGENT_PACKAGES.find(({ name }) => name === "codex");
    if (!agent) throw new Error("no package of Codex");
    const folder = agentFolder(agentCache(process.env), agent);
    const [program] = new Glob("node_modules/@openai/*/vendor/*/bin/codex").scanSync({ cwd: folder });
    if (program === undefined) throw new Error(`no codex in ${folder}`);
    const words = ["app-server", "--listen", "unix://", "--managed-daemon"];
    const child = Bun.spawn([join(folder, program), ...words], { cwd, env, stdio: ["ignore", "ignore", "ignore"] });
    const socket = join(env["CODEX_HOME"] ?? "", SOCKET);
    await waitFor(
      () => existsSync(socket),
      (isThere) => isThere,
      "the socket of Codex's server",
    );
    return new CodexBackground(child, socket);
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** A terminal that continues the newest conversation, sends one message there and is closed. */
  async sayInTerminal(text: string): Promise<void> {
    const socket = new WebSocket(`ws+unix://${this.#socket}:/rpc`);
    try {
      const heard: string[] = [];
      const opened = Promise.withResolvers<void>();
      socket.onopen = () => opened.resolve();
      socket.onerror = () => opened.reject(new Error("Codex's server did not answer"));
      socket.onmessage = ({ data }) => heard.push(String(data));
      await opened.promise;
      let last = 0;
      const ask = async (method: string, params: object): Promise<unknown> => {
        last += 1;
        const id = last;
        socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
        const answerOf = () =>
          heard.map((line) => Answer.safeParse(JSON.parse(line)).data).find((one) => one?.id === id);
        return (await waitFor(answerOf, (answer) => answer !== undefined, `an answer to ${method}`))?.result;
      };
      await ask("initialize", { clientInfo: { name: "terminal", title: "Terminal", version: "1" } });
      const { data } = Listed.parse(await ask("thread/list", {}));
      const threadId = data[0]?.id;
      await ask("thread/resume", { threadId, excludeTurns: true });
      await ask("turn/start", { threadId, input: [{ type: "text", text }] });
      await waitFor(
        () => heard.some((line) => line.includes('"method":"turn/completed"')),
        (isOver) => isOver,
        "the end of the turn",
      );
    } finally {
      socket.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill();
    await this.#child.exited;
  }
}
