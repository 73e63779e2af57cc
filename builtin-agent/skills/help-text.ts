import type { Skill } from "./skill.ts";

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

/** The help page as markdown: pure, so that tests and page see the same text. */
export function helpText(skills: readonly Skill[], detailed: boolean): string {
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
    "A good first walk:",
    "",
    ...EXAMPLE,
    "",
    ...(detailed ? BACKGROUND : ["Set **Voice** to *Detailed* and ask again to learn how I work."]),
    "",
  ].join("\n");
}
