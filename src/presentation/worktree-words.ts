import type { Overlap, PublishPreview, Worktree } from "../protocol/worktrees.ts";
import { filesWords } from "./changes-words.ts";

type Watched = Pick<Worktree, "radar" | "base">;

/** "overlaps importer-retry": the known overlaps, for a mark; empty without any. */
export function overlapWords({ radar, base }: Watched): string {
  const [first, ...others] = radar.overlaps;
  if (first === undefined) return "";
  return `overlaps ${otherSide(first, base)}${others.length > 0 ? ` and ${others.length} more` : ""}`;
}

/** The same in full: one line for each side, with the files. */
export function overlapDetails({ radar, base }: Watched): string {
  return radar.overlaps
    .map((overlap) => {
      const [path = ""] = overlap.paths;
      const files = overlap.total === 1 ? path : filesWords(overlap.total);
      const other = otherSide(overlap, base);
      return overlap.kind === "conflict"
        ? `Merging it with ${other} would conflict in ${files}.`
        : `${other} also changed ${files}.`;
    })
    .join("\n");
}

function otherSide({ with: other }: Overlap, base: string | null): string {
  return other === null ? (base ?? "its base branch") : other.name;
}

/** The commands that publish a branch with this title and description, as a person would type them. */
export function publishCommands({ commands }: PublishPreview, title: string, body: string): string {
  const typed: Readonly<Record<string, string>> = { "--title": title, "--body": body, "--description": body };
  return commands
    .map((words) => words.map((word, at) => shellWord(typed[words[at - 1] ?? ""] ?? word)).join(" "))
    .join("\n");
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
