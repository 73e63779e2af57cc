import { type LimitWindow, WINDOW_SHOWN_FROM } from "../../protocol/conversations.ts";
import { clockWords } from "../../protocol/limit-words.ts";

const PERCENT = 100;

/** The windows that are nearly used up, fullest first; one that has been renewed since is not. */
function nearlyUsed(windows: readonly LimitWindow[], nowMs: number): readonly LimitWindow[] {
  const isOver = ({ resetsAt }: LimitWindow) => resetsAt !== undefined && Date.parse(resetsAt) <= nowMs;
  return windows
    .filter((window) => window.used >= WINDOW_SHOWN_FROM && !isOver(window))
    .sort((one, other) => other.used - one.used);
}

/** "5-hour limit 92 % used, until 23:50". */
export function windowWords(windows: readonly LimitWindow[], nowMs: number): readonly string[] {
  return nearlyUsed(windows, nowMs).map(({ name, used, resetsAt }) => {
    const until = resetsAt === undefined ? "" : `, until ${clockWords(resetsAt, nowMs)}`;
    return `${name} limit ${Math.round(used * PERCENT)} % used${until}`;
  });
}

/** Each as a bar with its words. */
export function WindowsNote({ windows }: { windows: readonly LimitWindow[] }) {
  const nowMs = Date.now();
  const words = windowWords(windows, nowMs);
  return (
    <>
      {nearlyUsed(windows, nowMs).map(({ name, used }, index) => (
        <span key={name} class="limit-window">
          <meter min={0} max={1} high={WINDOW_SHOWN_FROM} optimum={0} value={used} aria-label={words[index] ?? name} />
          <span>{words[index]}</span>
        </span>
      ))}
    </>
  );
}
