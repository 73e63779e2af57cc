import { expect, test } from "bun:test";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startTalk } from "../integration/talk.ts";
import { guideWith, ROOT, startTestServer, type TestServerOptions } from "../support/test-server.ts";

/** What a command that the agent runs has in its environment. */
async function environmentOfAgent(options: TestServerOptions): Promise<ReadonlyMap<string, string>> {
  await using server = await startTestServer(options);
  const talk = await startTalk(server);
  await talk.send("run env -0 | tr '\\0' '\\n'");
  await talk.answerWith("allow-once");
  await talk.untilTurnsEnded(1);
  const lines = talk.tools[0]?.result?.split("\n") ?? [];
  return new Map(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

test("quirk: variables of whoever started us never reach an agent or what it runs, and the user's own do", async () => {
  const foreign = ["npm_config_registry", "NODE_OPTIONS", "NODE_ENV", "INIT_CWD", "CLAUDECODE", "ELECTRON_RUN_AS_NODE"];
  const env = {
    ...Object.fromEntries(foreign.map((name) => [name, ""])),
    MY_OWN: "kept",
    LIMINAL_TOKEN: "a-token-of-16-chars",
  };
  const seen = await environmentOfAgent({ env });
  expect([...foreign, "LIMINAL_TOKEN"].filter((name) => seen.has(name))).toEqual([]);
  expect(seen.get("MY_OWN")).toBe("kept");
});

test("quirk: no agent opens a browser on a machine that nobody sits at", async () => {
  const remote = await environmentOfAgent({ env: { LIMINAL_HOST: "0.0.0.0" }, args: ["--insecure"] });
  expect(remote.get("NO_BROWSER")).toBe("1");
  const local = await environmentOfAgent({});
  expect(local.has("NO_BROWSER")).toBe(false);
});

test("quirk: an agent that only a login shell finds is found, whatever else the shell prints", async () => {
  const command = [process.execPath, join(ROOT, "builtin-agent/main.ts")].map((word) => `'${word}'`).join(" ");
  await using server = await startTestServer({
    agents: { login: { ...guideWith(), command: "agent-of-the-login-shell", args: [] } },
    env: { SHELL: "/bin/sh" },
    async prepare(dataDir) {
      const home = join(dataDir, "../home");
      await mkdir(join(home, "bin"));
      await writeFile(join(home, "bin/agent-of-the-login-shell"), `#!/bin/sh\nexec ${command}\n`);
      await chmod(join(home, "bin/agent-of-the-login-shell"), 0o755);
      await writeFile(join(home, ".profile"), 'echo "Welcome back"\necho noise >&2\nPATH="$PATH:$HOME/bin"\n');
    },
  });
  const talk = await startTalk(server, "login");
  await talk.say("stream 2 words");
  expect(talk.answer).toBe("w1 w2");
  expect(talk.state.turn.stopReason).toBe("end_turn");
});
