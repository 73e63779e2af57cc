import { fileLanguageId } from "../../presentation/code-languages.ts";
import type { CodeToken } from "../../presentation/code-token.ts";
import { colourLines, tokenLines } from "../../presentation/coloured-lines.ts";
import type { LineDiff } from "../../presentation/line-diff.ts";
import { askWorker } from "./ask-worker.ts";
import type { ComparedTexts } from "./compare-texts.ts";

/** Longer texts stay plain, as longer code blocks do. */
const COLOURED_CHARS_MAX = 50_000;

/** Gives the lines of a change the colours of their language, where it is a known one; both sides are read as they were. */
export function colourDiff(diff: LineDiff, texts: ComparedTexts, show: (coloured: LineDiff) => void): void {
  const { path, newText, firstLine = 1 } = texts;
  const oldText = texts.oldText ?? "";
  const language = fileLanguageId(path);
  if (language === null || Math.max(oldText.length, newText.length) > COLOURED_CHARS_MAX) return;
  readTokens(oldText, language, (before) =>
    readTokens(newText, language, (after) =>
      show(colourLines(diff, { before: tokenLines(before), after: tokenLines(after), firstLine })),
    ),
  );
}

function readTokens(code: string, language: string, show: (tokens: readonly CodeToken[]) => void): void {
  if (code === "") show([]);
  else
    askWorker(
      (id) => ({ id, code, language }),
      (reply) => {
        if (reply && "tokens" in reply) show(reply.tokens);
      },
    );
}
