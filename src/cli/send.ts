import type { CommandLine } from "./command-line.ts";
import type { ExitCode } from "./exit-codes.ts";
import { findSession } from "./find-session.ts";
import { messageOf, say } from "./say.ts";
import { connect } from "./server-link.ts";

export async function send(line: CommandLine): Promise<ExitCode> {
  const [wanted = "", ...words] = line.args;
  const content = await messageOf(line, words);
  using link = await connect(line.env);
  return await say(line, link, await findSession(link, wanted), content);
}
