import { refusalOf } from "../client/refusal-of.ts";
import { asPlainJson } from "../lib/harmless-text.ts";
import { foldMessage } from "../protocol/fold-message.ts";
import { EMPTY_SESSION, isTurnActive, type SessionState } from "../protocol/session-schema.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { findSession } from "./find-session.ts";
import { LiveTranscript } from "./live-transcript.ts";
import { type CommandLine, countOf } from "./parse-command-line.ts";
import { tell } from "./print.ts";
import { connect } from "./server-link.ts";
import { untilInterrupted } from "./until-interrupted.ts";

const EARLIER_ENTRIES = 20;

/** Follows a session until Ctrl-C, or until nothing runs in it any more. Leaving changes nothing in it. */
export async function attach(line: CommandLine): Promise<ExitCode> {
  const earlier = countOf(line, "entries", EARLIER_ENTRIES);
  using link = await connect(line.env);
  const sessionId = await findSession(link, line.args[0] ?? "");
  const idle = Promise.withResolvers<"idle">();
  const transcript = new LiveTranscript(sessionId, earlier, line.screen, (text) => process.stdout.write(text));
  let state = EMPTY_SESSION;
  const unfollow = link.connection.follow(sessionId, (message) => {
    if (message.type === "error") {
      const { message: words, code } = refusalOf(message);
      idle.reject(new CliError(EXIT.failed, words, code));
      return;
    }
    if (line.json) process.stdout.write(`${asPlainJson(JSON.stringify(message))}\n`);
    if (message.type === "session:draft") return;
    state = foldMessage(state, message);
    if (!line.json) transcript.show(state);
    if (line.has("until-idle") && isAtRest(state)) idle.resolve("idle");
  });
  if (!line.json) tell(`Attached to ${sessionId}. Press Ctrl-C to detach; the session keeps running.`);
  const leave = () => {
    unfollow();
    if (!line.json) process.stdout.write("\n");
  };
  const why = await Promise.race([idle.promise, untilInterrupted(), link.gone(sessionId)]).finally(leave);
  if (why === "interrupted" && !line.json) tell("Detached.");
  return EXIT.done;
}

function isAtRest({ turn, queue, queuePaused }: SessionState): boolean {
  return !isTurnActive(turn) && (queue.length === 0 || queuePaused);
}
