import { fileURLToPath } from "node:url";
import { z } from "zod";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { RawReader } from "./raw-reader.ts";
import { spawnListening } from "./spawn-listening.ts";

const PIPE = fileURLToPath(new URL("../programs/pipe-to-socket.ts", import.meta.url));
const SESSION_ID = /"sessionId":"(?<id>[^"]+)"/;

/** The baseline of everything live: an agent, each of its writes copied to the sockets as it is, and a page that appends it. */
export interface BarePipe extends AsyncDisposable {
  readonly pid: number;
  readonly pageUrl: string;
  openReader(): Promise<RawReader>;
  /** The prompt, sent by any reader. */
  promptFrame(prompt: string): string;
}

export async function openBarePipe(agentCommand: readonly string[]): Promise<BarePipe> {
  const dir = await tempDir();
  const program = await spawnListening({
    command: [process.execPath, PIPE, ...agentCommand],
    env: { LIMINAL_GUIDE_DIR: dir.join("guide") },
    logFile: dir.join("pipe.log"),
  });
  const openReader = () => RawReader.open(`ws://127.0.0.1:${program.port}/ws`);
  const sessionId = await newSession(openReader, dir.path);
  return {
    pid: program.pid,
    pageUrl: `http://127.0.0.1:${program.port}/`,
    openReader,
    promptFrame: (text) => rpc(3, "session/prompt", { sessionId, prompt: [{ type: "text", text }] }),
    async [Symbol.asyncDispose]() {
      await program.stop();
      await dir[Symbol.asyncDispose]();
    },
  };
}

async function newSession(openReader: () => Promise<RawReader>, cwd: string): Promise<string> {
  using reader = await openReader();
  await reader.exchange(rpc(1, "initialize", { protocolVersion: 1, clientCapabilities: {} }), '"protocolVersion"');
  const { frame } = await reader.exchange(rpc(2, "session/new", { cwd, mcpServers: [] }), '"sessionId"');
  return z.string().parse(SESSION_ID.exec(frame)?.groups?.["id"]);
}

function rpc(id: number, method: string, params: object): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}
