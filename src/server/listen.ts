import { HttpServer } from "../bridge/http-server.ts";
import type { ServerConfig } from "./config.ts";
import type { DataDir } from "./data-dir.ts";

type HttpOptions = ConstructorParameters<typeof HttpServer>[0];

/** The last run's port, when it may be chosen freely and is still free: pages and agents find us where we were. */
export function listen(
  { port, freePort }: Pick<ServerConfig, "port" | "freePort">,
  dataDir: DataDir,
  options: (port: number) => HttpOptions,
): HttpServer {
  const first = port === 0 ? dataDir.lastPort() : freePort ? port : null;
  const http = (first !== null && tryListen(options(first))) || new HttpServer(options(freePort ? 0 : port));
  dataDir.keepPort(http.port);
  return http;
}

function tryListen(options: HttpOptions): HttpServer | null {
  try {
    return new HttpServer(options);
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, "code") === "EADDRINUSE") return null;
    throw error;
  }
}
