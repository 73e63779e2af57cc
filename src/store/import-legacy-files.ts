import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import type { ProjectStore } from "../ports/project-store.ts";
import type { SessionLog } from "../ports/session-log.ts";
import { isoTime, type World } from "../ports/world.ts";
import { cliTypeOf, ProjectId, SessionId } from "../protocol/ids.ts";
import type { Project } from "../protocol/server-messages.ts";
import { newSessionRow } from "../protocol/session-schema.ts";

const LegacyProject = z.looseObject({
  id: ProjectId,
  path: z.string().startsWith("/"),
  name: z.string().optional(),
  addedAt: z.string().optional(),
});
const LegacySession = z.looseObject({
  id: SessionId,
  projectId: ProjectId,
  title: z.string().optional(),
  createdAt: z.string().optional(),
  lastActiveAt: z.string().optional(),
});

const envelope = (key: string) =>
  z
    .looseObject({
      version: z.literal(1),
      [key]: z.array(z.unknown()).optional(),
      data: z.array(z.unknown()).optional(),
    })
    .transform((file) => z.array(z.unknown()).parse(file[key] ?? file["data"] ?? []));

interface Import {
  readonly projectCount: number;
  readonly sessionCount: number;
  readonly problem: string | null;
}

/** Imports projects and sessions of an older app once into an empty database; its files stay unchanged. */
export async function importLegacyFiles(
  dir: string,
  into: { log: SessionLog; projects: ProjectStore; world: World },
): Promise<Import> {
  try {
    const projects = readRecords(join(dir, "projects.json"), "projects").flatMap(
      (record) => LegacyProject.safeParse(record).data ?? [],
    );
    const sessions = readRecords(join(dir, "sessions.json"), "sessions").flatMap(
      (record) => LegacySession.safeParse(record).data ?? [],
    );
    const now = isoTime(into.world);
    const added = new Map<string, Project>();
    for (const { id, path, name, addedAt } of projects) {
      if (added.has(id) || (await into.projects.byPath(path))) continue;
      const project = { id, path, name: name ?? basename(path), addedAt: addedAt ?? now };
      await into.projects.add(project);
      added.set(id, project);
    }
    const known = sessions.filter((session) => added.has(session.projectId));
    for (const session of known) await importSession(into.log, session, added.get(session.projectId)?.path ?? "/", now);
    return { projectCount: added.size, sessionCount: known.length, problem: null };
  } catch (error) {
    return { projectCount: 0, sessionCount: 0, problem: error instanceof Error ? error.message : String(error) };
  }
}

async function importSession(
  log: SessionLog,
  session: z.infer<typeof LegacySession>,
  cwd: string,
  now: string,
): Promise<void> {
  if (await log.row(session.id)) return;
  const createdAt = session.createdAt ?? session.lastActiveAt ?? now;
  await log.create(
    newSessionRow({
      id: session.id,
      projectId: session.projectId,
      cliType: cliTypeOf(session.id),
      createdAt,
      lastActiveAt: session.lastActiveAt ?? createdAt,
      archived: session["archived"] === true,
      ...(session.title !== undefined && { title: session.title }),
    }),
    {
      // The older app named a session by the agent's own id.
      agentSessionId: session.id.slice(session.id.indexOf(":") + 1),
      createdAt,
      cwd,
      state: "idle",
      since: createdAt,
      // Only the agent has its messages; they are read when the session is opened.
      adopted: true,
    },
    null,
  );
}

function readRecords(path: string, key: string): readonly unknown[] {
  if (!existsSync(path)) return [];
  return envelope(key).parse(JSON.parse(readFileSync(path, "utf8")));
}
