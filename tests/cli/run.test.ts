import { expect, it } from "bun:test";
import { startTestServer, TestServer } from "../support/test-server.ts";
import { BINARY, COMMANDS_TIMEOUT_MS, environmentOf, liminal, liminalJson, startLiminal } from "./liminal.ts";

it(
  "X-14 run --wait prints the answer alone on stdout and ends with 0; the prompt comes by words, by - or by a pipe",
  async () => {
    await using server = await startTestServer();
    const cwd = await server.directory("shop");
    const words = await liminal(server, ["run", "--wait", "stream", "3", "words"], { cwd });
    expect(words).toMatchObject({ code: 0, stdout: "w1 w2 w3\n" });
    expect(words.stderr).toContain("Added project shop");
    expect(await liminal(server, ["run", "-w"], { cwd, stdin: "stream 2 words\n" })).toMatchObject({
      code: 0,
      stdout: "w1 w2\n",
    });
    const mixed = await liminal(server, ["run", "-w", "stream", "-"], { cwd, stdin: "4 words" });
    expect(mixed).toMatchObject({ code: 0, stdout: "w1 w2 w3 w4\n" });
  },
  COMMANDS_TIMEOUT_MS,
);

it(
  "X-14 run --wait --json works in a pipe",
  async () => {
    await using server = await startTestServer();
    const read = `node -e 'let s="";process.stdin.on("data",d=>s+=d).on("end",()=>console.log(JSON.parse(s).status,JSON.parse(s).text))'`;
    const pipe = Bun.spawn(
      ["bash", "-c", `set -o pipefail; "${BINARY}" run --wait "stream 2 words" --json | ${read}`],
      {
        cwd: server.home,
        env: environmentOf(server),
        stdin: "ignore",
        stdout: "pipe",
        stderr: "ignore",
      },
    );
    expect(await new Response(pipe.stdout).text()).toBe("done w1 w2\n");
    expect(await pipe.exited).toBe(0);
  },
  COMMANDS_TIMEOUT_MS,
);

it.skipIf(Bun.which("jq") === null)(
  "X-14 run --wait --json | jq, where jq is installed",
  async () => {
    await using server = await startTestServer();
    const line = `set -o pipefail; "${BINARY}" run --wait "stream 2 words" --json | jq -r .text`;
    const surroundings = { cwd: server.home, env: environmentOf(server), stdin: "ignore", stderr: "ignore" } as const;
    const pipe = Bun.spawn(["bash", "-c", line], { ...surroundings, stdout: "pipe" });
    expect(await new Response(pipe.stdout).text()).toBe("w1 w2\n");
    expect(await pipe.exited).toBe(0);
  },
  COMMANDS_TIMEOUT_MS,
);

it(
  "X-14 run --wait tells a failed turn from a cancelled one by its exit code, and cancel says when nothing runs",
  async () => {
    await using server = await startTestServer();
    const failed = await liminalJson(server, ["run", "--wait", "fail"]);
    expect(failed.code).toBe(6);
    expect(failed.value).toMatchObject({ status: "failed", stopReason: "error" });

    const client = await server.connect();
    const sleeping = startLiminal(server, ["run", "--wait", "--json", "sleep"]);
    const created = await client.until("the session", () => client.all("session:created")[0]);
    await client.until("its turn", () =>
      client.all("session:changed").find(({ id, turn }) => id === created.sessionId && turn.state === "running"),
    );
    const cancelled = await liminalJson(server, ["cancel", created.sessionId.slice(0, 16)]);
    expect(cancelled).toMatchObject({ code: 0, value: { sessionId: created.sessionId, status: "cancelling" } });
    expect(JSON.parse(await new Response(sleeping.stdout).text())).toMatchObject({ status: "cancelled" });
    expect(await sleeping.exited).toBe(5);

    const again = await liminal(server, ["cancel", created.sessionId]);
    expect(again).toEqual({
      code: 0,
      stderr: "",
      stdout: "No turn is running in this session.\n",
    });
    expect((await liminalJson(server, ["cancel", created.sessionId])).value).toMatchObject({ status: "idle" });
  },
  COMMANDS_TIMEOUT_MS,
);

it(
  "W-9 X-14 without a terminal a question is declined at once, and a permission ends the wait with what to do",
  async () => {
    await using server = await startTestServer();
    const asked = await liminalJson(server, ["run", "--wait", "ask"]);
    expect(asked.code).toBe(0);
    expect(asked.value.declined).toHaveLength(1);

    const blocked = await liminal(server, ["run", "--wait", "run echo hi"]);
    expect(blocked.code).toBe(4);
    const id = /liminal permit (\S+) allow/.exec(blocked.stderr)?.[1] ?? "";
    const listed = await liminalJson(server, ["permit"]);
    expect(listed.value.requests).toMatchObject([{ id, kind: "permission", asks: "echo hi" }]);
    const sessionId = listed.value.requests[0].sessionId;
    expect(await liminalJson(server, ["permit", id.slice(0, 8), "allow"])).toMatchObject({
      code: 0,
      value: { id, answer: "allow-once" },
    });
    expect(await liminal(server, ["permit", id, "allow"])).toMatchObject({ code: 1 });
    const followed = await liminal(server, ["attach", sessionId, "--until-idle"]);
    expect(followed).toMatchObject({ code: 0 });
    expect(followed.stdout).toContain("The command succeeded.");
    expect(followed.stderr).toContain("Attached to");
    // E4: only the result. The first one may have seen the turn at work.
    const ended = await liminal(server, ["attach", sessionId, "--until-idle"]);
    const quiet = await liminal(server, ["attach", "-q", sessionId, "--until-idle"]);
    expect(quiet).toEqual({ ...ended, stderr: "" });
    expect((await liminal(server, ["permit"])).stdout).toBe("No pending requests.\n");

    const allowed = await liminal(server, ["run", "--wait", "--permissions", "all", "run echo hi"]);
    expect(allowed).toMatchObject({ code: 0, stdout: "The command succeeded.\n" });
  },
  COMMANDS_TIMEOUT_MS,
);

it(
  "X-14 where no server runs one is started, which is told on stderr, without the token, and stop ends it",
  async () => {
    await using server = await TestServer.prepare();
    const first = await liminal(server, ["run", "--wait", "stream 1 words"]);
    expect(first).toMatchObject({ code: 0, stdout: "w1\n" });
    expect(first.stderr).toContain("Starting one in the background");
    const token = (await Bun.file(`${server.dataDir}/token`).text()).trim();
    expect(token).not.toBe("");
    const log = await Bun.file(`${server.dataDir}/server.log`).text();
    const commandLines = server.processes.alive().map(({ commandLine }) => commandLine);
    expect(`${first.stderr}${log}${commandLines.join("\n")}`).not.toContain(token);
    const second = await liminal(server, ["ls"]);
    expect(second.stderr).toBe("");
    expect(await liminalJson(server, ["stop"])).toMatchObject({ code: 0, value: { status: "stopped" } });
    expect(await liminalJson(server, ["stop"])).toMatchObject({ code: 0, value: { status: "not-running" } });
    expect(await liminal(server, ["cancel", "abc"])).toMatchObject({ code: 3 });
  },
  COMMANDS_TIMEOUT_MS,
);
