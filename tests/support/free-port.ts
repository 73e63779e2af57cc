import { once } from "node:events";
import { createServer } from "node:net";
import { z } from "zod";

/** One that nobody listened at a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = z.object({ port: z.int() }).parse(server.address());
  await once(server.close(), "close");
  return port;
}
