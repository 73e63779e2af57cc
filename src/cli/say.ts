import { z } from "zod";
import { afterTimeout } from "../lib/absence-watch.ts";
import { ignore } from "../lib/ignore.ts";
import { parseJson } from "../lib/parse-json.ts";
import type { SessionId } from "../protocol/ids.ts";
import { type CommandLine, countOf, wrongUsage } from "./command-line.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { followTurn, type TurnResult } from "./follow-turn.ts";
import { type OpenRequest, requestWords } from "./open-request.ts";
import { print, printNote } from "./print.ts";
import type { ServerLink } from "./server-link.ts";
import { plain, untilInterrupted } from "./terminal.ts";

const MS_PER_SECOND = 1_000;
const EXIT_OF: Readonly<Record<TurnResult["status"], ExitCode>> = {
  done: EXIT.done,
  failed: EXIT.turnFailed,
  cancelled: EXIT.cancelled,
  blocked: EXIT.blocked,
};

/** The arguments as one message; `-`, or no argument in a pipe, reads stdin. */
export async function messageOf(line: CommandLine, words: readonly string[]): Promise<string> {
  const takesInput = words.includes("-") || (words.length === 0 && process.stdin.isTTY !== true);
  const input = takesInput ? await Bun.stdin.text() : "";
  const text = (words.length === 0 ? ["-"] : words)
    .map((word) => (word === "-" ? input : word))
    .join(" ")
    .trim();
  if (text === "") throw wrongUsage(line, "Nothing to send. Pass a prompt or pipe one in.");
  return text;
}

/** Sends a message to a session and, if requested, waits for its answer. */
export async function say(
  line: CommandLine,
  link: ServerLink,
  sessionId: SessionId,
  content: string,
  schema: object | null = null,
): Promise<ExitCode> {
  const timeoutMs = timeoutMsOf(line);
  if (!isWaiting(line)) {
    await link.act({ type: "session:send", sessionId, content });
    print(line, { sessionId, status: "sent" }, `${sessionId}\n`);
    return EXIT.done;
  }
  const isInteractive = process.stdin.isTTY === true && process.stderr.isTTY === true;
  const screen = new GrowingText(!line.json && schema === null && process.stdout.isTTY === true);
  const onText = (text: string) => screen.show(text);
  const following = followTurn({ link, sessionId, content, isInteractive, onText });
  using _timer = cancelAfter(timeoutMs, link, sessionId);
  const ended = await Promise.race([following, untilInterrupted()]);
  const result = ended === "interrupted" || schema === null ? ended : structured(ended, schema);
  if (result === "interrupted") {
    printNote(`\nStopped waiting. The session keeps running. Follow it with: liminal attach ${sessionId}`);
    return EXIT.detached;
  }
  print(line, result, screen.rest(result.text));
  if (!line.json) explain(result);
  return EXIT_OF[result.status];
}

/** The time that a turn may take; null without a limit. */
export function timeoutMsOf(line: CommandLine): number | null {
  return line.text("timeout") === undefined ? null : countOf(line, "timeout", 0) * MS_PER_SECOND;
}

/** Whether the command waits until the turn has ended. */
export function isWaiting(line: CommandLine): boolean {
  return line.has("wait") || line.text("timeout") !== undefined || line.text("output-schema") !== undefined;
}

/** A turn that takes too long is cancelled; its end is reported as usual. */
function cancelAfter(timeoutMs: number | null, link: ServerLink, sessionId: SessionId): Disposable {
  if (timeoutMs === null) return { [Symbol.dispose]: ignore("there is no limit") };
  const cancel = afterTimeout(timeoutMs, () => {
    printNote(`The turn took longer than ${timeoutMs / MS_PER_SECOND} s and was cancelled.`);
    link.act({ type: "session:cancel", sessionId }).catch(ignore("the turn has just ended by itself"));
  });
  return { [Symbol.dispose]: cancel };
}

/** The answer as the requested JSON; one that does not match fails the command. */
function structured(result: TurnResult, schema: object): TurnResult {
  if (result.status !== "done") return result;
  const output = parseJson(result.text.replace(/^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/, "$1"));
  const fails = (why: string): TurnResult => ({
    ...result,
    status: "failed",
    error: `The answer does not match --output-schema: ${why}`,
  });
  if (output === undefined) return fails("it is not JSON.");
  const checked = z.safeParse(z.fromJSONSchema({ ...schema }), output);
  if (checked.success) return { ...result, text: JSON.stringify(output), output };
  const [issue] = checked.error.issues;
  return fails(`${issue?.path.join(".") || "the whole"}: ${issue?.message ?? "not valid"}`);
}

/** Why there is no answer, and what to do, on stderr. */
function explain({ sessionId, status, error, pending = [] }: TurnResult): void {
  if (status === "failed") printNote(`The turn failed: ${error ?? "the agent gave no reason"}`);
  if (status === "cancelled") printNote("The turn was cancelled.");
  if (status !== "blocked") return;
  if (error !== undefined) printNote(error);
  for (const request of pending)
    printNote(
      `The agent is waiting for permission:\n${requestWords(request, "  ")}\nAnswer it with: liminal permit ${request.id} allow (or deny), then follow with: liminal attach ${sessionId}\n${adviceFor(request)}`,
    );
}

/** Edits are covered by a narrower mode than commands. */
function adviceFor(request: OpenRequest): string {
  const isEdit = request.kind === "permission" && request.command === undefined && isEditing(request.toolCall.kind);
  return isEdit
    ? "To skip this request, use liminal run --permissions edits, or add a rule in the page."
    : "To skip this request, add a rule for this command in the page, or allow everything with liminal run --permissions all.";
}

const isEditing = (kind: string | undefined) => kind === "edit" || kind === "delete" || kind === "move";

/** Streams growing text to a terminal; elsewhere it is written once, when it is complete. */
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

  /** The text that is not written yet. */
  rest(text: string): string {
    if (!this.#isLive) return text === "" ? "" : `${text}\n`;
    return `${text.startsWith(this.#shown) ? text.slice(this.#shown.length) : `\n${text}`}\n`;
  }
}
