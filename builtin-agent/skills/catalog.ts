import type { AvailableCommand } from "@agentclientprotocol/sdk";
import { makeAll } from "./all.ts";
import { ask } from "./ask.ts";
import { edit, list, read, run, search } from "./files.ts";
import { makeHelp, modelHelpText } from "./help.ts";
import { image } from "./media.ts";
import { crash, fail, sleep, stream, think } from "./pace.ts";
import { plan } from "./plan.ts";
import type { Skill } from "./skill.ts";

const help = makeHelp(() => SKILLS);
const all = makeAll(() => AVAILABLE_COMMANDS);

/** All skills, in the order of the help page. */
const SKILLS: readonly Skill[] = [
  help,
  list,
  read,
  search,
  edit,
  run,
  plan,
  think,
  ask,
  image,
  stream,
  sleep,
  all,
  fail,
  crash,
];

/** The same as slash commands. */
export const AVAILABLE_COMMANDS: AvailableCommand[] = SKILLS.map(asCommand);

const modelHelp: Skill = { ...help, run: (turn) => turn.say(modelHelpText(MODEL_SKILLS, turn.isDetailed)) };

/** The skills that are useful beside a model; the others only demonstrate the app. */
const MODEL_SKILLS: readonly Skill[] = [modelHelp, list, read, search, edit, run];

/** The slash commands of an agent with a model. */
export const MODEL_COMMANDS: AvailableCommand[] = [
  ...MODEL_SKILLS.map(asCommand),
  { name: "compact", description: "Summarizes the conversation to free space in the model's context." },
];

function asCommand({ name, summary, hint }: Skill): AvailableCommand {
  return hint === undefined ? { name, description: summary } : { name, description: summary, input: { hint } };
}

/** The result of parsing a prompt: a skill, or the most similar one. */
type Request =
  | { readonly skill: Skill; readonly argument: string }
  | { readonly skill: undefined; readonly near: Skill | undefined };

/** `/read x` and `read x` are the same; with an argument that the skill does not accept it is not a command. */
export function findSkill(text: string): Request {
  const [, word = "", argument = ""] = /^\/?([a-z]+)(?:\s+([\s\S]*))?$/i.exec(text.trim()) ?? [];
  const skill = SKILLS.find(({ name }) => name === word.toLowerCase());
  return skill?.accepts(argument) ? { skill, argument } : { skill: undefined, near: skill };
}

/** Beside a model only a slash makes a command, because sentences start with such words; `help` alone is one, too. */
export function findModelSkill(text: string): { readonly skill: Skill; readonly argument: string } | undefined {
  const [, word = "", argument = ""] = /^\/([a-z]+)(?:\s+([\s\S]*))?$/i.exec(text.trim()) ?? [];
  const name = /^help$/i.test(text.trim()) ? "help" : word.toLowerCase();
  const skill = MODEL_SKILLS.find((known) => known.name === name);
  return skill?.accepts(argument) ? { skill, argument } : undefined;
}
