import type { LanguageModelV3 } from "@ai-sdk/provider";
import type { ModelMessage } from "../sessions/model-message.ts";
import type { Turn } from "../turn/turn.ts";
import { Draft } from "./draft.ts";
import { notice, streamStep, withRetries } from "./model-call.ts";
import { bounded } from "./own-tools.ts";
import type { ModelSettings } from "./settings.ts";

/** What the request in progress may keep of the context, word for word. */
const KEPT_CHARACTERS_PER_TOKEN = 1;
/** What the text to summarise may fill: half of the context, at four characters a token. */
const SUMMARISED_CHARACTERS_PER_TOKEN = 2;
const RESULT_CHARACTERS_MAX = 2_000;

const INSTRUCTIONS =
  "You are given the record of a conversation between a user and an assistant that uses tools. Write a summary from which the " +
  "assistant can go on without the record: what the user wants, what was decided, what was done and found out (files, commands, " +
  "ids of agents, results), what is left to do. Facts only, no greeting.";

/** Puts a summary by the model in the place of what was said before the request in progress, visibly. */
export async function compact(turn: Turn, model: LanguageModelV3, settings: ModelSettings): Promise<void> {
  const { client, session, world } = turn.context;
  const { memory } = session;
  const kept = countKept(memory.messages, settings.contextTokens * KEPT_CHARACTERS_PER_TOKEN);
  const older = memory.messages.slice(0, memory.messages.length - kept);
  const compactionId = world.newId("compaction");
  const tells = client.capabilities.compaction;
  if (tells) turn.update({ sessionUpdate: "compaction_update", compactionId, status: "in_progress" });
  else notice(turn, "info", "My context is nearly full: I sum up what was said so far.");
  try {
    const record = bounded(older.map(asText).join("\n\n"), settings.contextTokens * SUMMARISED_CHARACTERS_PER_TOKEN);
    const text = await withRetries(turn, settings, () => summarise(turn, model, settings, record));
    turn.signal.throwIfAborted();
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
  const { tokens } = memory;
  turn.transient({ sessionUpdate: "usage_update", used: tokens, size: settings.contextTokens });
}

async function summarise(
  turn: Turn,
  model: LanguageModelV3,
  { silentMsMax }: ModelSettings,
  record: string,
): Promise<string> {
  const draft = new Draft();
  const prompt = [
    { role: "system" as const, content: INSTRUCTIONS },
    { role: "user" as const, content: [{ type: "text" as const, text: record }] },
  ];
  const listener = { say: () => undefined, think: () => undefined };
  await streamStep(model, { prompt }, { draft, listener, signal: turn.signal, silentMsMax });
  return draft.words.map((part) => ("text" in part ? part.text : "")).join("");
}

/** The request in progress stays as it is, unless it is itself what fills the context. */
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
