import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { ansiSpans } from "../../ui/output/ansi-spans.ts";
import { LINES_SHOWN_MAX } from "./output-lines.ts";

/** As in the style sheet: every line is as tall as the next, so that a place can be computed. It grows with the reader's text. */
const LINE_REM = 1.125;
/** Lines kept ready above and below the view. */
const MARGIN_LINES = 40;

interface OutputListProps {
  readonly lines: readonly string[];
  /** Told apart from the lines, which grow in place. */
  readonly count: number;
}

/** As many lines as there may be, of which only those near the view exist. */
export function OutputList({ lines, count }: OutputListProps) {
  const scroller = useRef<HTMLElement>(null);
  const [view, setView] = useState({ top: 0, height: 0 });
  const look = () => {
    const { scrollTop: top = 0, clientHeight: height = 0 } = scroller.current ?? {};
    setView((before) => (before.top === top && before.height === height ? before : { top, height }));
  };
  useLayoutEffect(look, [count]);
  const shown = Math.min(count, LINES_SHOWN_MAX);
  const linePx = LINE_REM * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const from = Math.max(0, Math.floor(view.top / linePx) - MARGIN_LINES);
  const to = Math.min(shown, Math.ceil((view.top + view.height) / linePx) + MARGIN_LINES);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <section class="output-lines" ref={scroller} tabIndex={0} aria-label="Whole output" onScroll={look}>
      <div class="output-all" style={{ height: `${shown * LINE_REM}rem` }}>
        <pre class="output-window" style={{ top: `${from * LINE_REM}rem` }}>
          {lines.slice(from, to).map((line, index) => (
            <OutputLine key={from + index} line={line} />
          ))}
        </pre>
      </div>
    </section>
  );
}

function OutputLine({ line }: { line: string }) {
  const spans = ansiSpans(line).map(({ text, className }) =>
    className === "" ? text : <span class={className}>{text}</span>,
  );
  return <div>{spans.length === 0 ? " " : spans}</div>;
}
