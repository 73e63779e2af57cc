import type { LanguageModelV3 } from "@ai-sdk/provider";
import type { ModelMessage } from "../sessions/model-message.ts";
import type { Turn } from "../turn/turn.ts";
import { RPC_CODE, RpcError } from "../wire/rpc-error.ts";
import { Draft } from "./draft.ts";
import { notice, spend, streamStep, tellUsage, withRetries } from "./model-call.ts";
import { bounded } from "./own-tools.ts";
import type { ModelSettings } from "./settings.ts";

/** How much of the context the current request may keep verbatim. */
const KEPT_CHARACTERS_PER_TOKEN = 1;
/** Limit of the text to summarize: half of the context, at four characters per token. */
const SUMMARISED_CHARACTERS_PER_TOKEN = 2;
const RESULT_CHARACTERS_MAX = 2_000;

const INSTRUCTIONS =
  "You are given the record of a conversation between a user and an assistant that uses tools. Write a summary from which the " +
  "assistant can go on without the record: what the user wants, what was decided, what was done and found out (files, commands, " +
  "ids of agents, results), what is left to do. Facts only, no greeting.";

/** Replaces the messages before the current request with a summary by the model, visibly. */
export async function compact(turn: Turn, model: LanguageModelV3, settings: ModelSettings): Promise<void> {
  const { client, session, world } = turn.context;
  const { memory } = session;
  const kept = countKept(memory.messages, settings.contextTokens * KEPT_CHARACTERS_PER_TOKEN);
  const older = memory.messages.slice(0, memory.messages.length - kept);
  const tokensBefore = memory.tokens;
  const compactionId = world.newId("compaction");
  const tells = client.capabilities.compaction;
  if (tells) turn.update({ sessionUpdate: "compaction_update", compactionId, status: "in_progress" });
  else notice(turn, "info", "The context is nearly full. Summarizing the conversation.");
  try {
    const record = bounded(older.map(asText).join("\n\n"), settings.contextTokens * SUMMARISED_CHARACTERS_PER_TOKEN);
    const text = await withRetries(turn, settings, () => summarise(turn, model, settings, record));
    turn.signal.throwIfAborted();
    if (text.trim() === "") throw new RpcError(RPC_CODE.internal, NO_SUMMARY);
    memory.replaceBySummary(text, kept);
    if (tells) {
      const summary = [{ type: "text" as const, text }];
      turn.update({ sessionUpdate: "compaction_update", compactionId, status: "completed", summary });
    }
  } catch (error) {
    turn.signal.throwIfAborted();
    const message = error instanceof Error ? error.message : String(error);
    if (tells) turn.update({ sessionUpdate: "compaction_update", compactionId, status: "failed", error: message });
    throw error;
  }
  const count = older.length === 1 ? "1 message" : `${older.length.toLocaleString("en")} messages`;
  const rest =
    kept === 0 ? "" : ` ${kept === 1 ? "The last message was" : `The last ${kept} messages were`} kept as is.`;
  const [from, to] = [tokensBefore, memory.tokens].map((tokens) => tokens.toLocaleString("en"));
  notice(turn, "info", `Summarized ${count}: the context went from about ${from} to ${to} tokens.${rest}`);
  tellUsage(turn, settings);
}

const NO_SUMMARY =
  "The model returned an empty summary, so nothing was summarized. Send your message again, choose another model, or start a new session.";

async function summarise(turn: Turn, model: LanguageModelV3, settings: ModelSettings, record: string): Promise<string> {
  const draft = new Draft();
  const prompt = [
    { role: "system" as const, content: INSTRUCTIONS },
    { role: "user" as const, content: [{ type: "text" as const, text: record }] },
  ];
  const listener = { say: () => undefined, think: () => undefined };
  const asking = { draft, listener, signal: turn.signal, limits: settings };
  const { tokens } = await streamStep(model, { prompt }, asking);
  spend(turn, settings, tokens);
  return draft.words.map((part) => ("text" in part ? part.text : "")).join("");
}

/** The current request stays unchanged, unless it fills the context itself. */
function countKept(messages: readonly ModelMessage[], charactersMax: number): number {
  const at = messages.findLastIndex(({ role }) => role === "user");
  const tail = messages.slice(at);
  return at > 0 && JSON.stringify(tail).length <= charactersMax ? tail.length : 0;
}

function asText({ role, content }: ModelMessage): string {
  const parts = content.map((part) => {
    switch (part.type) {
      case "text":
        return part.text;
      case "tool-call":
        return `[calls ${part.toolName} ${bounded(JSON.stringify(part.input), RESULT_CHARACTERS_MAX)}]`;
      case "tool-result":
        return `[${part.toolName} gave: ${bounded(JSON.stringify(part.output), RESULT_CHARACTERS_MAX)}]`;
      default:
        return `[${part.type}]`;
    }
  });
  return `${role}: ${parts.join("\n")}`;
}
