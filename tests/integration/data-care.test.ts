import { describe, expect, it } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { anotherTalk, startTalk } from "./talk.ts";

async function post(server: TestServer, path: string, body: object = {}) {
  const response = await server.fetch(path, {
    method: "POST",
    headers: { Authorization: `Bearer ${server.token}` },
    body: JSON.stringify(body),
  });
  return { status: response.status, answer: JSON.parse(await response.text()) };
}

describe("everything at once", () => {
  it("is backed up into the data directory while the server works, and the path is returned", async () => {
    await using server = await startTestServer();
    const talk = await startTalk(server);
    await talk.say("stream 3 words");
    const [one, same] = await Promise.all([post(server, "/api/backup"), post(server, "/api/backup")]);
    expect(one).toMatchObject({ status: 201, answer: { sessions: 1 } });
    expect(same.answer).toEqual(one.answer);
    expect(readdirSync(one.answer.path)).toContain("manifest.json");
  });

  it("is exported as a tar file with one document per session, which can be imported again", async () => {
    await using server = await startTestServer();
    const talk = await startTalk(server);
    await talk.say("stream 3 words");
    const other = await anotherTalk(talk.client, talk.projectId);
    await other.say("stream 4 words: é/../“x”");
    const response = await server.fetch("/api/export-all");
    const dir = mkdtempSync(join(tmpdir(), "liminal-tar-"));
    await Bun.write(join(dir, "all.tar"), await response.arrayBuffer());
    expect(Bun.spawnSync(["tar", "xf", "all.tar"], { cwd: dir }).exitCode).toBe(0);
    const files = readdirSync(dir).filter((name) => name.endsWith(".json"));
    expect(files).toHaveLength(2);
    for (const name of files) {
      const body = readFileSync(join(dir, name), "utf8");
      const imported = await server.fetch(`/api/import?projectId=${talk.projectId}&copy=1`, {
        method: "POST",
        headers: { Authorization: `Bearer ${server.token}` },
        body,
      });
      expect(imported.status).toBe(201);
    }
    await Bun.$`rm -r ${dir}`.quiet();
  });

  it("archived sessions go for good, the rest stays, and the disk gets its room back", async () => {
    await using server = await startTestServer();
    const talk = await startTalk(server);
    await talk.say("stream 20000 words at 1000000/s");
    const kept = await anotherTalk(talk.client, talk.projectId);
    await kept.say("stream 3 words");
    await talk.client.ask("session:archived", { type: "session:archive", sessionId: talk.sessionId });
    const { status, answer } = await post(server, "/api/delete", { which: "archived" });
    expect([status, answer.sessions]).toEqual([200, 1]);
    expect(answer.freedBytes).toBeGreaterThan(50_000);
    const all = { type: "session:list", projectId: talk.projectId, includeArchived: true } as const;
    const { sessions } = await talk.client.ask("session:list", all);
    expect(sessions.map(({ id }) => id)).toEqual([kept.sessionId]);
    await kept.say("stream 2 words");
  });

  it("everything is deleted only with the confirming text, and never a file of a project", async () => {
    await using server = await startTestServer();
    const talk = await startTalk(server);
    const { projects } = await talk.client.ask("project:list", { type: "project:list" });
    const file = join(projects[0]?.path ?? "", "mine.txt");
    await Bun.write(file, "mine");
    await talk.say("stream 3 words");
    for (const body of [{}, { which: "everything" }, { which: "everything", confirm: "yes" }, { which: "all" }])
      expect((await post(server, "/api/delete", body)).status).toBe(400);
    expect(
      (await post(server, "/api/delete", { which: "everything", confirm: "delete everything" })).answer.sessions,
    ).toBe(1);
    expect((await talk.client.ask("project:list", { type: "project:list" })).projects).toEqual([]);
    expect(existsSync(file)).toBe(true);
    const again = await startTalk(server);
    await again.say("stream 2 words");
  });

  it("is for clients with the token, and by POST", async () => {
    await using server = await startTestServer();
    for (const path of ["/api/backup", "/api/delete"]) {
      expect((await server.fetch(path)).status).toBe(405);
      expect((await server.fetch(path, { method: "POST", headers: {} })).status).toBe(401);
    }
    expect((await server.fetch("/api/export-all", { headers: {} })).status).toBe(401);
  });
});
