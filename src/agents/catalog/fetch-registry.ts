const REGISTRY_BYTES_MAX = 4 * 1024 * 1024;
const FETCH_TIMEOUT_MS = 10_000;

/** The public list of agents. */
export const REGISTRY_URL = "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json";

/** The registry as it is now; throws with the reason when it cannot be had in reasonable time and size. */
export async function fetchRegistry(url: string): Promise<unknown> {
  const response = await fetch(url, {
    headers: { Accept: "application/json" },
    signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`it answered ${response.status}`);
  return JSON.parse(await readBounded(response));
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
