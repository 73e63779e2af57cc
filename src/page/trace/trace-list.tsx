import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { summaryOf, type TraceDirection, type TraceLine, wholeText } from "./parse-trace.ts";

/** The newest lines answer most questions; older ones come a page at a time, so that a long log costs no more. */
const LINES_PER_PAGE = 200;
const PREVIEW_CHARS_MAX = 300;

const DIRECTION_WORDS: Readonly<Record<TraceDirection, string>> = {
  out: "sent",
  in: "received",
  stderr: "stderr",
  junk: "no message",
  note: "process",
};
const DIRECTION_SIGNS: Readonly<Record<TraceDirection, string>> = {
  out: "→",
  in: "←",
  stderr: "!",
  junk: "?",
  note: "•",
};

/** The lines, newest at the end and in view; a line opens to its whole message. */
export function TraceList({ lines }: { lines: readonly TraceLine[] }) {
  const [count, setCount] = useState(LINES_PER_PAGE);
  const list = useRef<HTMLElement>(null);
  const shown = lines.slice(-count);
  const earlier = lines.length - shown.length;
  const last = lines.at(-1);
  useLayoutEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [last]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <section class="log-lines" ref={list} tabIndex={0} aria-label="Log lines">
      {earlier > 0 && (
        <button type="button" class="button small ghost" onClick={() => setCount(count + LINES_PER_PAGE)}>
          {`Show ${Math.min(earlier, LINES_PER_PAGE)} of ${earlier} earlier lines`}
        </button>
      )}
      <ol>
        {shown.map((line, index) => (
          <TraceLineItem key={earlier + index} line={line} />
        ))}
      </ol>
    </section>
  );
}

function TraceLineItem({ line }: { line: TraceLine }) {
  const [isOpen, setOpen] = useState(false);
  const { at, direction, text } = line;
  const summary = summaryOf(line);
  return (
    <li data-direction={direction}>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <time dateTime={at} title={new Date(at).toLocaleString()}>
            {timeOfDay(at)}
          </time>
          <span class="sign" aria-hidden="true">
            {DIRECTION_SIGNS[direction]}
          </span>
          <span class="visually-hidden">{DIRECTION_WORDS[direction]}</span>
          {summary !== "" && <span class="summary">{summary}</span>}
          <span class="preview truncate">{text.slice(0, PREVIEW_CHARS_MAX)}</span>
        </summary>
        {isOpen && <pre>{wholeText(text)}</pre>}
      </details>
    </li>
  );
}

const TIME_OF_DAY = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
});

function timeOfDay(at: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? at : TIME_OF_DAY.format(time);
}
