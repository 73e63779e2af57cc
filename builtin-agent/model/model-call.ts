import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3FinishReason,
  LanguageModelV3Usage,
} from "@ai-sdk/provider";
import type { Turn } from "../turn/turn.ts";
import { RPC_CODE, RpcError } from "../wire/rpc-error.ts";
import type { Draft } from "./draft.ts";
import type { ModelSettings } from "./settings.ts";
import { BrokenOff, Endless, readTrouble, Silent, type Trouble, WrongAnswer } from "./trouble.ts";

/** Private endpoints often need no key, but the Messages API's library requires one. */
const NO_KEY = "none";
const QUOTED_CHARACTERS_MAX = 300;
const REDIRECT = 300;
const CLIENT_ERROR = 400;
/** Far more than any model sends at once. */
const ANSWER_CHARACTERS_MAX = 2_000_000;

/** The model behind its API dialect. Imported dynamically, so that the plain guide does not pay for it. */
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
 * Refuses a successful response that is not an event stream: a web page (a sign-in page, a wrong address) or JSON.
 * The library finds no events in either and reports that the answer broke off.
 */
const fetchStream = Object.assign(
  async (input: Parameters<typeof fetch>[0], init?: Parameters<typeof fetch>[1]): Promise<Response> => {
    // Followed, a redirect could carry the key to another host.
    const response = await fetch(input, { ...init, redirect: "manual" });
    const { ok, status, headers, body } = response;
    const location = headers.get("location");
    if (status >= REDIRECT && status < CLIENT_ERROR && location !== null) {
      await body?.cancel();
      const to = URL.parse(location, response.url || undefined);
      throw new WrongAnswer(`a redirect to ${to ? to.origin + to.pathname : "another address"}`);
    }
    const type = headers.get("content-type") ?? "";
    if (ok && !body) throw new WrongAnswer("nothing");
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

/** Receives text and thoughts as they stream. */
type Listener = { say(text: string): void; think(text: string): void };

/** Where the answer goes, and how long it may pause. */
type Asking = {
  readonly draft: Draft;
  readonly listener: Listener;
  readonly signal: AbortSignal;
  readonly limits: Pick<ModelSettings, "silentMsMax" | "answerMsMax">;
};

/** How one model request ended. */
export type StepEnd = {
  readonly reason: LanguageModelV3FinishReason["unified"];
  /** The endpoint's token counts, if it reports them: the size of the context. */
  readonly tokens: TokenCounts | undefined;
};

/** As the endpoint counts them. `cached` is a part of `input`. */
type TokenCounts = { readonly input: number; readonly output: number; readonly cached: number };

/** Sends one model request: text is streamed, and the draft holds the complete result. */
export async function streamStep(
  model: LanguageModelV3,
  options: LanguageModelV3CallOptions,
  { draft, listener, signal, limits: { silentMsMax, answerMsMax } }: Asking,
): Promise<StepEnd> {
  const silence = new AbortController();
  const endless = setTimeout(() => silence.abort(new Endless(`${Math.ceil(answerMsMax / 1_000)} s`)), answerMsMax);
  let characters = 0;
  const fallSilent = () => silence.abort(new Silent(silentMsMax));
  let timer = setTimeout(fallSilent, silentMsMax);
  try {
    const abortSignal = AbortSignal.any([signal, silence.signal]);
    const { stream } = await model.doStream({ ...options, abortSignal });
    for await (const part of stream) {
      signal.throwIfAborted();
      clearTimeout(timer);
      timer = setTimeout(fallSilent, silentMsMax);
      if (part.type === "error") throw part.error;
      draft.take(part);
      characters += "delta" in part ? part.delta.length : 0;
      if (characters > ANSWER_CHARACTERS_MAX) throw new Endless(`${ANSWER_CHARACTERS_MAX} characters`);
      if (part.type === "text-delta" && part.delta !== "") listener.say(part.delta);
      if (part.type === "reasoning-delta" && part.delta !== "") listener.think(part.delta);
      if (part.type === "finish") return endOf(part.finishReason, part.usage);
    }
    throw new BrokenOff("broke off its answer");
  } catch (error) {
    signal.throwIfAborted();
    silence.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    clearTimeout(endless);
    silence.abort();
  }
}

/** An end without a reason is a broken connection, whatever the library reports. */
function endOf({ unified, raw }: LanguageModelV3FinishReason, usage: LanguageModelV3Usage): StepEnd {
  if (raw === undefined) throw new BrokenOff("broke off its answer");
  const { inputTokens, outputTokens } = usage;
  const input = inputTokens.total;
  const [output, cached] = [outputTokens.total ?? 0, inputTokens.cacheRead ?? 0];
  return { reason: unified, tokens: input === undefined ? undefined : { input, output, cached } };
}

const TOKENS_PER_PRICE = 1_000_000;

/** Adds what a request cost, if the endpoint counts and prices are known. */
export function spend(
  { context: { session } }: Turn,
  { prices }: ModelSettings,
  tokens: TokenCounts | undefined,
): void {
  if (!prices || !tokens) return;
  const { input, output, cached } = tokens;
  const amount =
    (input - cached) * prices.inputPerMillionTokens +
    cached * prices.cachedPerMillionTokens +
    output * prices.outputPerMillionTokens;
  session.spend(amount / TOKENS_PER_PRICE);
}

/** How full the context is and, where prices are known, what the session has cost. */
export function tellUsage(turn: Turn, { contextTokens, prices }: ModelSettings): void {
  const { memory, cost } = turn.context.session;
  turn.transient({
    sessionUpdate: "usage_update",
    used: memory.tokens,
    size: contextTokens,
    ...(prices && { cost: { amount: Number(cost.toFixed(COST_DIGITS)), currency: prices.currency } }),
  });
}

const COST_DIGITS = 6;

const RETRIES_MAX = 5;
const WAIT_MS_MAX = 60_000;

/** The request does not fit into the model's context. If a summary does not help, it ends the turn with an error. */
export class TooLong extends RpcError {
  constructor(words: string, { contextTokens, names }: ModelSettings) {
    const wayOut = `Start a new session with less text, or set ${names.contextTokens} (now ${contextTokens}) to the number of tokens the model holds.`;
    super(RPC_CODE.internal, `${words} The conversation does not fit into the model's context. ${wayOut}`);
  }
}

/** Retries after temporary failures, reporting each; other failures end the turn with advice. */
export async function withRetries<Value>(
  turn: Turn,
  settings: ModelSettings,
  ask: () => Promise<Value>,
): Promise<Value> {
  for (let tries = 0; ; tries += 1) {
    turn.signal.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      turn.signal.throwIfAborted();
      const trouble = readTrouble(error, settings, turn.context.world.now());
      if (trouble.isTooLong) throw new TooLong(trouble.words, settings);
      await waitOrGiveUp(turn, settings, trouble, tries);
    }
  }
}

async function waitOrGiveUp(turn: Turn, settings: ModelSettings, trouble: Trouble, tries: number): Promise<void> {
  const { words } = trouble;
  const wayOut = `${trouble.wayOut} Then send your message again.`;
  if (!trouble.mayPass) throw new RpcError(RPC_CODE.internal, `${words} ${wayOut}`);
  if (tries >= RETRIES_MAX) throw new RpcError(RPC_CODE.internal, `${words} I tried ${tries + 1} times. ${wayOut}`);
  const waitMs = trouble.waitMs ?? Math.min(WAIT_MS_MAX, settings.retryMs * 2 ** tries);
  if (waitMs > WAIT_MS_MAX) {
    const minutes = Math.ceil(waitMs / 60_000);
    throw new RpcError(RPC_CODE.internal, `${words} It asks to wait ${minutes} minutes: send your message again then.`);
  }
  const when = waitMs < 1_000 ? "now" : `in ${Math.round(waitMs / 1_000)} s`;
  notice(turn, "warning", `${words} I try again ${when} (${tries + 1} of ${RETRIES_MAX}).`);
  await turn.pause(waitMs);
}

/** A line by the agent itself in the transcript: a notice if the client supports them, otherwise text. */
export function notice(turn: Turn, severity: "info" | "warning", title: string): void {
  if (turn.context.client.capabilities.notices) turn.transient({ sessionUpdate: "notice", severity, title });
  else turn.say(`\n\n> ${title}\n\n`);
}
