import type { Scenario } from "../scenarios/scenario.ts";
import { findModelSkill, findSkill } from "../skills/catalog.ts";
import type { Skill } from "../skills/skill.ts";
import { describeAttachments } from "../turn/attachments.ts";
import { type Turn, TurnCancelled } from "../turn/turn.ts";
import type { Answer } from "../wire/connection.ts";
import { RpcError } from "../wire/rpc-error.ts";

/** What a turn can run besides the skills. */
export type Script = {
  readonly flagged: readonly Scenario[];
  /** Finds and enables the scenario that a prompt names. */
  readonly byPrompt: (name: string) => Scenario | undefined;
  /** With a model, it answers prompts that are not commands. */
  readonly model: () => Promise<ModelBackend | undefined>;
  readonly report: (error: unknown) => void;
};

/** Answers prompts if a model is configured. */
export type ModelBackend = {
  answer(turn: Turn): Promise<Answer>;
  compactNow(turn: Turn): Promise<Answer>;
};

/** Answers one prompt; a cancel is answered at once, whatever the skill is waiting for. */
export async function runTurn(turn: Turn, script: Script): Promise<Answer> {
  const { session, world, prompt } = turn.context;
  session.turn = turn;
  session.record({ type: "user", messageId: world.newId("msg"), content: prompt });
  const performed = perform(turn, script);
  try {
    const outcome = await Promise.race([performed, turn.cancelled]);
    if (outcome !== "cancelled") return outcome;
    performed.catch((error: unknown) => {
      if (!(error instanceof TurnCancelled)) script.report(error);
    });
    return { result: { stopReason: "cancelled" } };
  } catch (error) {
    return endBadly(turn, error, script);
  } finally {
    turn.end();
    if (session.turn === turn) session.turn = undefined;
  }
}

async function perform(turn: Turn, script: Script): Promise<Answer> {
  const text = promptText(turn);
  for (const scenario of script.flagged) {
    const answer = await scenario.onPrompt?.(turn);
    if (answer) return answer;
  }
  const model = await script.model();
  if (model) return performWithModel(turn, model, text);
  const [, name] = /^\/?scenario\s+(\S+)$/i.exec(text) ?? [];
  if (name !== undefined) return (await playNamed(turn, script, name)) ?? { result: { stopReason: "end_turn" } };
  if (turn.context.session.config.thoughts) turn.think(`Looking up "${firstWords(text)}".`);
  const request = findSkill(text);
  if (request.skill) await request.skill.run(turn, request.argument);
  else generalAnswer(turn, request.near);
  return { result: { stopReason: "end_turn" } };
}

/** Slash commands still work without the model; it does not see them. */
async function performWithModel(turn: Turn, model: ModelBackend, text: string): Promise<Answer> {
  if (/^\/compact$/i.test(text)) return model.compactNow(turn);
  const request = findModelSkill(text);
  if (!request) return model.answer(turn);
  await request.skill.run(turn, request.argument);
  return { result: { stopReason: "end_turn" } };
}

async function playNamed(turn: Turn, script: Script, name: string): Promise<Answer | undefined> {
  const scenario = script.byPrompt(name);
  if (!scenario) return void turn.say(`There is no scenario \`${name}\`.`);
  if (scenario.onPrompt) return scenario.onPrompt(turn);
  turn.say(scenario.quirks ? `\`${name}\` is on from now on.` : `\`${name}\` can only be played at start.`);
  return undefined;
}

/** A skill's own failure is reported as text; only an intended refusal becomes a JSON-RPC error. */
function endBadly(turn: Turn, error: unknown, script: Script): Answer {
  if (error instanceof TurnCancelled) {
    turn.cancel();
    return { result: { stopReason: "cancelled" } };
  }
  const reason = error instanceof Error ? error.message : String(error);
  for (const tool of turn.openTools) tool.fail(reason);
  if (error instanceof RpcError) throw error;
  script.report(error);
  turn.say(`That did not work: ${reason}`);
  return { result: { stopReason: "end_turn" } };
}

const FIRST_WORDS_CHARACTERS_MAX = 60;

function firstWords(text: string): string {
  return text.length > FIRST_WORDS_CHARACTERS_MAX ? `${text.slice(0, FIRST_WORDS_CHARACTERS_MAX)}…` : text;
}

/** The user's own text comes first. Text added by a client, such as the conversation so far, is not a command. */
function promptText(turn: Turn): string {
  const words = turn.context.prompt.find((block) => block.type === "text");
  return words?.text.trim() ?? "";
}

/** The answer to prompts that are not commands: friendly, short, and explicit about what was received. */
function generalAnswer(turn: Turn, near: Skill | undefined): void {
  const seen = describeAttachments(turn.context.prompt);
  const lines = [
    ...(seen.length > 0 ? ["I received:", "", ...seen.map((line) => `- ${line}`), ""] : []),
    ...(near ? [`Did you mean \`${near.usage}\`? ${near.summary}`, ""] : []),
    "I am the built-in guide and have no model, so I only understand a few commands: `list`, `read <file>`, `search <text>`,",
    "`run <command>`, `plan`, `think` and some more. Type **`help`** to see them all.",
    "",
    "With a model I work on my own: set one under *Settings*, *Built-in agent*, or with `liminal model set`.",
  ];
  if (turn.isDetailed) lines.push("", "For real work choose another agent; I am here to show you around.");
  turn.say(lines.join("\n"));
}
