import { createHash } from "node:crypto";
import { createConnection, createServer } from "node:net";
import { REFUSE, RefusalError } from "../../protocol/errors.ts";
import type { CommandRecords } from "./command-records.ts";

/** Below the range that systems give to outgoing connections, above that of well-known programs. */
const PORT_FIRST = 20_000;
const PORTS = 10_000;
const TRIES_MAX = 200;
const CONNECT_TIMEOUT_MS = 1_000;
const LOOPBACK = ["127.0.0.1", "::1"];

/**
 * A port for this service: the one it had the last time while that is free, else one that no other service has. The same
 * service of the same worktree begins at the same place, so that its port rarely changes.
 */
export async function portFor(
  records: CommandRecords,
  key: string,
  isFree: (port: number) => Promise<boolean>,
): Promise<number> {
  const { own, others } = records.port(key);
  if (own !== null && (await isFree(own))) return own;
  const begin = createHash("sha256").update(key).digest().readUInt32BE(0);
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const port = PORT_FIRST + ((begin + tries) % PORTS);
    if (others.has(port) || port === own || !(await isFree(port))) continue;
    await records.keepPort(key, port);
    return port;
  }
  throw new RefusalError(
    REFUSE.commandFailed(
      `No free port was found between ${PORT_FIRST} and ${PORT_FIRST + PORTS}. Stop a service first.`,
    ),
  );
}

/** Nobody listens on it on either loopback address. */
export async function isFreePort(port: number): Promise<boolean> {
  for (const host of LOOPBACK) if (!(await canListen(host, port))) return false;
  return true;
}

function canListen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    // A machine without IPv6 has no such address, so no program can have taken its port.
    server.once("error", (error) => resolve(Reflect.get(error, "code") !== "EADDRINUSE"));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Whether something accepts connections on this port of loopback. */
export async function answersOn(port: number): Promise<boolean> {
  const answers = await Promise.all(LOOPBACK.map((host) => canConnect(host, port)));
  return answers.includes(true);
}

function canConnect(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port });
    const end = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => end(false));
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}
