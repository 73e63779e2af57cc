import { markdownText } from "../../../presentation/entry-text.ts";
import { timeText } from "../../../presentation/entry-words.ts";
import type { ExportSource } from "../export-document.ts";

/** For reading and pasting: messages as written, tools as headings with their output in fences. */
export async function* writeMarkdown({ session, exportedAt, runs }: ExportSource): AsyncGenerator<string> {
  const { title, agentName, projectName, createdAt, lastActiveAt } = session;
  yield `# ${oneLine(title)}\n\n`;
  yield `- Agent: ${oneLine(agentName)}\n- Project: ${oneLine(projectName)}\n`;
  yield `- From ${timeText(createdAt)} to ${timeText(lastActiveAt)}\n- Exported ${timeText(exportedAt)}\n`;
  let speaker = "";
  for await (const entries of runs()) {
    for (const entry of entries) {
      const next = entry.type === "user" ? "You" : oneLine(agentName);
      if (next !== speaker || entry.type === "user") yield `\n## ${next}\n`;
      speaker = next;
      const text = markdownText(entry);
      if (text !== "") yield `\n${text}\n`;
    }
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
