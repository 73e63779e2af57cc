import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { basename, isAbsolute, join } from "node:path";
import type { ProjectStore } from "../ports/project-store.ts";
import { isoTime, type World } from "../ports/world.ts";
import type { Directories } from "../protocol/directories.ts";
import { REFUSE, type Refusal } from "../protocol/errors.ts";
import { ProjectId } from "../protocol/ids.ts";
import type { Project } from "../protocol/server-messages.ts";
import { listDirectories } from "./list-directories.ts";

interface ProjectServiceDeps {
  readonly world: World;
  readonly store: ProjectStore;
  /** What `~` stands for. */
  readonly home: string;
}

type ProjectAdded =
  | { readonly ok: true; readonly project: Project }
  | { readonly ok: false; readonly refusal: Refusal };

/** Directories the user works in, known by their real path, so that no detour adds one twice. */
export class ProjectService {
  readonly #deps: ProjectServiceDeps;

  constructor(deps: ProjectServiceDeps) {
    this.#deps = deps;
  }

  list(): readonly Project[] {
    return this.#deps.store.list();
  }

  async add(givenPath: string): Promise<ProjectAdded> {
    const found = await this.#realDirectory(givenPath);
    if (!found.ok) return { ok: false, refusal: REFUSE.projectPathInvalid(found.reason) };
    const { store, world } = this.#deps;
    const known = store.byPath(found.path);
    if (known && !known.removed) return { ok: false, refusal: REFUSE.projectDuplicate() };
    const project: Project = {
      id: known?.project.id ?? ProjectId.parse(world.newId()),
      path: found.path,
      name: basename(found.path) || found.path,
      addedAt: isoTime(world),
    };
    store.add(project);
    return { ok: true, project };
  }

  /** By any path that leads to its directory. */
  async find(givenPath: string): Promise<Project | null> {
    const found = await this.#realDirectory(givenPath);
    const known = found.ok ? this.#deps.store.byPath(found.path) : null;
    return known && !known.removed ? known.project : null;
  }

  /** Forgets nothing: files, sessions and the project's id stay, and come back when it is added again. */
  remove(id: ProjectId): boolean {
    if (!this.#deps.store.get(id)) return false;
    this.#deps.store.remove(id);
    return true;
  }

  /** What a path that is being typed could become, and what is wrong with it as it stands. */
  async directories(path: string): Promise<Directories> {
    const base = path === "~" ? "~/" : path.slice(0, path.lastIndexOf("/") + 1);
    const beginning = path === "~" ? "" : path.slice(base.length);
    const [parent, found] = await Promise.all([this.#realDirectory(base), this.#realDirectory(path)]);
    const { entries, hasMore, reason } = parent.ok ? await listOrNothing(parent.path, beginning) : NOTHING;
    const problem = found.ok ? (reason ?? this.#duplicateReason(found.path)) : found.reason;
    return { path, base, entries, hasMore, ...(problem !== undefined && { problem }) };
  }

  #duplicateReason(path: string): string | undefined {
    return this.#deps.store.byPath(path)?.removed === false ? REFUSE.projectDuplicate().message : undefined;
  }

  async #realDirectory(givenPath: string): Promise<TypedPath> {
    const typed = typedPath(givenPath, this.#deps.home);
    if (!typed.ok) return typed;
    try {
      const path = await realpath(typed.path);
      if (!(await stat(path)).isDirectory()) return { ok: false, reason: "That is a file, not a directory." };
      await access(path, constants.R_OK | constants.X_OK);
      return { ok: true, path };
    } catch (error) {
      return { ok: false, reason: pathReason(error) };
    }
  }
}

interface Listed extends Pick<Directories, "entries" | "hasMore"> {
  readonly reason?: string;
}

const NOTHING: Listed = { entries: [], hasMore: false };

/** A directory may go, or be closed to us, between two looks at it. */
function listOrNothing(path: string, beginning: string): Promise<Listed> {
  return listDirectories(path, beginning).catch((error: unknown) => ({ ...NOTHING, reason: pathReason(error) }));
}

type TypedPath = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly reason: string };

/** A path as people type it: whole, or from home on. */
function typedPath(given: string, home: string): TypedPath {
  const path = given === "~" || given.startsWith("~/") ? join(home, given.slice(1)) : given;
  if (path.includes("\0")) return { ok: false, reason: "The path contains an invalid character." };
  if (!isAbsolute(path)) return { ok: false, reason: "Enter the full path, starting with / or ~." };
  return { ok: true, path };
}

/** Why a path leads nowhere, in words. */
function pathReason(error: unknown): string {
  switch (error instanceof Error ? Reflect.get(error, "code") : undefined) {
    case "ENOENT":
    case "ENOTDIR":
      return "That directory doesn't exist.";
    case "EACCES":
    case "EPERM":
      return "You don't have permission to read it.";
    case "ELOOP":
      return "The path is a symbolic link loop.";
    case "ENAMETOOLONG":
      return "The path is too long.";
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
