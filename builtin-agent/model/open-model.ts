import type { LanguageModelV3 } from "@ai-sdk/provider";
import type { ModelSettings } from "./settings.ts";
import { WrongAnswer } from "./trouble.ts";

/** Endpoints of one's own often want no key, but the Messages API's library insists on some. */
const NO_KEY = "none";
const QUOTED_CHARACTERS_MAX = 300;

/** The model behind its dialect. Imported here and now: the plain guide must not pay for it. */
export async function openModel({ kind, url, model, key }: ModelSettings): Promise<LanguageModelV3> {
  if (kind === "anthropic") {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return createAnthropic({ baseURL: url, apiKey: key ?? NO_KEY, fetch: fetchStream })(model);
  }
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const options = { name: "endpoint", baseURL: url, includeUsage: true, fetch: fetchStream };
  return createOpenAICompatible(key === undefined ? options : { ...options, apiKey: key })(model);
}

/**
 * Refuses an answer with a good status that is no stream of events: a web page (a sign-in page, a wrong address) or JSON.
 * The library finds no event in either and reports that the answer broke off.
 */
const fetchStream = Object.assign(
  async (input: Parameters<typeof fetch>[0], init?: Parameters<typeof fetch>[1]): Promise<Response> => {
    const response = await fetch(input, init);
    const { ok, status, headers, body } = response;
    const type = headers.get("content-type") ?? "";
    if (!ok || !body || type.includes("text/event-stream")) return response;
    const [kept, looked] = body.tee();
    const start = await startOf(looked);
    if (start.startsWith("<") || /\bx?html\b/.test(type)) throw new WrongAnswer("a web page");
    if (start.startsWith("{")) throw new WrongAnswer(`JSON (${start.slice(0, QUOTED_CHARACTERS_MAX)})`);
    return new Response(kept, { status, headers });
  },
  { preconnect: fetch.preconnect },
);

/** The first piece that is not blank. */
async function startOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  for await (const piece of stream) {
    const text = decoder.decode(piece, { stream: true }).trimStart();
    if (text !== "") return text;
  }
  return "";
}
