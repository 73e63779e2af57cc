import { expect, test } from "bun:test";
import { chmod, realpath, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startTestServer } from "../support/test-server.ts";

test("TC-1.1a projects come in the order they were added, named after their directory, to every client", async () => {
  await using server = await startTestServer();
  const [client, other] = [await server.connect(), await server.connect()];
  const paths = [await server.directory("zebra"), await server.directory("apple"), await server.directory("mango")];
  for (const path of paths) await client.ask("project:added", { type: "project:add", path });

  const { projects } = await client.ask("project:list", { type: "project:list" });
  expect(projects.map(({ name, path }) => ({ name, path }))).toEqual([
    { name: "zebra", path: paths[0] ?? "" },
    { name: "apple", path: paths[1] ?? "" },
    { name: "mango", path: paths[2] ?? "" },
  ]);
  const last = projects.at(-1)?.id;
  await other.next("project:added", ({ project }) => project.id === last, 0);
  expect(other.all("project:added").map(({ project }) => project)).toEqual(projects);
  expect(other.all("project:added").map(({ requestId }) => requestId)).toEqual([undefined, undefined, undefined]);
  const late = await server.connect();
  expect(late.all("hello")[0]?.projects).toEqual(projects);
});

test("TC-1.2a adding a directory again shows the sessions it already has", async () => {
  await using server = await startTestServer();
  const client = await server.connect();
  const path = await server.directory("old");
  const { project } = await client.ask("project:added", { type: "project:add", path });
  const made = await client.ask("session:created", {
    type: "session:create",
    projectId: project.id,
    cliType: "builtin",
  });
  await client.ask("project:removed", { type: "project:remove", projectId: project.id });
  expect((await client.ask("project:list", { type: "project:list" })).projects).toEqual([]);

  const again = await client.ask("project:added", { type: "project:add", path });
  expect(again.project.id).toBe(project.id);
  const { sessions } = await client.ask("session:list", { type: "session:list", projectId: project.id });
  expect(sessions.map(({ id }) => id)).toEqual([made.sessionId]);
});

test("TC-1.2b a path that is missing, relative, a file or unreadable is refused, and nothing is added", async () => {
  await using server = await startTestServer();
  const client = await server.connect();
  const dir = await server.directory("given");
  const file = join(dir, "file");
  await writeFile(file, "");
  const loop = join(dir, "loop");
  await symlink(loop, loop);
  const refused = [
    join(dir, "missing"),
    "relative/path",
    "./x",
    ".",
    file,
    join(file, "below"),
    loop,
    `${dir}/\0`,
    `/${"x".repeat(300)}`,
  ];
  for (const path of refused) {
    const answer = await client.ask("error", { type: "project:add", path });
    expect({ path, code: answer.code, message: answer.message }).toEqual({
      path,
      code: "PROJECT_PATH_INVALID",
      message: "Project path is invalid or inaccessible.",
    });
    expect(answer.details ?? "").not.toBe("");
  }
  expect((await client.ask("project:list", { type: "project:list" })).projects).toEqual([]);
  expect(client.all("project:added")).toEqual([]);
});

test.skipIf(process.getuid?.() === 0)("TC-1.2b a directory without permission is refused", async () => {
  await using server = await startTestServer();
  const client = await server.connect();
  const path = await server.directory("locked");
  await chmod(path, 0o000);
  const { code, details } = await client.ask("error", { type: "project:add", path });
  await chmod(path, 0o700);
  expect({ code, details }).toEqual({ code: "PROJECT_PATH_INVALID", details: "You don't have permission to read it." });
});

test("TC-1.2d the same directory is refused whatever way leads to it", async () => {
  await using server = await startTestServer();
  const client = await server.connect();
  const path = await server.directory("same");
  const link = join(await server.directory(), "link");
  await symlink(path, link);
  await client.ask("project:added", { type: "project:add", path });
  for (const detour of [
    path,
    `${path}/`,
    `${path}//`,
    `${path}/.`,
    `${path}/../same`,
    link,
    `${link}/`,
    join(link, "..", "same"),
  ]) {
    const { code, message } = await client.ask("error", { type: "project:add", path: detour });
    expect({ detour, code, message }).toEqual({
      detour,
      code: "PROJECT_DUPLICATE",
      message: "Project already exists.",
    });
  }
  expect((await client.ask("project:list", { type: "project:list" })).projects).toHaveLength(1);
});

test("TC-1.2d two clients that add one directory at the same moment add it once", async () => {
  await using server = await startTestServer();
  const clients = [await server.connect(), await server.connect()];
  const path = await server.directory("raced");
  const answers = await Promise.all(
    clients.flatMap((client) => [0, 1].map(() => client.request({ type: "project:add", path }))),
  );
  expect(answers.map(({ type }) => type).toSorted()).toEqual(["error", "error", "error", "project:added"]);
});

test("TC-1.3a a removed project comes back with its id, at the end; its path is real and ~ is the home", async () => {
  await using server = await startTestServer();
  const client = await server.connect();
  const target = await server.directory("target");
  const link = join(server.home, "link");
  await symlink(target, link);
  await writeFile(join(target, "kept"), "kept");

  const { project } = await client.ask("project:added", { type: "project:add", path: "~/link" });
  expect(project.path).toBe(await realpath(target));
  const home = await client.ask("project:added", { type: "project:add", path: "~" });
  expect(home.project.path).toBe(await realpath(server.home));
  await client.ask("project:removed", { type: "project:remove", projectId: project.id });
  expect(await Bun.file(join(target, "kept")).text()).toBe("kept");
  const gone = await client.ask("error", { type: "session:list", projectId: project.id });
  expect(gone.code).toBe("PROJECT_NOT_FOUND");
  const again = await client.ask("error", { type: "project:remove", projectId: project.id });
  expect({ code: again.code, message: again.message }).toEqual({
    code: "PROJECT_NOT_FOUND",
    message: "Project not found.",
  });

  await server.stop();
  await server.start();
  const later = await server.connect();
  const added = await later.ask("project:added", { type: "project:add", path: target });
  expect(added.project.id).toBe(project.id);
  const { projects } = await later.ask("project:list", { type: "project:list" });
  expect(projects.map(({ id }) => id)).toEqual([home.project.id, project.id]);
});
