import type { SessionId } from "../protocol/ids.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { followTurn, type TurnResult } from "./follow-turn.ts";
import { requestWords } from "./open-request.ts";
import { type CommandLine, misusedNamed } from "./parse-command-line.ts";
import { plain, print, tell } from "./print.ts";
import type { ServerLink } from "./server-link.ts";
import { untilInterrupted } from "./until-interrupted.ts";

const EXIT_OF: Readonly<Record<TurnResult["status"], ExitCode>> = {
  done: EXIT.done,
  failed: EXIT.turnFailed,
  cancelled: EXIT.cancelled,
  blocked: EXIT.blocked,
};

/** The words of the command line as one message; `-`, or nothing at all in a pipe, stands for what comes on stdin. */
export async function messageOf(command: string, words: readonly string[]): Promise<string> {
  const takesInput = words.includes("-") || (words.length === 0 && process.stdin.isTTY !== true);
  const input = takesInput ? await Bun.stdin.text() : "";
  const text = (words.length === 0 ? ["-"] : words)
    .map((word) => (word === "-" ? input : word))
    .join(" ")
    .trim();
  if (text === "") throw misusedNamed(command, "There is nothing to send: give a prompt, or pipe one in.");
  return text;
}

/** Sends a message to a session and, where that is wanted, waits for its answer. */
export async function say(
  line: CommandLine,
  link: ServerLink,
  sessionId: SessionId,
  content: string,
): Promise<ExitCode> {
  if (!line.has("wait")) {
    await link.act({ type: "session:send", sessionId, content });
    print(line, { sessionId, status: "sent" }, `${sessionId}\n`);
    return EXIT.done;
  }
  const isInteractive = process.stdin.isTTY === true && process.stderr.isTTY === true;
  const screen = new GrowingText(!line.json && process.stdout.isTTY === true);
  const onText = (text: string) => screen.show(text);
  const following = followTurn({ link, sessionId, content, isInteractive, onText });
  const result = await Promise.race([following, untilInterrupted()]);
  if (result === "interrupted") {
    tell(`\nNo longer waiting; the session goes on. Follow it with: liminal attach ${sessionId}`);
    return EXIT.detached;
  }
  print(line, result, screen.rest(result.text));
  if (!line.json) explain(result);
  return EXIT_OF[result.status];
}

/** Why there is no answer, and what can be done, on stderr. */
function explain({ sessionId, status, error, pending = [] }: TurnResult): void {
  if (status === "failed") tell(`The turn failed: ${error ?? "the agent did not say why"}`);
  if (status === "cancelled") tell("The turn was cancelled.");
  if (status !== "blocked") return;
  if (error !== undefined) tell(error);
  for (const request of pending)
    tell(
      `The agent waits for permission:\n${requestWords(request, "  ")}\nAnswer it with: liminal permit ${request.id} allow (or deny), then follow with: liminal attach ${sessionId}\nTo not be asked: liminal run --permissions edits, or a rule in the page.`,
    );
}

/** Text that grows on a terminal as it comes; elsewhere it is written once, when it is whole. */
class GrowingText {
  readonly #isLive: boolean;
  #shown = "";

  constructor(isLive: boolean) {
    this.#isLive = isLive;
  }

  show(text: string): void {
    if (!this.#isLive || !text.startsWith(this.#shown)) return;
    process.stdout.write(plain(text.slice(this.#shown.length)));
    this.#shown = text;
  }

  /** What is still to be written. */
  rest(text: string): string {
    if (!this.#isLive) return text === "" ? "" : `${text}\n`;
    return `${text.startsWith(this.#shown) ? text.slice(this.#shown.length) : `\n${text}`}\n`;
  }
}
