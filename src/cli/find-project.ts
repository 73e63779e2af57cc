import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Project } from "../protocol/server-messages.ts";
import { CliError, EXIT } from "./exit-codes.ts";
import { tell } from "./print.ts";
import type { ServerLink } from "./server-link.ts";

/** The project a person means: its directory, its id or its name. */
export function findProject(link: ServerLink, wanted: string): Project {
  const found = lookUp(link, wanted);
  if (found) return found;
  throw new CliError(EXIT.failed, `No project "${wanted}". List projects with: liminal projects`, "PROJECT_NOT_FOUND");
}

/** The same; a directory that is no project yet becomes one. */
export async function findOrAddProject(link: ServerLink, wanted: string): Promise<Project> {
  const found = lookUp(link, wanted);
  if (found) return found;
  if (!statSync(wanted, { throwIfNoEntry: false })?.isDirectory())
    throw new CliError(
      EXIT.failed,
      `"${wanted}" is neither a project nor a directory. List projects with: liminal projects`,
      "PROJECT_NOT_FOUND",
    );
  const { project } = await link.ask("project:added", { type: "project:add", path: resolve(wanted) });
  tell(`Added project ${project.name} (${project.path}).`);
  return project;
}

function lookUp(link: ServerLink, wanted: string): Project | undefined {
  const { projects } = link.hello;
  const paths = new Set([resolve(wanted), realPath(wanted)]);
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
