import { z } from "zod";
import { parseMessage } from "../../../src/agents/acp/connection/wire-message.ts";
import { UpdateReader } from "../../../src/agents/acp/translate/translate-update.ts";
import type { AgentEvent } from "../../../src/ports/agents.ts";
import { isTextEntry } from "../../../src/protocol/entry.ts";
import { FactBody } from "../../../src/protocol/facts.ts";
import type { Json } from "../../../src/protocol/json.ts";
import { boundDepth } from "../../../src/sessions/bound-depth.ts";
import { hasParts } from "../../../src/sessions/rules/observe-text.ts";
import { PureSession } from "../../core/pure-session.ts";
import { rule, ruleSame } from "../engine/broken-rule.ts";
import { fuzzTarget } from "../engine/fuzz-target.ts";
import { mutateJson } from "../engine/mutate-json.ts";
import { recordedUpdates } from "../engine/recorded.ts";
import { checkUnpolluted } from "../engine/unpolluted.ts";

const WORDS =
  "agent_message_chunk agent_thought_chunk user_message_chunk tool_call tool_call_update plan available_commands_update config_option_update current_mode_update session_info_update usage_update notice compaction_update compaction_summary_chunk text image audio resource resource_link diff terminal content toolCallId title kind status rawInput rawOutput locations messageId _meta parentToolCallId completed failed in_progress pending ``` ```\n \n".split(
    " ",
  );
const POOL = { samples: recordedUpdates(), words: WORDS };
/** So deep that writing it as JSON is more than the stack holds. */
const ABYSS_LEVELS = 120_000;

const Input = z.object({
  updates: z.array(z.unknown()),
  /** The turn ends after so many. */
  endsAfter: z.int(),
  /** The last update has something this deep in it. */
  abyss: z.int().min(0),
});

/** Whatever an agent sends becomes valid facts; nothing throws, and no word is lost. */
export const translator = fuzzTarget({
  name: "translator",
  weight: 1,
  shape: Input,
  make(source) {
    const updates = source.list(1, 6, () => {
      let update = source.pick(POOL.samples);
      for (let changes = source.below(4); changes > 0; changes -= 1) update = mutateJson(source, update, POOL);
      return update;
    });
    const abyss = source.isOneIn(2_000) ? ABYSS_LEVELS : 0;
    return { updates, endsAfter: source.between(0, 7), abyss };
  },
  check({ updates, endsAfter, abyss }) {
    const session = new PureSession().start();
    const reader = new UpdateReader();
    const said = new Map<string, string>();
    for (const [at, given] of updates.entries()) {
      const update = overTheWire(given, at === updates.length - 1 ? abyss : 0);
      if (at === endsAfter) session.end();
      const events = reader.read(update).map(boundDepth);
      for (const event of events) {
        note(event, said);
        session.hear(event);
      }
    }
    const told = new Map<string, string>();
    for (const entry of session.entries)
      if (isTextEntry(entry) && !hasParts(entry)) add(told, entry.type, entry.messageId, entry.content);
    for (const [message, words] of said)
      ruleSame(told.get(message), words, "all that was said stands in the transcript, message by message");
    for (const fact of session.facts) {
      const parsed = FactBody.safeParse(fact);
      rule(parsed.success, "every fact is valid", () => ({ fact, error: parsed.error }));
      JSON.stringify(fact);
    }
    checkUnpolluted();
  },
});

/** As it comes from the process: one line, read by the connection. */
function overTheWire(update: unknown, abyss: number): Json {
  const text = JSON.stringify({ update: abyss > 0 ? hollow(update) : update });
  const line = abyss > 0 ? text.replaceAll('"<abyss>"', "[".repeat(abyss) + "]".repeat(abyss)) : text;
  return (parseMessage(line)?.["update"] ?? null) satisfies Json;
}

/** Everything free-form in a tool call becomes the abyss. */
function hollow(update: unknown): unknown {
  if (typeof update !== "object" || update === null || Array.isArray(update)) return "<abyss>";
  return { ...update, rawInput: "<abyss>", rawOutput: { more: "<abyss>" }, _meta: "<abyss>" };
}

/** Late text goes home to its message, so the order is that of each message. */
function note(event: AgentEvent, said: Map<string, string>): void {
  if (event.type === "text" && event.kind !== "user" && event.text !== "")
    add(said, event.kind, event.messageId, event.text);
}

function add(texts: Map<string, string>, kind: string, messageId: string | undefined, text: string): void {
  const message = `${kind} ${messageId ?? ""}`;
  texts.set(message, (texts.get(message) ?? "") + text);
}
