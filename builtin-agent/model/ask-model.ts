import { Draft } from "./draft.ts";
import { openModel, streamStep } from "./model-call.ts";
import type { ModelSettings } from "./settings.ts";
import { Endless, readTrouble } from "./trouble.ts";

/** A local model may have to be loaded first. */
const ANSWER_MS_MAX = 60_000;
const QUOTED_CHARACTERS_MAX = 200;
const QUESTION = "Answer with one word: ok";
/** A model that cannot use tools is of no use here, and its endpoint refuses them. */
const TOOL = {
  type: "function" as const,
  name: "read_file",
  description: "Reads a file. Not needed now.",
  inputSchema: { type: "object" as const, properties: { path: { type: "string" as const } }, required: ["path"] },
};

/** Whether the model answers, its text, and advice if it does not. */
type ModelReport = { readonly ok: boolean; readonly message: string; readonly fix?: string };

/** Sends one tiny request with a tool, without retries. */
export async function askModel(settings: ModelSettings, now: () => number): Promise<ModelReport> {
  const enough = new AbortController();
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: QUESTION }] }];
  const limits = { silentMsMax: Math.min(settings.silentMsMax, ANSWER_MS_MAX), answerMsMax: ANSWER_MS_MAX };
  const place = `The model "${settings.model}" at ${new URL(settings.url).host}`;
  let said = "";
  let isThinking = false;
  const say = (text: string) => {
    said += text;
    if (said.length > QUOTED_CHARACTERS_MAX) enough.abort();
  };
  const think = () => {
    isThinking = true;
  };
  const answered = (): ModelReport => {
    const words = said.trim().replace(/\s+/g, " ");
    if (words !== "") return { ok: true, message: `${place} answered: “${words.slice(0, QUOTED_CHARACTERS_MAX)}”` };
    if (isThinking) return { ok: true, message: `${place} answers. It only sent thoughts so far.` };
    const fix = "Choose another model, or check that this one is made for conversations.";
    return { ok: false, message: `${place} returned an empty answer.`, fix };
  };
  try {
    const asking = { draft: new Draft(), listener: { say, think }, signal: enough.signal, limits };
    const options = settings.outputTokens === undefined ? {} : { maxOutputTokens: settings.outputTokens };
    const { reason } = await streamStep(await openModel(settings), { prompt, tools: [TOOL], ...options }, asking);
    return reason === "tool-calls" ? { ok: true, message: `${place} answered with a tool call.` } : answered();
  } catch (error) {
    if (enough.signal.aborted || (error instanceof Endless && (said !== "" || isThinking))) return answered();
    const { words, wayOut } = readTrouble(error, settings, now());
    return { ok: false, message: words, fix: wayOut };
  }
}
