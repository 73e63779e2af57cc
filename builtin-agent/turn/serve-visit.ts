import { createServer } from "node:http";

const PATH = "/visit";
const PAGE = "<!doctype html><title>The guide</title><p>Thank you for coming. You can close this page.</p>";

/** A page of the guide's own on this machine. */
export type Visit = Disposable & {
  readonly url: string;
  /** Whether someone came within that time; a cancel rejects. */
  isVisitedWithin(ms: number, signal: AbortSignal): Promise<boolean>;
};

/** Serves a page until it is disposed of. Only its own address counts: browsers also ask for icons. */
export async function serveVisit(): Promise<Visit> {
  const visited = Promise.withResolvers<boolean>();
  const server = createServer((request, response) => {
    const isPage = request.url === PATH;
    response.writeHead(isPage ? 200 : 404, { "Content-Type": "text/html; charset=utf-8", Connection: "close" });
    response.end(isPage ? PAGE : "", () => {
      if (isPage) visited.resolve(true);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("A page on this machine has a port.");
  return {
    url: `http://127.0.0.1:${address.port}${PATH}`,
    isVisitedWithin: (ms, signal) => {
      const timer = setTimeout(() => visited.resolve(false), ms);
      signal.addEventListener("abort", () => visited.reject(signal.reason), { once: true });
      return visited.promise.finally(() => clearTimeout(timer));
    },
    [Symbol.dispose]: () => void server.close(),
  };
}
