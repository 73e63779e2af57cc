import { EXIT, type ExitCode } from "./exit-codes.ts";
import { findSession } from "./find-session.ts";
import type { CommandLine } from "./parse-command-line.ts";
import { bodyOf } from "./running-server.ts";
import { connect } from "./server-link.ts";
import { pour } from "./write-out.ts";

/** Prints the wire trace of a session's agent: what was said both ways, and what it complained about. */
export async function logs(line: CommandLine): Promise<ExitCode> {
  using link = await connect(line.env, "fail");
  const sessionId = await findSession(link, line.args[0] ?? "");
  const query = new URLSearchParams({ sessionId });
  await pour(await bodyOf(await link.server.get(`/api/trace?${query}`)));
  return EXIT.done;
}
