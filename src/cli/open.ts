import { openBrowser } from "../operations/open-browser.ts";
import type { SessionId } from "../protocol/ids.ts";
import type { CommandLine } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { allSessions, findSession } from "./find-session.ts";
import { print } from "./print.ts";
import { dataDirOf } from "./running-server.ts";
import { connect, type ServerLink } from "./server-link.ts";

/** Opens the page, signed in, at a session if one is named. */
export async function open(line: CommandLine): Promise<ExitCode> {
  using link = await connect(line.env);
  const { origin } = link.server;
  const [wanted] = line.args;
  const sessionId = wanted === undefined ? null : await shownSession(link, wanted);
  const named = sessionId === null ? "" : `session=${encodeURIComponent(sessionId)}`;
  const signInUrl = named === "" ? link.server.signInUrl : `${link.server.signInUrl}&${named}`;
  const { file, opened } = openBrowser({ signInUrl, dataDir: dataDirOf(line.env), env: line.env });
  const text = opened
    ? `Opened ${origin}`
    : `No desktop found to open a browser on. The page is at ${origin}\nTo sign in a browser on this machine, open the file ${file}`;
  const url = named === "" ? origin : `${origin}/#${named}`;
  print(line, { url, opened, ...(sessionId !== null && { sessionId }) }, text);
  return EXIT.done;
}

/** The page cannot show a session it has no row for. */
async function shownSession(link: ServerLink, wanted: string): Promise<SessionId> {
  const sessionId = await findSession(link, wanted);
  const row = (await allSessions(link)).find(({ id }) => id === sessionId);
  if (row && !row.archived) return sessionId;
  const problem = row
    ? `${sessionId} is archived. Unarchive it in the page first: "Show archived" next to its project.`
    : `No session "${wanted}" in any project. List sessions with: liminal ls`;
  throw new CliError(EXIT.failed, problem, row ? "SESSION_ARCHIVED" : "SESSION_NOT_FOUND");
}
