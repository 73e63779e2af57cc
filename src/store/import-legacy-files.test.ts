import { describe, expect, it } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { countingWorld } from "../../tests/core/counting-world.ts";
import { openStore } from "../../tests/core/open-store.ts";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { ProjectId, SessionId } from "../protocol/ids.ts";
import { importLegacyFiles } from "./import-legacy-files.ts";

const ADDED = "2025-05-05T00:00:00.000Z";
const SESSION = SessionId.parse("claude-code:abc:def");

async function scene(files: Readonly<Record<string, unknown>>) {
  const store = await openStore();
  const dir = await tempDir();
  for (const [name, content] of Object.entries(files))
    writeFileSync(dir.join(name), typeof content === "string" ? content : JSON.stringify(content));
  const { log, projects } = store;
  return {
    ...{ store, dir, log, projects },
    import: () => importLegacyFiles(dir.path, { log, projects, world: countingWorld() }),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

const PROJECTS = { version: 1, projects: [{ id: "p", path: "/old/app", name: "app", addedAt: ADDED }] };
const OLD_SESSION = { id: SESSION, projectId: "p", title: "Fix the build", lastActiveAt: ADDED, archived: true };

describe("importLegacyFiles", () => {
  it("finds nothing where nothing is", async () => {
    await using at = await scene({});
    expect(await at.import()).toEqual({ projectCount: 0, sessionCount: 0, problem: null });
  });

  it("takes over projects and sessions; the agent's own id is what follows the first colon; files stay", async () => {
    await using at = await scene({
      "projects.json": PROJECTS,
      "sessions.json": { version: 1, sessions: [OLD_SESSION] },
    });
    const before = readFileSync(at.dir.join("sessions.json"), "utf8");
    expect(await at.import()).toEqual({ projectCount: 1, sessionCount: 1, problem: null });
    expect(await at.projects.get(ProjectId.parse("p"))).toMatchObject({
      path: "/old/app",
      name: "app",
      addedAt: ADDED,
    });
    const loaded = await at.log.load(SESSION);
    expect(loaded?.row).toMatchObject({
      title: "Fix the build",
      cliType: "claude-code",
      lastActiveAt: ADDED,
      createdAt: ADDED,
      archived: true,
    });
    expect(loaded?.binding).toMatchObject({ agentSessionId: "abc:def", cwd: "/old/app", state: "idle", adopted: true });
    expect(readFileSync(at.dir.join("sessions.json"), "utf8")).toBe(before);
  });

  it("a title that came over is a title: the next message does not replace it", async () => {
    await using at = await scene({
      "projects.json": PROJECTS,
      "sessions.json": { version: 1, sessions: [OLD_SESSION, { id: "codex:untitled", projectId: "p" }] },
    });
    await at.import();
    expect((await at.log.load(SESSION))?.state.titleSource).not.toBe("none");
    expect((await at.log.load(SessionId.parse("codex:untitled")))?.state).toMatchObject({
      title: "New Session",
      titleSource: "none",
    });
  });

  it("skips records it cannot read and sessions of unknown projects, and takes the rest", async () => {
    await using at = await scene({
      "projects.json": { version: 1, data: [...PROJECTS.projects, { id: "relative", path: "app" }, 7] },
      "sessions.json": {
        version: 1,
        sessions: [{ ...OLD_SESSION, projectId: "gone" }, { id: "no colon", projectId: "p" }, OLD_SESSION, OLD_SESSION],
      },
    });
    expect(await at.import()).toMatchObject({ projectCount: 1, problem: null });
    expect((await at.log.rows(ProjectId.parse("p"), true)).map(({ id }) => String(id))).toEqual([SESSION]);
  });

  it("reports the error in a file it cannot use", async () => {
    for (const broken of ["{ not json", { version: 2, projects: [] }, { version: 1, projects: "none" }]) {
      await using at = await scene({ "projects.json": broken });
      const { projectCount, problem } = await at.import();
      expect([projectCount, typeof problem]).toEqual([0, "string"]);
    }
  });
});
