import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3FinishReason,
  LanguageModelV3Usage,
} from "@ai-sdk/provider";
import type { Draft } from "./draft.ts";
import { BrokenOff, Silent } from "./trouble.ts";

/** Who hears the words as they come. */
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
