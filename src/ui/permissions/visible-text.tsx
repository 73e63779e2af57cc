import { useMemo } from "preact/hooks";
import { type VisiblePiece, visibleLines, visiblePieces } from "../../lib/visible-text.ts";

/** Longer lines are drawn without a node for each word: they break anywhere. */
const WORDS_LINE_CHARS_MAX = 2_000;

/** Text of an agent's that the user decides by: each line stands apart behind its number, and everything in it is visible. */
export function VisibleText({ text }: { text: string }) {
  const lines = useMemo(() => visibleLines(text), [text]);
  const isOne = lines.length === 1;
  return lines.map((line, index) => (
    <span key={index} class={isOne ? "seen-line" : "seen-line numbered"} data-line={line.number}>
      {line.kind === "line" ? (
        <>
          <Pieces pieces={line.pieces} />
          {index < lines.length - 1 && "\n"}
        </>
      ) : (
        <>
          <span class="unseen">{line.words}</span>
          {"\n"}
        </>
      )}
    </span>
  ));
}

/** The same for what is one line by nature: a name, a path, a button. */
export function VisibleLine({ text }: { text: string }) {
  return <Pieces pieces={visiblePieces(text)} />;
}

function Pieces({ pieces }: { pieces: readonly VisiblePiece[] }) {
  return pieces.map(({ kind, text }, index) =>
    kind === "sign" ? (
      <span key={index} class="unseen">
        {text}
      </span>
    ) : (
      <Words key={index} text={text} />
    ),
  );
}

/** A long line breaks between words and never inside a flag; a word of another direction reorders no other. */
function Words({ text }: { text: string }) {
  if (text.length > WORDS_LINE_CHARS_MAX) return <>{text}</>;
  return text.split(/(?<=\s)(?=\S)/).map((word, index) => (
    <span key={index} class="seen-word">
      {word}
    </span>
  ));
}
