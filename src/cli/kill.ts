import type { CommandLine } from "./command-line.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { findSession } from "./find-session.ts";
import { print } from "./print.ts";
import { connect } from "./server-link.ts";

export async function kill(line: CommandLine): Promise<ExitCode> {
  using link = await connect(line.env, "fail");
  const sessionId = await findSession(link, line.args[0] ?? "");
  await link.act({ type: "session:kill", sessionId });
  print(line, { sessionId, status: "killed" }, "Killed the agent of this session. The transcript is kept.");
  return EXIT.done;
}
