import { connect } from "node:net";
import type { SessionId } from "../../src/protocol/ids.ts";
import { waitUntil } from "../measure/wait-until.ts";
import { wallClockMs } from "../measure/wall-clock.ts";
import { type BenchServer, startServer } from "./start-server.ts";
import { writeUnseenNotice } from "./unseen-fact.ts";

const KNOCK_EVERY_MS = 2;

/** Ends in a mark, so that the first is not found inside the tenth. */
export function unseenText(number: number): string {
  return `unseen-${number};`;
}

export interface Outage {
  readonly server: BenchServer;
  /** When the port took connections again. */
  readonly acceptingAt: number;
  /** The text that only a follower in sync has. */
  readonly unseen: string;
}

/** Kills the server, keeps it down for a while, writes an entry that no client has, and starts it again. */
export async function causeOutage(
  server: BenchServer,
  sessionId: SessionId,
  downMs: number,
  number: number,
): Promise<Outage> {
  const deadFrom = performance.now();
  await server.kill();
  const unseen = unseenText(number);
  await writeUnseenNotice(server.dataDir, sessionId, unseen);
  await Bun.sleep(Math.max(0, downMs - (performance.now() - deadFrom)));
  const accepting = firstAccepted(server.port);
  const restarted = await startServer(server.dataDir);
  if (restarted.port !== server.port) throw new Error("the server came back on another port");
  return { server: restarted, acceptingAt: await accepting, unseen };
}

async function firstAccepted(port: number): Promise<number> {
  let at = 0;
  await waitUntil(
    "the server to take connections again",
    async () => {
      const accepted = await knock(port);
      at = wallClockMs();
      return accepted;
    },
    KNOCK_EVERY_MS,
  );
  return at;
}

function knock(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    const answer = (accepted: boolean) => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once("connect", () => answer(true));
    socket.once("error", () => answer(false));
  });
}
