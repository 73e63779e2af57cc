import { useEffect, useRef, useState } from "preact/hooks";
import { sizeWords } from "../../ui/parts/whole-output-button.ts";
import { adoptStyles } from "../../ui/styles/adopt-styles.ts";
import { Dialog } from "../controls/dialog.tsx";
import type { Shell } from "../state/shell.ts";
import type { WholeOutputOf } from "../state/shell-dialog.ts";
import { CopyButton } from "../trace/copy-button.tsx";
import styles from "./output-dialog.css" with { type: "text" };
import { LINES_SHOWN_MAX, OutputLines } from "./output-lines.ts";
import { OutputList } from "./output-list.tsx";
import { partText } from "./part-text.ts";
import { readOutput } from "./read-output.ts";

export interface OutputDialogProps {
  readonly shell: Shell;
  readonly output: WholeOutputOf;
}

interface Reading {
  readonly chars: number;
  readonly totalChars: number;
  readonly isWhole: boolean;
  readonly failure: string | null;
}

const NOTHING_YET: Reading = { chars: 0, totalChars: 0, isWhole: false, failure: null };

/** All of a long output: read in pieces, and only the lines in view are in the page. */
export function OutputDialog({ shell, output }: OutputDialogProps) {
  const [reading, text, lines] = useOutput(shell, output);
  adoptStyles(styles);
  return (
    <Dialog title={output.name === "" ? "Output" : `Output of ${output.name}`} wide onClose={() => shell.closeDialog()}>
      <OutputList lines={lines} count={lines.length} />
      <footer class="dialog-foot">
        <span class="faint" role="status">
          {statusWords(reading, lines.length)}
        </span>
        <span class="spacer" />
        <CopyButton text={text} />
        <button type="button" class="button" disabled={!reading.isWhole} onClick={() => download(text(), output.name)}>
          Download
        </button>
      </footer>
    </Dialog>
  );
}

function statusWords({ chars, totalChars, isWhole, failure }: Reading, lines: number): string {
  if (failure !== null) return failure;
  if (!isWhole) return totalChars === 0 ? "Reading…" : `${sizeWords(chars)} of ${sizeWords(totalChars)} read`;
  const all = `${lines.toLocaleString("en")} lines, ${sizeWords(totalChars)}`;
  return lines > LINES_SHOWN_MAX ? `${all}. Download it to see what does not fit here.` : all;
}

function useOutput(shell: Shell, output: WholeOutputOf): [Reading, () => string, readonly string[]] {
  const [reading, setReading] = useState(NOTHING_YET);
  const pieces = useRef<string[]>([]);
  const lines = useRef(new OutputLines());
  useEffect(() => {
    let isOver = false;
    const reader = {
      isOver: () => isOver,
      onFailed: (failure: string) => setReading((before) => ({ ...before, failure })),
      onPiece: (content: string, totalChars: number) => {
        pieces.current.push(content);
        if (output.part === undefined) lines.current.push(content);
        setReading((before) => ({ ...before, chars: before.chars + content.length, totalChars }));
      },
    };
    readOutput(shell, output, reader).then(
      (isWhole) => {
        if (!isWhole || isOver) return;
        // A part is a piece of JSON, which can be read only as a whole.
        if (output.part !== undefined) {
          pieces.current = [partText(pieces.current.join(""))];
          lines.current.push(pieces.current[0] ?? "");
        }
        setReading((before) => ({ ...before, isWhole: true }));
      },
      () => reader.onFailed("The output could not be read. Close this and try again."),
    );
    return () => {
      isOver = true;
    };
  }, [output]);
  return [reading, () => pieces.current.join(""), lines.current.lines];
}

function download(text: string, name: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = `${name.replaceAll(/[^a-z0-9.-]+/gi, "-").slice(0, 80) || "output"}.txt`;
  link.click();
  URL.revokeObjectURL(address);
}
