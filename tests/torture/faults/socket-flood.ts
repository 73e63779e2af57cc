import { FRAME_BYTES_MAX } from "../../../src/protocol/limits.ts";
import type { SeededRandom } from "../../support/seeded-random.ts";
import { FaultyWire } from "../scene/faulty-wire.ts";
import type { Scene } from "../scene/scene.ts";
import { DONE, type Fault } from "./fault.ts";

const FRAMES = 200;
const CONNECTIONS = 200;
const ANSWER_MS_MAX = 60_000;
/** More than the server reads of one frame. */
const CUT_OFF_BYTES = 33 * 1024 * 1024;

/** Frames that are no messages, too large, or too deep: each is answered with an error, and everybody else goes on. */
export const frameFlood: Fault = {
  name: "socket-bad-frames",
  async inject({ scene, random }) {
    const socket = await open(scene);
    const answers = countAnswers(socket, FRAMES);
    for (let sent = 0; sent < FRAMES; sent++) socket.send(badFrame(random));
    const answered = await answers;
    const cut = new Promise<void>((resolve) => socket.addEventListener("close", () => resolve()));
    socket.send("x".repeat(CUT_OFF_BYTES));
    await cut;
    return answered ? DONE : { breaches: [`${FRAMES} bad frames did not get their ${FRAMES} errors`] };
  },
};

/** Many connections at once, each with a wish, gone without a word. */
export const connectionFlood: Fault = {
  name: "socket-connections",
  async inject({ scene, random }) {
    const wire = await FaultyWire.open(() => scene.server.port);
    const opened = await Promise.allSettled(Array.from({ length: CONNECTIONS }, () => open(scene, wire.port)));
    const sockets = opened.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    for (const socket of sockets)
      socket.send(JSON.stringify({ type: "session:open", sessionId: random.pick(scene.sessions), requestId: "1" }));
    wire.close();
    return sockets.length > 0 ? DONE : { breaches: [`none of ${CONNECTIONS} connections was accepted`] };
  },
};

function open({ server }: Scene, port = server.port): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws?token=${server.token}`);
  return new Promise((resolve, reject) => {
    socket.addEventListener("open", () => resolve(socket));
    socket.addEventListener("error", () => reject(new Error("the server took no connection")));
  });
}

function countAnswers(socket: WebSocket, wanted: number): Promise<boolean> {
  return new Promise((resolve) => {
    let errors = 0;
    const timer = setTimeout(() => resolve(false), ANSWER_MS_MAX);
    const end = (isAnswered: boolean) => {
      clearTimeout(timer);
      resolve(isAnswered);
    };
    socket.addEventListener("close", () => end(false));
    socket.addEventListener("message", ({ data }) => {
      if (String(data).startsWith('{"type":"error"')) errors += 1;
      if (errors === wanted) end(true);
    });
  });
}

function badFrame(random: SeededRandom): string | Uint8Array<ArrayBuffer> {
  switch (random.between(0, 7)) {
    case 0:
      return "not JSON";
    case 1:
      return JSON.stringify({ type: "session:send", sessionId: 7 });
    case 2:
      return Uint8Array.from({ length: 64 }, () => random.between(0, 255));
    case 3:
      return "[".repeat(5_000) + "]".repeat(5_000);
    case 4:
      return JSON.stringify({ type: "no:such", requestId: "x".repeat(300) });
    case 5:
      return '{"type":"session:open","__proto__":{"sessionId":"a:b"}}';
    case 6:
      return random.fraction() < 0.05 ? "x".repeat(FRAME_BYTES_MAX + 1) : "";
    default:
      return JSON.stringify({ type: "session:open", sessionId: "nobody:nothing", after: -1 });
  }
}
