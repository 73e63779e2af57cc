const REGISTRY_BYTES_MAX = 4 * 1024 * 1024;
const FETCH_TIMEOUT_MS = 10_000;
const REDIRECTS_MAX = 3;
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** The public list of agents. */
export const REGISTRY_URL = "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json";

/** The registry as it is now; throws with the reason when it cannot be had in reasonable time and size. */
export async function fetchRegistry(url: string): Promise<unknown> {
  const response = await request(trusted(url), AbortSignal.timeout(FETCH_TIMEOUT_MS), REDIRECTS_MAX);
  if (!response.ok) throw new Error(`it answered ${response.status}`);
  return JSON.parse(await readBounded(response));
}

/** It may move within its own place. Where else we ask is the user's to say: it could name a machine only we can reach. */
async function request(url: URL, signal: AbortSignal, redirectsLeft: number): Promise<Response> {
  const response = await fetch(url, { headers: { Accept: "application/json" }, redirect: "manual", signal });
  const location = response.headers.get("location");
  if (response.status < 300 || response.status > 399 || location === null) return response;
  await response.body?.cancel();
  if (redirectsLeft === 0) throw new Error("it leads from one address to the next without end");
  const next = URL.canParse(location, url) ? new URL(location, url) : null;
  if (next?.origin !== url.origin)
    throw new Error(
      `it leads to ${next?.origin ?? "no address"}, and only ${url.origin} is asked; LIMINAL_REGISTRY_URL can name another`,
    );
  return request(next, signal, redirectsLeft - 1);
}

/** What is read decides which programs are offered, so nobody on the way may change it; this machine has no way. */
function trusted(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK.test(url.hostname))) return url;
  throw new Error("its address does not begin with https://; check LIMINAL_REGISTRY_URL");
}

async function readBounded(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = "";
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > REGISTRY_BYTES_MAX) throw new Error(`it is larger than ${REGISTRY_BYTES_MAX} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
