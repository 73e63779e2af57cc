import { randomUUID } from "node:crypto";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { openBarePipe } from "./bare-pipe.ts";
import { createSession, openClient } from "./open-client.ts";
import { RawReader } from "./raw-reader.ts";
import { STAMPING_AGENT, STAMPING_AGENT_COMMAND, startServer } from "./start-server.ts";

/** A way from the stamping agent to its readers: through the product, or through nothing. */
export interface StampRoute extends AsyncDisposable {
  /** The process whose cost is measured. */
  readonly pid: number;
  openReader(): Promise<RawReader>;
  /** What makes the agent speak, sent by any reader. */
  promptFrame(prompt: string): string;
  /** Stands in the frame that ends a turn, and in no other. */
  readonly endSign: string;
}

export async function routeThroughServer(): Promise<StampRoute> {
  const dir = await tempDir();
  const server = await startServer(dir.path);
  using client = openClient(server);
  const sessionId = await createSession(client, dir.path, STAMPING_AGENT);
  return {
    pid: server.pid,
    async openReader() {
      const reader = await RawReader.open(server.socketUrl);
      await reader.exchange(JSON.stringify({ type: "session:open", sessionId }), '"session:history"');
      return reader;
    },
    promptFrame: (content) =>
      JSON.stringify({ type: "session:send", sessionId, content, commandId: randomUUID(), requestId: "send" }),
    endSign: '"state":"idle"',
    async [Symbol.asyncDispose]() {
      await server.stop();
      await dir[Symbol.asyncDispose]();
    },
  };
}

/** The baseline: the same agent, and nothing in between. */
export async function routeThroughPipe(): Promise<StampRoute> {
  return { ...(await openBarePipe(STAMPING_AGENT_COMMAND)), endSign: '"stopReason"' };
}
