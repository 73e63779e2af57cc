import { expect, it } from "bun:test";
import { existsSync } from "node:fs";
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scriptedAgent } from "../integration/scripted-agent.ts";
import { startTalk } from "../integration/talk.ts";
import { CODEX_THREAD, SCRIPTED_CODEX } from "../support/scripted-codex.ts";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { COMMANDS_TIMEOUT_MS, liminal, liminalJson, startLiminal } from "./liminal.ts";

it(
  "X-14 projects and tokens: add, list, remove",
  async () => {
    await using server = await startTestServer();
    const path = await server.directory("shop");
    const added = await liminalJson(server, ["projects", "add", "."], { cwd: path });
    expect(added).toMatchObject({ code: 0, value: { project: { path, name: "shop" } } });
    expect((await liminalJson(server, ["projects"])).value.projects).toHaveLength(1);
    const twice = await liminalJson(server, ["projects", "add", path]);
    expect(twice).toMatchObject({ code: 1, value: { error: { code: "PROJECT_DUPLICATE", exitCode: 1 } } });
    expect(await liminalJson(server, ["projects", "remove", "shop"])).toMatchObject({
      code: 0,
      value: { status: "removed" },
    });
    expect((await liminal(server, ["projects", "remove", "shop"])).code).toBe(1);
    expect((await liminal(server, ["projects", "paint"])).code).toBe(2);

    // API-2: the secret of a token is printed once, works, and is worth nothing once it is revoked.
    const made = await liminal(server, ["tokens", "create", "ci", "--scope", "act"]);
    expect(made.stdout).toMatch(/^lb_\w{12}_[\w-]{43}\n$/);
    const headers = { Authorization: `Bearer ${made.stdout.trim()}` };
    const status = async () => (await server.fetch("/api/v1/sessions", { headers })).status;
    expect(await status()).toBe(200);
    const { stdout } = await liminal(server, ["tokens"]);
    expect(stdout).toMatch(/ {2}act .* all +ci\n/);
    expect(stdout).not.toContain(made.stdout.trim().slice("lb_000000000000_".length));
    expect((await liminalJson(server, ["tokens", "revoke", "zzz"])).value.error.code).toBe("TOKEN_NOT_FOUND");
    expect((await liminal(server, ["tokens", "revoke", "ci"])).code).toBe(0);
    expect(await status()).toBe(401);
  },
  COMMANDS_TIMEOUT_MS,
);

it(
  "X-14 ls, send, search, export and logs find a session by the beginning of its id",
  async () => {
    await using server = await startTestServer();
    const talk = await startTalk(server);
    await talk.say("stream 3 words");
    const listed = await liminalJson(server, ["ls"]);
    expect(listed.value.sessions).toMatchObject([{ id: talk.sessionId, cliType: "builtin", turn: { state: "idle" } }]);
    const short = talk.sessionId.slice("builtin:".length, "builtin:".length + 8);
    expect((await liminal(server, ["ls"])).stdout).toContain(`${short}  idle`);

    expect(await liminal(server, ["send", short, "--wait", "stream 2 words"])).toMatchObject({
      code: 0,
      stdout: "w1 w2\n",
    });
    const sent = await liminalJson(server, ["send", short, "stream 1 words"]);
    expect(sent).toMatchObject({ code: 0, value: { sessionId: talk.sessionId, status: "sent" } });

    const found = await liminalJson(server, ["search", "stream", "2", "words"]);
    expect(found.value.hits.some((hit: { sessionId: string }) => hit.sessionId === talk.sessionId)).toBe(true);
    expect((await liminal(server, ["search", "zebra"])).stdout).toBe("No results.\n");

    expect((await liminal(server, ["export", short])).stdout).toContain("w1 w2 w3");
    expect((await liminalJson(server, ["export", short])).value).toMatchObject({
      session: { title: "stream 3 words" },
    });
    const file = join(server.home, "talk.html");
    expect(await liminalJson(server, ["export", short, "-f", "html", "-o", file])).toMatchObject({
      code: 0,
      value: { file },
    });
    expect(await readFile(file, "utf8")).toContain("w1 w2 w3");
    expect((await liminal(server, ["export", short, "-o", file])).code).toBe(1);
    expect((await liminal(server, ["logs", short])).stdout).toContain("session/prompt");

    expect(await liminal(server, ["send", "zzz", "hello"])).toMatchObject({ code: 1 });
    await startTalk(server);
    const ambiguous = await liminalJson(server, ["export", "builtin:"]);
    expect(ambiguous).toMatchObject({ code: 1, value: { error: { code: "SESSION_AMBIGUOUS" } } });
  },
  COMMANDS_TIMEOUT_MS,
);

it(
  "X-2 X-14 attach shows what is said live, and Ctrl-C detaches without touching the turn",
  async () => {
    await using server = await startTestServer();
    const talk = await startTalk(server);
    await talk.send("sleep");
    await talk.client.until("the turn", () => talk.state.turn.state === "running");
    const child = startLiminal(server, ["attach", talk.sessionId, "--json"]);
    const reader = child.stdout.getReader();
    const { value } = await reader.read();
    expect(JSON.parse(new TextDecoder().decode(value).split("\n")[0] ?? "")).toMatchObject({ type: "session:history" });
    child.kill("SIGINT");
    expect(await child.exited).toBe(0);
    expect(talk.state.turn.state).toBe("running");

    expect(await liminalJson(server, ["kill", talk.sessionId])).toMatchObject({ code: 0, value: { status: "killed" } });
    await talk.client.until("the end of the turn", () => talk.state.turn.state === "idle");
  },
  COMMANDS_TIMEOUT_MS,
);

it(
  "X-14 attach ends with words and code 1 when someone deletes the session, also with --until-idle",
  async () => {
    await using server = await startTestServer();
    const talk = await startTalk(server);
    await talk.send("sleep");
    const child = startLiminal(server, ["attach", talk.sessionId, "--until-idle", "--json"]);
    const reader = child.stdout.getReader();
    await reader.read();
    await talk.client.ask("session:deleted", { type: "session:delete", sessionId: talk.sessionId });
    expect(await child.exited).toBe(1);
    const waiting = await liminal(server, ["send", talk.sessionId, "--wait", "hello"]);
    expect(waiting).toEqual({ code: 1, stdout: "", stderr: "Session not found.\n" });
  },
  COMMANDS_TIMEOUT_MS,
);

it(
  "W-9 X-14 permit answers a question field by field, and says which are missing",
  async () => {
    await using server = await startTestServer();
    const talk = await startTalk(server);
    await talk.send("ask");
    await talk.client.until("the question", () => talk.state.pending.length > 0);
    const { requests } = (await liminalJson(server, ["permit", "-s", talk.sessionId])).value;
    expect(requests).toMatchObject([{ kind: "question", sessionId: talk.sessionId }]);
    const { id, fields } = requests[0];
    expect((await liminal(server, ["permit", id, "accept", "nobody=1"])).code).toBe(2);
    expect((await liminal(server, ["permit", id, "maybe"])).code).toBe(2);
    expect((await liminal(server, ["permit"])).stdout).toContain(`${fields[0].name}=`);
    expect(await liminalJson(server, ["permit", id, "decline"])).toMatchObject({
      code: 0,
      value: { id, answer: "decline" },
    });
    await talk.client.until("the end of the turn", () => talk.state.turn.state === "idle");
    expect(talk.answer).toContain("you declined");
  },
  COMMANDS_TIMEOUT_MS,
);

it(
  "W-8 X-14 permit denies with a reason, which the agent gets; a reason goes with a denial alone (D13)",
  async () => {
    await using server = await startTestServer();
    const talk = await startTalk(server);
    await talk.send("run touch made");
    await talk.asked();
    const permit = (...args: string[]) => liminal(server, ["permit", "-s", talk.sessionId, ...args]);
    const { requests } = (await liminalJson(server, ["permit"])).value;
    const id = String(requests[0].id);
    const wrong = await Promise.all([
      permit(id, "allow", "--reason", "because"),
      permit(id, "deny", "--reason", " "),
      permit(id, "--reason", "because"),
    ]);
    expect(wrong.map(({ code }) => code)).toEqual([2, 2, 2]);
    expect(talk.state.pending).toHaveLength(1);
    expect(await permit(id, "deny", "--reason", "stream 2 words")).toMatchObject({ code: 0 });
    // Into the running turn, or as the next message when that has ended by then.
    const hasReason = () => /while working: stream 2 words|w1 w2/.test(talk.answer);
    await talk.client.until("the reason to be heard", () => talk.state.turn.state === "idle" && hasReason());
    expect(talk.messages).toEqual(["run touch made", "stream 2 words"]);
    expect(talk.answer).toContain("All right, I did not run it.");
  },
  COMMANDS_TIMEOUT_MS,
);

it(
  "W-9 X-14 permit accepts a question with its fields filled in, and the agent gets them",
  async () => {
    await using server = await startTestServer();
    const talk = await startTalk(server);
    await talk.send("ask");
    const { elicitationId } = await talk.questioned();
    expect((await liminal(server, ["permit", elicitationId, "accept", "agents=many"])).code).toBe(2);
    const short = await liminalJson(server, ["permit", elicitationId, "accept", "colour=Blue"]);
    expect(short).toMatchObject({ code: 1, value: { error: { exitCode: 1 } } });
    expect(talk.state.pending).toHaveLength(1);
    const filled = ["name=Ada", "colour=Blue", "agents=4", "languages=Rust,Go", "newsletter=yes"];
    expect(await liminalJson(server, ["permit", elicitationId, "accept", ...filled])).toMatchObject({
      code: 0,
      value: { id: elicitationId, answer: "accept" },
    });
    await talk.untilTurnsEnded(1);
    for (const part of ["Ada", "blue", "4", "Rust", "Go"]) expect(talk.answer).toContain(part);
  },
  COMMANDS_TIMEOUT_MS,
);

it(
  "O-8 X-14 mcp-servers lists the tool servers of config.json in a project, and switches them there",
  async () => {
    const mcpServers = { files: { command: "/opt/files" }, web: { url: "http://127.0.0.1:9/mcp", enabled: false } };
    await using server = await startTestServer({
      prepare: (dataDir) => writeFile(join(dataDir, "config.json"), JSON.stringify({ mcpServers })),
    });
    const cwd = await server.directory("shop");
    expect(await liminal(server, ["mcp-servers"], { cwd })).toMatchObject({ code: 1 });
    await liminal(server, ["projects", "add", cwd]);
    const enabled = async (...args: string[]) => {
      const { code, value } = await liminalJson(server, ["mcp-servers", ...args]);
      return [code, ...value.servers.map((one: { enabled: boolean }) => one.enabled)];
    };
    expect(await enabled("list", "-p", "shop")).toEqual([0, true, false]);
    expect(await enabled("enable", "web", "-p", "shop")).toEqual([0, true, true]);
    expect(await enabled("disable", "files", "--project", cwd)).toEqual([0, false, true]);
    expect((await liminal(server, ["mcp-servers"], { cwd })).stdout).toMatch(/files +off +files\nweb +on +http/);
    const unknown = await liminalJson(server, ["mcp-servers", "enable", "nobody"], { cwd });
    expect(unknown).toMatchObject({ code: 1, value: { error: { code: "MCP_SERVER_NOT_FOUND" } } });
    expect((await liminal(server, ["mcp-servers", "enable"], { cwd })).code).toBe(2);
  },
  COMMANDS_TIMEOUT_MS,
);

it(
  "X-5 X-14 [X-60] agents lists what is here and its models; what cannot be installed, updated or removed is told",
  async () => {
    const models = {
      currentModelId: "l",
      availableModels: [
        { modelId: "l", name: "Large" },
        { modelId: "s", name: "Small" },
      ],
    };
    const chooses = scriptedAgent({ answers: { "session/new": { sessionId: "1", models } } });
    await using server = await startTestServer({ agents: { chooses } });
    const here = (await liminalJson(server, ["agents"])).value.agents;
    expect(here.map((agent: { id: string }) => agent.id)).toContain("builtin");
    const all = (await liminalJson(server, ["agents", "list", "--all"])).value.agents;
    expect(all.length).toBeGreaterThan(here.length);
    expect(await liminalJson(server, ["agents", "install", "nobody"])).toMatchObject({
      code: 1,
      value: { error: { code: "AGENT_UNKNOWN" } },
    });
    expect((await liminalJson(server, ["agents", "install", "builtin"])).code).toBe(1);
    expect((await liminal(server, ["agents", "remove"])).code).toBe(2);
    expect((await liminalJson(server, ["agents", "remove", "builtin"])).code).toBe(1);
    expect((await liminalJson(server, ["agents", "update", "builtin"])).code).toBe(1);
    expect(await liminalJson(server, ["agents", "update"])).toMatchObject({ code: 0, value: { updated: [] } });

    // the models of an agent, favourites first.
    const none = await liminalJson(server, ["agents", "models", "chooses"]);
    expect(none).toMatchObject({ code: 0, value: { id: "chooses", models: [] } });
    await startTalk(server, "chooses");
    const starred = await liminalJson(server, ["agents", "models", "chooses", "--favourite", "Small"]);
    expect(starred.value.models).toEqual([
      { id: "s", name: "Small", favourite: true, default: false, lastUsed: false },
      { id: "l", name: "Large", favourite: false, default: true, lastUsed: true },
    ]);
    expect((await liminal(server, ["agents", "models", "chooses"])).stdout).toMatch(/s +favourite +Small\n/);
    const unknown = await liminalJson(server, ["agents", "models", "chooses", "--favourite", "huge"]);
    expect(unknown).toMatchObject({ code: 1, value: { error: { code: "MODEL_UNKNOWN" } } });
    expect((await liminal(server, ["agents", "models"])).code).toBe(2);
  },
  COMMANDS_TIMEOUT_MS,
);

it(
  "X-14 open hands the browser a private file, and never the token; the file signs a browser in",
  async () => {
    await using server = await startTestServer();
    const bare = await liminalJson(server, ["open"]);
    expect(bare).toMatchObject({ code: 0, value: { url: server.origin, opened: false } });
    const tools = await server.directory("tools");
    const got = join(tools, "got");
    await writeFile(join(tools, "xdg-open"), `#!/bin/sh\necho "$1" > "${got}.part" && mv "${got}.part" "${got}"\n`);
    await chmod(join(tools, "xdg-open"), 0o755);
    const opened = await liminal(server, ["open"], { env: { DISPLAY: ":0", PATH: `${tools}:${process.env["PATH"]}` } });
    expect(opened.code).toBe(0);
    await waitFor(() => existsSync(got), Boolean, "the browser");
    const address = (await readFile(got, "utf8")).trim();
    expect(`${opened.stdout}${opened.stderr}${address}`).not.toContain(server.token);
    const file = new URL(address);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const target = /url=([^"]+)"/.exec(await readFile(file, "utf8"))?.[1] ?? "";
    const answer = await fetch(target, { redirect: "manual", headers: { "Sec-Fetch-Site": "cross-site" } });
    expect(answer.status).toBe(200);
    const page = await answer.text();
    expect(page).not.toContain(server.token);
    // The page makes a step of its own, by a code that is good once; a cookie set before would not be sent along.
    const step = (/url=([^"]+)"/.exec(page)?.[1] ?? "").replaceAll("&amp;", "&");
    const signedIn = await fetch(new URL(step, server.origin), { redirect: "manual" });
    const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
    expect((await fetch(server.origin, { headers: { Cookie: cookie } })).status).toBe(200);
  },
  COMMANDS_TIMEOUT_MS,
);

it(
  "[CV-7] handback prints the command that continues a conversation in a terminal, and stops a turn only with --stop",
  async () => {
    await using server = await startTestServer({ env: SCRIPTED_CODEX });
    const talk = await startTalk(server, "codex");
    await talk.say("Say one");
    const done = await liminal(server, ["handback", talk.sessionId]);
    expect(done.code).toBe(0);
    expect(done.stdout).toMatch(new RegExp(`^cd \\S+ && codex resume ${CODEX_THREAD}\n$`));
    await talk.send("Begin");
    await talk.until("words", () => talk.answer.includes("Begun."));
    expect(await liminalJson(server, ["handback", talk.sessionId])).toMatchObject({
      code: 1,
      value: { error: { code: "AGENT_SESSION_BUSY" } },
    });
    expect(await liminalJson(server, ["handback", talk.sessionId, "--stop"])).toMatchObject({
      code: 0,
      value: { sessionId: talk.sessionId },
    });
  },
  COMMANDS_TIMEOUT_MS,
);

it(
  "X-14 (E5) archive, rename, rules, status, import and delete, also from another machine with a token (API-3)",
  async () => {
    await using server = await startTestServer();
    const talk = await startTalk(server);
    await talk.say("stream 3 words");
    const id = talk.sessionId;
    const { secret } = (await liminalJson(server, ["tokens", "create", "laptop", "--scope", "admin"])).value;
    // Without the data directory of the server, as on another machine.
    const env = { LIMINAL_DATA_DIR: join(server.home, "elsewhere"), LIMINAL_TOKEN: secret };
    const there = (...args: string[]) => liminalJson(server, [...args, "--host", server.origin], { env });

    expect(await there("rename", id, "A", "better", "title")).toMatchObject({
      code: 0,
      value: { title: "A better title" },
    });
    expect((await there("archive", id)).value).toEqual({ sessionId: id, status: "archived" });
    expect((await there("ls")).value.sessions).toEqual([]);
    expect((await there("archive", id, "--undo")).value.status).toBe("unarchived");
    expect((await there("ls")).value.sessions).toMatchObject([{ id, title: "A better title" }]);
    expect((await there("status")).value.counters).toMatchObject({ sessionsStored: 1, turnsDone: 1 });

    const of = ["--session", id];
    const added = (await there("rules", "allow", "--command", "npm test", ...of)).value;
    expect(added).toMatchObject({ scope: "session", rules: [{ effect: "allow", command: "npm test" }] });
    expect((await there("rules", "mode", "edits", ...of)).value.mode).toBe("edits");
    expect((await there("rules", "remove", added.rules[0].id, ...of)).value.rules).toEqual([]);
    expect((await there("rules", "allow", ...of)).code).toBe(2);

    const file = join(server.home, "talk.json");
    await liminal(server, ["export", id, "--format", "json", "--output", file]);
    expect((await there("delete", id)).code).toBe(2);
    expect((await there("delete", id, "--yes")).value.status).toBe("deleted");
    const imported = await there("import", file, "--project", talk.projectId);
    expect(imported).toMatchObject({ code: 0, value: { session: { title: "A better title" } } });
    await writeFile(file, "no export");
    expect((await there("import", file, "--project", talk.projectId)).value.error.code).toBe("NO_EXPORT");

    // A refusal has its reason, and starts no server here.
    const failed = (args: string[], more: Record<string, string> = {}) =>
      liminalJson(server, args, { env: { ...env, ...more } });
    expect((await failed(["ls", "--host", "http://box.example:3000"])).value.error.message).toContain("not encrypted");
    expect((await failed(["ls", "--host", server.origin], { LIMINAL_TOKEN: "" })).value.error.code).toBe("NO_TOKEN");
    expect((await failed(["doctor", "--host", server.origin])).value.error.message).toContain("this machine only");
    expect((await failed(["ls", "--host", "http://127.0.0.1:9"])).value.error.code).toBe("NO_SERVER");
    expect(existsSync(env.LIMINAL_DATA_DIR)).toBe(false);
  },
  COMMANDS_TIMEOUT_MS,
);
