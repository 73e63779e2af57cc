import type { SearchKind } from "../../protocol/search.ts";

/** What a hit is, in one word. */
export const KIND_WORDS: Readonly<Record<SearchKind, string>> = {
  title: "Title",
  user: "You",
  assistant: "Answer",
  thinking: "Thinking",
  "tool-call": "Tool",
  plan: "Plan",
  notice: "Notice",
};

/** The kinds one can look for, by the words on the page. */
export const KIND_CHOICES: readonly { readonly words: string; readonly kinds: readonly SearchKind[] }[] = [
  { words: "Everything", kinds: [] },
  { words: "Titles", kinds: ["title"] },
  { words: "My messages", kinds: ["user"] },
  { words: "Answers", kinds: ["assistant"] },
  { words: "Thinking", kinds: ["thinking"] },
  { words: "Tools and files", kinds: ["tool-call"] },
  { words: "Plans and notices", kinds: ["plan", "notice"] },
];

export function countWords(hits: number, sessions: number): string {
  return `${hits} ${hits === 1 ? "result" : "results"} in ${sessions} ${sessions === 1 ? "session" : "sessions"}`;
}
