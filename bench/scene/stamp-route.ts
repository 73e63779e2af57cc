import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { SessionId } from "../../src/protocol/ids.ts";
import { Sshd } from "../../tests/places/sshd.ts";
import type { PostgresPair } from "../../tests/support/postgres-pair.ts";
import { type TempDir, tempDir } from "../../tests/support/temp-dir.ts";
import { openBarePipe } from "./bare-pipe.ts";
import { AT_THE_PLACE, addressOf, openTeam } from "./bench-team.ts";
import { createSession, openClient } from "./open-client.ts";
import { RawReader } from "./raw-reader.ts";
import { type BenchServer, ROOT, STAMPING_AGENT, STAMPING_AGENT_COMMAND, startServer } from "./start-server.ts";

const PLACE = "box";

/** The path from the stamping agent to its readers: through the product, or directly. */
export interface StampRoute extends AsyncDisposable {
  /** The process whose cost is measured. */
  readonly pid: number;
  openReader(): Promise<RawReader>;
  /** The prompt, sent by any reader. */
  promptFrame(prompt: string): string;
  /** Stands in the frame that ends a turn, and in no other. */
  readonly endSign: string;
}

export async function routeThroughServer(): Promise<StampRoute> {
  const dir = await tempDir();
  return routeTo(dir, dir.path);
}

/** The same with the agent behind a real SSH server. */
export async function routeThroughSsh(): Promise<StampRoute> {
  const dir = await tempDir();
  const far = dir.join("far");
  mkdirSync(far);
  // The path of a socket has a limit.
  const env = { PATH: process.env["PATH"] ?? "", HOME: far, LIMINAL_RUNNER_DIR: dir.join("r") };
  const sshd = await Sshd.start(env);
  const route = await routeTo(dir, `${PLACE}:${far}`, placesOver(sshd));
  return {
    ...route,
    async [Symbol.asyncDispose]() {
      await route[Symbol.asyncDispose]();
      await sshd[Symbol.asyncDispose]();
    },
  };
}

/** `places` of config.json. */
export function placesOver({ bin }: Pick<Sshd, "bin">): object {
  const runner = [process.execPath, join(ROOT, "src/cli/main.ts"), "runner"].join(" ");
  const command = [join(bin, "ssh"), "-T", PLACE, runner];
  return { [PLACE]: { kind: "command", command, agents: { [STAMPING_AGENT]: STAMPING_AGENT_COMMAND } } };
}

async function routeTo(dir: TempDir, directory: string, places: object = {}): Promise<StampRoute> {
  const server = await startServer(dir.path, {}, ROOT, null, places);
  return {
    ...(await routeInto(server, server, directory)),
    async [Symbol.asyncDispose]() {
      await server.stop();
      await dir[Symbol.asyncDispose]();
    },
  };
}

/** A new session; `server` is the working one, or a standby of `worker`. */
async function routeInto(
  worker: { readonly pid: number },
  server: Pick<BenchServer, "socketUrl" | "port">,
  directory: string,
): Promise<Omit<StampRoute, keyof AsyncDisposable>> {
  using client = openClient(server);
  const sessionId = await createSession(client, directory, STAMPING_AGENT);
  return {
    pid: worker.pid,
    openReader: () => openReader(server.socketUrl, sessionId),
    promptFrame: (prompt) => promptFrame(sessionId, prompt),
    endSign: '"state":"idle"',
  };
}

/** A socket that follows a session. */
export async function openReader(socketUrl: string, sessionId: SessionId): Promise<RawReader> {
  const reader = await RawReader.open(socketUrl);
  await reader.exchange(JSON.stringify({ type: "session:open", sessionId }), '"session:history"');
  return reader;
}

function promptFrame(sessionId: SessionId, content: string): string {
  return JSON.stringify({ type: "session:send", sessionId, content, commandId: randomUUID(), requestId: "send" });
}

/** The agent behind a real SSH server, a database with a synchronous standby, and the reader at a server that stands by. */
export async function routeThroughTeam(pair: PostgresPair): Promise<StampRoute> {
  const opened = await openTeam(pair, 2);
  const [worker, standby] = opened.servers;
  if (!worker || !standby) throw new Error("a team of two has two servers");
  return {
    ...(await routeInto(worker, addressOf(standby), AT_THE_PLACE)),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** The baseline: the same agent, and nothing in between. */
export async function routeThroughPipe(): Promise<StampRoute> {
  return { ...(await openBarePipe(STAMPING_AGENT_COMMAND)), endSign: '"stopReason"' };
}
