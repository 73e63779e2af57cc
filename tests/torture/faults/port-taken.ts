import { createServer } from "node:net";
import { DONE, type Fault } from "./fault.ts";
import { unclearWords } from "./unclear-words.ts";

/** Somebody else has the port when the server comes back: a port it must have is refused clearly, else it takes another. */
export const portTaken: Fault = {
  name: "port-taken",
  async inject({ scene: { server } }) {
    const { port } = server;
    await server.kill();
    const other = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve, reject) => other.once("error", reject).listen(port, "127.0.0.1", resolve));
    const vain = await server.startInVain({ LIMINAL_PORT: String(port) });
    await server.start();
    await new Promise((resolve) => other.close(resolve));
    const breaches = unclearWords("with its port taken", vain, /LIMINAL_PORT/);
    return breaches.length === 0 ? DONE : { breaches };
  },
};
