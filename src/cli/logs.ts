import { asPlainJson } from "../lib/harmless-text.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { findSession } from "./find-session.ts";
import { type CommandLine, misusedNamed } from "./parse-command-line.ts";
import { bodyOf } from "./running-server.ts";
import { connect } from "./server-link.ts";
import { printServerLog } from "./server-log-lines.ts";
import { pour } from "./write-out.ts";

/** Prints the wire trace of a session's agent (what was said both ways, what it complained about), or the server's log. */
export async function logs(line: CommandLine): Promise<ExitCode> {
  if (line.has("server")) {
    await printServerLog(line);
    return EXIT.done;
  }
  if (line.args[0] === undefined)
    throw misusedNamed("logs", "Name a session, or add --server for the server's own log.");
  using link = await connect(line.env, "fail");
  const sessionId = await findSession(link, line.args[0] ?? "");
  const query = new URLSearchParams({ sessionId });
  await pour(await bodyOf(await link.server.get(`/api/trace?${query}`)), asPlainJson);
  return EXIT.done;
}
