import { EntryId } from "../protocol/ids.ts";
import { agentNamed } from "./agents.ts";
import { type CommandLine, wrongUsage } from "./command-line.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { findSession } from "./find-session.ts";
import { print } from "./print.ts";
import { messageOf, say } from "./say.ts";
import { connect } from "./server-link.ts";

/** A new session that starts with another one's conversation. */
export async function branch(line: CommandLine): Promise<ExitCode> {
  const [wanted = "", ...words] = line.args;
  if (line.has("before") && line.text("at") === undefined)
    throw wrongUsage(line, "--before needs --at <entry>: the message to branch before.");
  const content = words.length === 0 ? null : await messageOf(line, words);
  using link = await connect(line.env);
  const source = await findSession(link, wanted);
  const [at, agent, title, name] = [line.text("at"), line.text("agent"), line.text("title"), line.text("worktree")];
  const options = {
    ...(title !== undefined && { title }),
    ...(line.has("worktree") && { worktree: { create: { ...(name && { branch: name }) } } }),
  };
  const { sessionId } = await link.ask("session:created", {
    type: "session:branch",
    sessionId: source,
    ...(at !== undefined && { at: EntryId.parse(at) }),
    ...(line.has("before") && { before: true }),
    ...(agent !== undefined && { cliType: agentNamed(link, agent).id }),
    ...(Object.keys(options).length > 0 && { options }),
  });
  if (content !== null) return await say(line, link, sessionId, content);
  print(line, { sessionId, status: "branched" }, `${sessionId}\n`);
  return EXIT.done;
}
