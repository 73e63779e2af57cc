import { CommandId } from "../protocol/ids.ts";
import type { CommandLine } from "./command-line.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { findSession } from "./find-session.ts";
import { print } from "./print.ts";
import { connect } from "./server-link.ts";

/** Prints nothing but the command, so that a shell can run it. */
export async function handback(line: CommandLine): Promise<ExitCode> {
  using link = await connect(line.env, "fail");
  const sessionId = await findSession(link, line.args[0] ?? "");
  const { command } = await link.ask("session:handed-back", {
    type: "session:handback",
    sessionId,
    stopTurn: line.has("stop"),
    commandId: CommandId.parse(crypto.randomUUID()),
  });
  print(line, { sessionId, command }, command);
  return EXIT.done;
}
