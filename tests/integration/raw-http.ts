/** A request exactly as written: any host, any path, any method, no client that tidies it up. */
export interface RawRequest {
  readonly method?: string;
  readonly path: string;
  readonly host?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Sends one request over its own connection and reads the whole answer; status 0 when the line is cut without one. */
export async function rawHttp(port: number, request: RawRequest): Promise<RawAnswer> {
  const { method = "GET", path, host = `127.0.0.1:${port}`, headers = {} } = request;
  const lines = [
    `${method} ${path} HTTP/1.1`,
    ...(host === null ? [] : [`Host: ${host}`]),
    ...Object.entries({ Connection: "close", ...headers }).map(([name, value]) => `${name}: ${value}`),
  ];
  const isWhole = (answer: RawAnswer) =>
    method === "HEAD" ||
    answer.status === 101 ||
    answer.body.length >= Number(answer.headers.get("content-length") ?? 0);
  return exchange(port, `${lines.join("\r\n")}\r\n\r\n`, isWhole);
}

/** The headers of a browser that asks for a socket. */
export const UPGRADE = {
  Connection: "Upgrade",
  Upgrade: "websocket",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
} as const;

function exchange(port: number, text: string, isWhole: (answer: RawAnswer) => boolean): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let received = "";
    Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        open: (socket) => void socket.write(text),
        data: (socket, bytes) => {
          received += bytes.toString("latin1");
          const answer = parseAnswer(received);
          if (answer && isWhole(answer)) socket.end();
        },
        close: () => resolve(parseAnswer(received) ?? { status: 0, headers: new Headers(), body: "" }),
        error: (_socket, error) => reject(error),
      },
    }).catch(reject);
  });
}

/** Null until the head is there. */
function parseAnswer(text: string): RawAnswer | null {
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return null;
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const pairs = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  return { status: Number(first.split(" ")[1]), headers: new Headers(pairs), body: text.slice(end + 4) };
}
