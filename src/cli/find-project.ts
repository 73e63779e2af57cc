import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { RefusalError } from "../protocol/errors.ts";
import { splitPlace } from "../protocol/place-path.ts";
import type { Project } from "../protocol/server-messages.ts";
import { CliError, EXIT } from "./exit-codes.ts";
import { printNote } from "./print.ts";
import type { ServerLink } from "./server-link.ts";

/** Finds a project by its directory, id or name. */
export function findProject(link: ServerLink, wanted: string): Project {
  const found = lookUp(link, wanted);
  if (found) return found;
  throw new CliError(EXIT.failed, `No project "${wanted}". List projects with: liminal projects`, "PROJECT_NOT_FOUND");
}

/** The same; a directory that is not a project yet is added. */
export async function findOrAddProject(link: ServerLink, wanted: string): Promise<Project> {
  const found = lookUp(link, wanted);
  if (found) return found;
  const isElsewhere = splitPlace(wanted) !== null;
  if (!isElsewhere && !statSync(wanted, { throwIfNoEntry: false })?.isDirectory())
    throw new CliError(
      EXIT.failed,
      `"${wanted}" is neither a project nor a directory. List projects with: liminal projects`,
      "PROJECT_NOT_FOUND",
    );
  try {
    const path = isElsewhere ? wanted : resolve(wanted);
    const { project } = await link.ask("project:added", { type: "project:add", path });
    printNote(`Added project ${project.name} (${project.path}).`);
    return project;
  } catch (error) {
    const known = isElsewhere ? knownByRealPath(link, error) : undefined;
    if (known) return known;
    throw error;
  }
}

/** The server refuses a project that it has under another path, and returns that path. */
function knownByRealPath(link: ServerLink, error: unknown): Project | undefined {
  const refusal = error instanceof CliError && error.cause instanceof RefusalError ? error.cause.refusal : null;
  if (refusal?.code !== "PROJECT_DUPLICATE") return;
  return link.hello.projects.find(({ path }) => path === refusal.details);
}

function lookUp(link: ServerLink, wanted: string): Project | undefined {
  const { projects } = link.hello;
  const paths = splitPlace(wanted) ? new Set([wanted]) : new Set([resolve(wanted), realPath(wanted)]);
  const exact = projects.find(({ id, path }) => id === wanted || paths.has(path));
  if (exact) return exact;
  const named = projects.filter(({ name }) => name === wanted);
  if (named.length > 1)
    throw new CliError(
      EXIT.failed,
      `${named.length} projects are named "${wanted}". Use the directory instead.`,
      "PROJECT_AMBIGUOUS",
    );
  return named[0];
}

function realPath(path: string): string {
  return statSync(path, { throwIfNoEntry: false }) ? realpathSync(path) : resolve(path);
}
