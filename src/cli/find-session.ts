import { cliTypeOf, SessionId } from "../protocol/ids.ts";
import type { Project } from "../protocol/server-messages.ts";
import type { SessionRow } from "../protocol/session-schema.ts";
import { CliError, EXIT } from "./exit-codes.ts";
import { ANSWER_MS_MAX, type ServerLink } from "./server-link.ts";

const SHORT_ID_CHARS = 8;
const CANDIDATES_SHOWN_MAX = 5;

/** Every session the server lists, most recent first. */
export async function allSessions(
  link: ServerLink,
  projects: readonly Project[] = link.hello.projects,
  includeArchived = true,
): Promise<readonly SessionRow[]> {
  const lists = await Promise.all(
    projects.map(({ id }) =>
      link.ask("session:list", { type: "session:list", projectId: id, includeArchived }, ANSWER_MS_MAX),
    ),
  );
  return lists
    .flatMap(({ sessions }) => sessions)
    .sort((one, other) => other.lastActiveAt.localeCompare(one.lastActiveAt));
}

/** Finds a session by its id or a prefix of it, with or without the agent before the colon. */
export async function findSession(link: ServerLink, wanted: string): Promise<SessionId> {
  const sessions = await allSessions(link);
  const exact = sessions.find(({ id }) => id === wanted);
  if (exact) return exact.id;
  const matches =
    wanted === "" ? [] : sessions.filter(({ id }) => id.startsWith(wanted) || ownPart(id).startsWith(wanted));
  const [first, ...others] = matches;
  if (first && others.length === 0) return first.id;
  if (first) {
    const shown = matches.slice(0, CANDIDATES_SHOWN_MAX).map(({ id, title }) => `\n  ${id}  ${title}`);
    const message = `"${wanted}" matches ${matches.length} sessions. Type more of the id:${shown.join("")}`;
    throw new CliError(EXIT.failed, message, "SESSION_AMBIGUOUS");
  }
  // A session whose project was removed is not listed, but exists.
  const whole = SessionId.safeParse(wanted);
  if (whole.success) return whole.data;
  throw new CliError(EXIT.failed, `No session "${wanted}". List sessions with: liminal ls`, "SESSION_NOT_FOUND");
}

/** The shortest unambiguous id. */
export function shortId(id: SessionId, among: readonly SessionId[]): string {
  const short = ownPart(id).slice(0, SHORT_ID_CHARS);
  const isUnique = among.filter((other) => ownPart(other).startsWith(short)).length <= 1;
  return isUnique ? short : id;
}

function ownPart(id: SessionId): string {
  return id.slice(cliTypeOf(id).length + 1);
}
