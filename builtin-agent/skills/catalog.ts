import type { AvailableCommand } from "@agentclientprotocol/sdk";
import { makeAll } from "./all.ts";
import { ask } from "./ask.ts";
import { crash } from "./crash.ts";
import { edit } from "./edit.ts";
import { fail } from "./fail.ts";
import { makeHelp } from "./help.ts";
import { image } from "./image.ts";
import { list } from "./list.ts";
import { plan } from "./plan.ts";
import { read } from "./read.ts";
import { run } from "./run.ts";
import { search } from "./search.ts";
import type { Skill } from "./skill.ts";
import { sleep } from "./sleep.ts";
import { stream } from "./stream.ts";
import { think } from "./think.ts";

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
export const AVAILABLE_COMMANDS: AvailableCommand[] = SKILLS.map(({ name, summary, hint }) =>
  hint === undefined ? { name, description: summary } : { name, description: summary, input: { hint } },
);

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
