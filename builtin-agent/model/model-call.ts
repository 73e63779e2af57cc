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
import { BrokenOff, readTrouble, Silent, type Trouble, WrongAnswer } from "./trouble.ts";

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

/** Receives text and thoughts as they stream. */
type Listener = { say(text: string): void; think(text: string): void };

/** Where the answer goes, and how long it may take to go on. */
type Asking = {
  readonly draft: Draft;
  readonly listener: Listener;
  readonly signal: AbortSignal;
  readonly silentMsMax: number;
};

/** How one question to the model ended. */
export type StepEnd = {
  readonly reason: LanguageModelV3FinishReason["unified"];
  /** What the endpoint counted, if it does: together all that the context held then. */
  readonly tokens: { readonly input: number; readonly output: number } | undefined;
};

/** Asks the model once: words go out as they come, and the draft holds what it all amounts to. */
export async function streamStep(
  model: LanguageModelV3,
  options: LanguageModelV3CallOptions,
  { draft, listener, signal, silentMsMax }: Asking,
): Promise<StepEnd> {
  const silence = new AbortController();
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
  }
}

/** An end without a reason is a connection that was cut, whatever the library makes of it. */
function endOf({ unified, raw }: LanguageModelV3FinishReason, usage: LanguageModelV3Usage): StepEnd {
  if (raw === undefined) throw new BrokenOff("broke off its answer");
  const { inputTokens, outputTokens } = usage;
  const input = inputTokens.total;
  return { reason: unified, tokens: input === undefined ? undefined : { input, output: outputTokens.total ?? 0 } };
}

const RETRIES_MAX = 5;
const WAIT_MS_MAX = 60_000;

/** The question does not fit into the model's context. Where a summary does not cure it, it ends the turn as an error. */
export class TooLong extends RpcError {
  constructor(words: string, { contextTokens }: ModelSettings) {
    const wayOut = `Start a new session with less text, or set LIMINAL_MODEL_CONTEXT (now ${contextTokens}) to the number of tokens the model holds.`;
    super(RPC_CODE.internal, `${words} The conversation does not fit into the model's context. ${wayOut}`);
  }
}

/** Asks again after trouble that may pass, and says so each time; other trouble ends the turn with a way out. */
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

/** A line of the agent's own in the transcript: a notice where the client knows them, else words apart. */
export function notice(turn: Turn, severity: "info" | "warning", title: string): void {
  if (turn.context.client.capabilities.notices) turn.transient({ sessionUpdate: "notice", severity, title });
  else turn.say(`\n\n> ${title}\n\n`);
}
