import { isEmpty, type Skill } from "./skill.ts";

/** The first page a new user sees; generated from the skills, so it is always complete. */
export function makeHelp(skills: () => readonly Skill[]): Skill {
  return {
    name: "help",
    usage: "help",
    summary: "Shows this page.",
    accepts: isEmpty,
    run: (turn) => turn.say(helpText(skills(), turn.isDetailed)),
  };
}

const EXAMPLE = ["```text", "list", "search hello", 'edit notes.md "hello" "good morning"', "run git status", "```"];

const BACKGROUND = [
  "### How I work",
  "",
  "- I am a real agent process that speaks **ACP** on stdio, like the others: what works with me works with them.",
  "- I have no model and use no network. Everything I say is written in my source.",
  "- Files are read and written only inside this session's directory.",
  "- Edits and commands ask you first. **Permissions** changes that; *Always allow* lasts for this session.",
  "- **Cancel** stops me at once, commands included. My sessions survive a crash.",
];

/** The help page of an agent that has a model. */
export function modelHelpText(skills: readonly Skill[], detailed: boolean): string {
  const rows = skills.map(({ usage, summary }) => `| \`/${usage.replaceAll("|", "\\|")}\` | ${summary} |`);
  return [
    "## Hello, I work with a model",
    "",
    "Tell me in your own words what you want. I read, edit and run things here, and I can start other agents, wait for them and",
    "sum up what they did; you see each of them under this session.",
    "",
    "These answer at once, without the model:",
    "",
    "| Prompt | What happens |",
    "| --- | --- |",
    ...rows,
    "| `/compact` | Summarizes the conversation to free space in the model's context. |",
    "",
    ...(detailed
      ? BACKGROUND.filter((line) => !line.includes("no model"))
      : ["Set **Voice** to *Detailed* and ask again to learn how I work."]),
    "",
  ].join("\n");
}

/** The help page as markdown; pure, so that tests and page see the same text. */
function helpText(skills: readonly Skill[], detailed: boolean): string {
  const rows = skills.map(({ usage, summary }) => `| \`${usage.replaceAll("|", "\\|")}\` | ${summary} |`);
  return [
    "## Hello, I am the guide",
    "",
    "I show what this app can do, at once and offline. Type one of these, or `/` and pick:",
    "",
    "| Prompt | What happens |",
    "| --- | --- |",
    ...rows,
    "",
    "Try these first:",
    "",
    ...EXAMPLE,
    "",
    ...(detailed ? BACKGROUND : ["Set **Voice** to *Detailed* and ask again to learn how I work."]),
    "",
  ].join("\n");
}
