import { DONE, type Fault } from "./fault.ts";

/** A restart as after an update: the server goes, its agents stay. */
export const serverDetach: Fault = {
  name: "server-detach",
  async inject({ scene: { server } }) {
    const code = await server.detach();
    await server.start();
    return code === 0 ? DONE : { breaches: [`a server that was told to detach ended with ${code}`] };
  },
};
