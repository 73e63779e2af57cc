import { type ClientConnection, client, ndJsonStream } from "@agentclientprotocol/sdk";
import { z } from "zod";
import { splitCommand } from "../../src/agents/catalog/registry-definition.ts";
import { waitFor } from "../support/wait-for.ts";
import type { RealAgent } from "./real-agents.ts";

const ENDS_BY_ITSELF_MS_MAX = 500;

type Child = Bun.Subprocess<"pipe", "pipe", "ignore">;
const Listed = z.looseObject({ sessions: z.array(z.looseObject({ sessionId: z.string() })) });
const NewSession = z.looseObject({ sessionId: z.string() });

/** The agent as any other program would run it: no app of ours is there. */
export class PlainAcpRun implements AsyncDisposable {
  readonly #child: Child;
  readonly #connection: ClientConnection;
  readonly #sessionId: string;

  private constructor(child: Child, connection: ClientConnection, sessionId: string) {
    this.#child = child;
    this.#connection = connection;
    this.#sessionId = sessionId;
  }

  /** In a session of its own, or in the one that is there. */
  static async start(
    agent: RealAgent,
    env: Readonly<Record<string, string>>,
    cwd: string,
    which: "new" | "listed" = "new",
  ): Promise<PlainAcpRun> {
    const command = splitCommand(env[agent.variable] ?? "");
    const child = Bun.spawn([...command], {
      cwd,
      env: { PATH: process.env["PATH"] ?? "", HOME: env["HOME"] ?? cwd, ...env },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
      detached: true,
    });
    const { stdin } = child;
    const writable = new WritableStream<Uint8Array>({
      write: async (bytes) => {
        stdin.write(bytes);
        await stdin.flush();
      },
    });
    const connection = client({ name: "plain" })
      .onNotification("*", () => undefined)
      .connect(ndJsonStream(writable, child.stdout));
    await connection.agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
    if (which === "listed") {
      const { sessions } = Listed.parse(await connection.agent.request("session/list", { cwd }));
      const sessionId = sessions[0]?.sessionId ?? "";
      await connection.agent.request("session/resume", { sessionId, cwd, mcpServers: [] });
      return new PlainAcpRun(child, connection, sessionId);
    }
    const answer = await connection.agent.request("session/new", { cwd, mcpServers: [] });
    return new PlainAcpRun(child, connection, NewSession.parse(answer).sessionId);
  }

  async prompt(text: string): Promise<void> {
    const prompt = [{ type: "text", text }];
    await this.#connection.agent.request("session/prompt", { sessionId: this.#sessionId, prompt });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection.close();
    await this.#child.stdin.end();
    // It ends by itself, and stores the messages so far; one that does not is ended.
    await Promise.race([this.#child.exited, Bun.sleep(ENDS_BY_ITSELF_MS_MAX)]);
    this.#child.kill();
    await this.#child.exited;
    // What the adapter has started has the conversation open a moment longer.
    await waitFor(
      () => isGroupThere(this.#child.pid),
      (isThere) => !isThere,
      "the end of the agent's processes",
    );
  }
}

function isGroupThere(pid: number): boolean {
  try {
    return process.kill(-pid, 0);
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, "code") === "ESRCH") return false;
    throw error;
  }
}
