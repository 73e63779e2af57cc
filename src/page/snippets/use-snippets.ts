import { useEffect, useState } from "preact/hooks";
import type { ServerMessage } from "../../protocol/server-messages.ts";
import type { Snippet } from "../../protocol/snippets.ts";
import type { Shell } from "../state/shell.ts";

/** All of them, as they are now on every client; null until the server has answered. */
export function useSnippets(shell: Shell, onProblem: (words: string) => void): readonly Snippet[] | null {
  const [snippets, setSnippets] = useState<readonly Snippet[] | null>(null);
  useEffect(() => {
    void shell.attempt({ type: "snippet:list" }, onProblem);
    return shell.listen((message: ServerMessage) => {
      if (message.type === "snippet:list") setSnippets(message.snippets);
    });
  }, []);
  return snippets;
}
