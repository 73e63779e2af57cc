import { z } from "zod";
import { afterTimeout } from "../lib/absence-watch.ts";
import { ignore } from "../lib/ignore.ts";
import { parseJson } from "../lib/parse-json.ts";
import type { SessionId } from "../protocol/ids.ts";
import { type CommandLine, countOf, wrongUsage } from "./command-line.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { followTurn, type TurnResult } from "./follow-turn.ts";
import { type OpenRequest, requestWords } from "./open-request.ts";
import { print, tell } from "./print.ts";
import type { ServerLink } from "./server-link.ts";
import { plain, untilInterrupted } from "./terminal.ts";

const MS_PER_SECOND = 1_000;
const EXIT_OF: Readonly<Record<TurnResult["status"], ExitCode>> = {
  done: EXIT.done,
  failed: EXIT.turnFailed,
  cancelled: EXIT.cancelled,
  blocked: EXIT.blocked,
};

/** The words of the command line as one message; `-`, or nothing at all in a pipe, stands for what comes on stdin. */
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

/** Sends a message to a session and, where that is wanted, waits for its answer. */
export async function say(
  line: CommandLine,
  link: ServerLink,
  sessionId: SessionId,
  content: string,
  schema: object | null = null,
): Promise<ExitCode> {
  const timeoutMs = line.text("timeout") === undefined ? null : countOf(line, "timeout", 0) * MS_PER_SECOND;
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
    tell(`\nStopped waiting. The session keeps running. Follow it with: liminal attach ${sessionId}`);
    return EXIT.detached;
  }
  print(line, result, screen.rest(result.text));
  if (!line.json) explain(result);
  return EXIT_OF[result.status];
}

/** Whether the command stays until the turn has ended. */
export function isWaiting(line: CommandLine): boolean {
  return line.has("wait") || line.text("timeout") !== undefined || line.text("output-schema") !== undefined;
}

/** A turn that takes too long is cancelled; how it ended is seen as usual. */
function cancelAfter(timeoutMs: number | null, link: ServerLink, sessionId: SessionId): Disposable {
  if (timeoutMs === null) return { [Symbol.dispose]: ignore("there is no limit") };
  const cancel = afterTimeout(timeoutMs, () => {
    tell(`The turn took longer than ${timeoutMs / MS_PER_SECOND} s and was cancelled.`);
    link.act({ type: "session:cancel", sessionId }).catch(ignore("the turn has just ended by itself"));
  });
  return { [Symbol.dispose]: cancel };
}

/** The answer as the JSON that was asked for; one that does not match fails the command. */
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

/** Why there is no answer, and what can be done, on stderr. */
function explain({ sessionId, status, error, pending = [] }: TurnResult): void {
  if (status === "failed") tell(`The turn failed: ${error ?? "the agent gave no reason"}`);
  if (status === "cancelled") tell("The turn was cancelled.");
  if (status !== "blocked") return;
  if (error !== undefined) tell(error);
  for (const request of pending)
    tell(
      `The agent is waiting for permission:\n${requestWords(request, "  ")}\nAnswer it with: liminal permit ${request.id} allow (or deny), then follow with: liminal attach ${sessionId}\n${adviceFor(request)}`,
    );
}

/** Edits are covered by a narrower mode than commands are. */
function adviceFor(request: OpenRequest): string {
  const isEdit = request.kind === "permission" && request.command === undefined && isEditing(request.toolCall.kind);
  return isEdit
    ? "To skip this request, use liminal run --permissions edits, or add a rule in the page."
    : "To skip this request, add a rule for this command in the page, or allow everything with liminal run --permissions all.";
}

const isEditing = (kind: string | undefined) => kind === "edit" || kind === "delete" || kind === "move";

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
