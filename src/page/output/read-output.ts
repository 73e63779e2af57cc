import type { Shell } from "../state/shell.ts";
import type { WholeOutputOf } from "../state/shell-dialog.ts";

interface OutputReader {
  /** One more piece, and how much there is in all. */
  readonly onPiece: (content: string, totalChars: number) => void;
  readonly onFailed: (words: string) => void;
  readonly isOver: () => boolean;
}

/** Reads a long output piece by piece. True when all of it is here. */
export async function readOutput(shell: Shell, output: WholeOutputOf, reader: OutputReader): Promise<boolean> {
  const { sessionId, entryId, part } = output;
  const asked = { type: "session:output", sessionId, entryId, ...(part !== undefined && { part }) } as const;
  for (let from = 0; !reader.isOver(); ) {
    const piece = await shell.attempt({ ...asked, from }, (words) => reader.onFailed(words));
    if (piece?.type !== "session:output" || reader.isOver()) return false;
    reader.onPiece(piece.content, piece.totalChars);
    from += piece.content.length;
    if (piece.content === "" || from >= piece.totalChars) return true;
  }
  return false;
}
