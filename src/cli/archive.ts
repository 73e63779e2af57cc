import { type CommandLine, wrongUsage } from "./command-line.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { findSession } from "./find-session.ts";
import { print } from "./print.ts";
import { connect } from "./server-link.ts";

/** `archive`: hides a session from the lists, or brings it back. */
export async function archive(line: CommandLine): Promise<ExitCode> {
  using link = await connect(line.env);
  const sessionId = await findSession(link, line.args[0] ?? "");
  const isBack = line.has("undo");
  await link.act({ type: isBack ? "session:unarchive" : "session:archive", sessionId });
  const status = isBack ? "unarchived" : "archived";
  const words = isBack ? "The session is in the lists again." : "Archived. Bring it back with: liminal archive --undo";
  print(line, { sessionId, status }, words);
  return EXIT.done;
}

/** `rename`: gives a session another title. */
export async function rename(line: CommandLine): Promise<ExitCode> {
  const [wanted = "", ...words] = line.args;
  const title = words.join(" ").trim();
  if (title === "") throw wrongUsage(line, "The title is empty.");
  using link = await connect(line.env);
  const sessionId = await findSession(link, wanted);
  await link.act({ type: "session:rename", sessionId, title });
  print(line, { sessionId, title }, `Renamed to: ${title}`);
  return EXIT.done;
}

/** `delete`: a session for good, after a yes. */
export async function deleteSession(line: CommandLine): Promise<ExitCode> {
  if (!line.has("yes"))
    throw wrongUsage(line, "This deletes the session permanently. Add --yes to confirm, or use: liminal archive");
  using link = await connect(line.env);
  const sessionId = await findSession(link, line.args[0] ?? "");
  await link.act({ type: "session:delete", sessionId });
  print(line, { sessionId, status: "deleted" }, "Deleted.");
  return EXIT.done;
}
