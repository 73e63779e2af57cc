import { Draft } from "./draft.ts";
import { openModel, streamStep } from "./model-call.ts";
import type { ModelSettings } from "./settings.ts";
import { readTrouble } from "./trouble.ts";

/** A model on this machine may have to be loaded first. */
const ANSWER_MS_MAX = 60_000;
const QUESTION = "Answer with one word: ok";

/** Whether the model answers, in words, and what to do where it does not. */
type ModelReport = { readonly ok: boolean; readonly message: string; readonly fix?: string };

/** One tiny question; its first word is enough, and nothing is tried twice. */
export async function askModel(settings: ModelSettings, now: () => number): Promise<ModelReport> {
  const enough = new AbortController();
  const stopReading = () => enough.abort();
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: QUESTION }] }];
  const silentMsMax = Math.min(settings.silentMsMax, ANSWER_MS_MAX);
  const answers = { ok: true, message: `The model "${settings.model}" at ${new URL(settings.url).host} answers.` };
  try {
    const asking = {
      draft: new Draft(),
      listener: { say: stopReading, think: stopReading },
      signal: enough.signal,
      silentMsMax,
    };
    await streamStep(await openModel(settings), { prompt }, asking);
    return answers;
  } catch (error) {
    if (enough.signal.aborted) return answers;
    const { words, wayOut } = readTrouble(error, settings, now());
    return { ok: false, message: words, fix: wayOut };
  }
}
