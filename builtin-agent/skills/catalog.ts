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

/** Everything the guide can do, in the order the help page shows it. */
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

/** What is still worth having beside a model; the rest only shows the app. */
const MODEL_SKILLS: readonly Skill[] = [modelHelp, list, read, search, edit, run];

/** The slash commands of an agent with a model. */
export const MODEL_COMMANDS: AvailableCommand[] = [
  ...MODEL_SKILLS.map(asCommand),
  { name: "compact", description: "Sums up the talk so far, to make room in the model's context." },
];

function asCommand({ name, summary, hint }: Skill): AvailableCommand {
  return hint === undefined ? { name, description: summary } : { name, description: summary, input: { hint } };
}

/** What a prompt asks for: a skill, or nothing with the skill it comes near to. */
type Request =
  | { readonly skill: Skill; readonly argument: string }
  | { readonly skill: undefined; readonly near: Skill | undefined };

/** `/read x` and `read x` are the same; an argument that a skill cannot take is no command. */
export function findSkill(text: string): Request {
  const [, word = "", argument = ""] = /^\/?([a-z]+)(?:\s+([\s\S]*))?$/i.exec(text.trim()) ?? [];
  const skill = SKILLS.find(({ name }) => name === word.toLowerCase());
  return skill?.accepts(argument) ? { skill, argument } : { skill: undefined, near: skill };
}

/** Beside a model only a slash makes a command, since sentences begin with such words; `help` alone is one too. */
export function findModelSkill(text: string): { readonly skill: Skill; readonly argument: string } | undefined {
  const [, word = "", argument = ""] = /^\/([a-z]+)(?:\s+([\s\S]*))?$/i.exec(text.trim()) ?? [];
  const name = /^help$/i.test(text.trim()) ? "help" : word.toLowerCase();
  const skill = MODEL_SKILLS.find((known) => known.name === name);
  return skill?.accepts(argument) ? { skill, argument } : undefined;
}
