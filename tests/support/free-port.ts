import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that systems give to whoever asks for any, and those of the services of projects. */
const FIRST = 10_000;
const PORTS = 10_000;

/** One that nobody listened at a moment ago. Only who asks here may be given the same. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * PORTS);
    const server = createServer();
    try {
      await once(server.listen(port, "127.0.0.1"), "listening");
    } catch (error) {
      if (!(error instanceof Error) || Reflect.get(error, "code") !== "EADDRINUSE") throw error;
      continue;
    }
    await once(server.close(), "close");
    return port;
  }
}
