import { asLogText } from "../lib/harmless-text.ts";

/** What the person at the terminal should know, one line each, on stderr; stdout stays for the URL. */
export interface Logger {
  info(text: string): void;
  warn(text: string): void;
  error(text: string, error?: unknown): void;
}

export function stderrLogger(now: () => number): Logger {
  const line = (level: string, text: string) =>
    void process.stderr.write(`${new Date(now()).toISOString()} ${level} ${asLogText(text)}\n`);
  return {
    info: (text) => line("info", text),
    warn: (text) => line("warn", text),
    error: (text, error) => line("error", error === undefined ? text : `${text}: ${describe(error)}`),
  };
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
