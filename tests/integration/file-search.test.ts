import { expect, test } from "bun:test";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { startTestServer, type TestServer } from "../support/test-server.ts";

const MANY_FILES = 20_000;
const DIRECTORIES = 200;

async function write(root: string, ...paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), "");
  }
}

async function openProject(server: TestServer, path: string) {
  const client = await server.connect();
  const { project } = await client.ask("project:added", { type: "project:add", path });
  const find = async (query: string, limit = 20) =>
    (await client.ask("files:found", { type: "files:search", projectId: project.id, query, limit })).files.map(
      (file) => file.path,
    );
  return { client, projectId: project.id, find };
}

test("X-7 files:search honours ignore files, in a repository and without one", async () => {
  await using server = await startTestServer();
  for (const isRepository of [true, false]) {
    const path = await server.directory(isRepository ? "repository" : "plain");
    await write(path, "src/main.ts", "main.log", "dist/main.js");
    await writeFile(join(path, ".gitignore"), "*.log\ndist/\n");
    if (isRepository) expect(await Bun.spawn(["git", "-C", path, "init", "-q"]).exited).toBe(0);
    const { find } = await openProject(server, path);
    expect(await find("main")).toEqual(["src/main.ts"]);
  }
});

test("X-7 files:search of a session answers with links its agent can open, and names nothing outside", async () => {
  await using server = await startTestServer();
  const path = await server.directory("demo");
  const outside = await server.directory("elsewhere");
  await write(path, "a b/secret-ä.ts");
  await write(outside, "secret.ts");
  await symlink(join(outside, "secret.ts"), join(path, "secret-link.ts"));
  await symlink(outside, join(path, "secret-directory"));
  const { client, projectId } = await openProject(server, path);
  const { sessionId } = await client.ask("session:created", { type: "session:create", projectId, cliType: "builtin" });
  const found = await client.ask("files:found", { type: "files:search", sessionId, query: "secret" });
  expect(found).toMatchObject({
    sessionId,
    query: "secret",
    isPartial: false,
    files: [{ path: "a b/secret-ä.ts", uri: pathToFileURL(join(path, "a b/secret-ä.ts")).href }],
  });
});

test("X-7 a file that is made while one searches is found", async () => {
  await using server = await startTestServer();
  const path = await server.directory("demo");
  await write(path, "old.ts");
  const { find } = await openProject(server, path);
  expect(await find("")).toEqual(["old.ts"]);
  await write(path, "fresh.ts");
  let found = await find("fresh");
  while (found.length === 0) found = await find("fresh");
  expect(found).toEqual(["fresh.ts"]);
});

test("X-7 20,000 files: the right one is found, and never more than asked for", async () => {
  await using server = await startTestServer();
  const path = await server.directory("large");
  await Promise.all(
    Array.from({ length: DIRECTORIES }, async (_, index) => {
      const directory = join(path, `mod${index}`);
      await mkdir(directory);
      for (let file = 0; file < MANY_FILES / DIRECTORIES; file += 1)
        await writeFile(join(directory, `file-${index}-${file}.ts`), "");
    }),
  );
  await write(path, "mod7/needle-in-it.ts");
  const { find } = await openProject(server, path);
  expect(await find("needle")).toEqual(["mod7/needle-in-it.ts"]);
  expect(await find("file", 5)).toHaveLength(5);
  expect((await find("mod7/file-7-42"))[0]).toBe("mod7/file-7-42.ts");
});

test("files:search refuses what it cannot search, by name", async () => {
  await using server = await startTestServer();
  const { client, projectId } = await openProject(server, await server.directory("demo"));
  const code = async (more: object) => {
    const answer = await client.request({ type: "files:search", query: "x", ...more });
    return answer.type === "error" ? answer.code : answer.type;
  };
  expect(await code({})).toBe("INVALID_MESSAGE");
  expect(await code({ projectId, sessionId: "builtin:x" })).toBe("INVALID_MESSAGE");
  expect(await code({ projectId: "unknown" })).toBe("PROJECT_NOT_FOUND");
  expect(await code({ sessionId: "builtin:unknown" })).toBe("SESSION_NOT_FOUND");
  expect(await code({ projectId, query: "x".repeat(201) })).toBe("INVALID_MESSAGE");
  expect(await code({ projectId, limit: 101 })).toBe("INVALID_MESSAGE");
});
