import { describe, expect, it } from "bun:test";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import { agentEnvironment, joinPaths, loginPath } from "./agent-environment.ts";

describe("agentEnvironment", () => {
  it.each([
    "npm_config_registry",
    "npm_lifecycle_event",
    "NPM_CONFIG_LOGLEVEL",
    "BUN_INSPECT",
    "BUN_INSTALL",
    "NODE_OPTIONS",
    "NODE_ENV",
    "NODE_CHANNEL_FD",
    "INIT_CWD",
    "ELECTRON_RUN_AS_NODE",
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SSE_PORT",
    "LIMINAL_TOKEN",
    "LIMINAL_DATABASE_URL",
    "LIMINAL_MCP_TOKEN",
    "LIMINAL_MODEL_KEY",
  ])("hides %s from the agent: it belongs to whoever started us", (name) => {
    expect(agentEnvironment({ [name]: "x", HOME: "/home/me" })).toEqual({ HOME: "/home/me" });
  });

  it.each([
    "HOME",
    "PATH",
    "LANG",
    "SHELL",
    "SSH_AUTH_SOCK",
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_MAX_RETRIES",
    "CODEX_HOME",
    "NODE_EXTRA_CA_CERTS",
    "NODE_PATH",
    "HTTPS_PROXY",
    "MY_npm_THING",
  ])("passes %s on: agents and their users rely on it", (name) => {
    expect(agentEnvironment({ [name]: "x" })).toEqual({ [name]: "x" });
  });

  it("overrides win, later ones over earlier ones, and are not filtered: they were requested", () => {
    expect(agentEnvironment({ A: "0", B: "0", C: "0" }, { B: "1", C: "1" }, { C: "2", NODE_ENV: "test" })).toEqual({
      A: "0",
      B: "1",
      C: "2",
      NODE_ENV: "test",
    });
  });

  it("omits unset variables, and does not modify the caller's object", () => {
    const inherited = { SET: "x", UNSET: undefined };
    expect(agentEnvironment(inherited, { NEW: "y" })).toEqual({ SET: "x", NEW: "y" });
    expect(inherited).toEqual({ SET: "x", UNSET: undefined });
  });
});

const LONGER_THAN_THE_LIMIT_MS = 60_000;

/** The environment of a user whose login shell reads this profile. */
async function userWith(profile: string) {
  const dir = await tempDir();
  await writeFile(dir.join(".profile"), profile);
  return {
    dir,
    env: { SHELL: "/bin/sh", HOME: dir.path, PATH: process.env["PATH"] },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

describe("loginPath", () => {
  it("is the PATH the user has in a login shell", async () => {
    await using user = await userWith('PATH="/opt/agents/bin:/with a space:/bin"');
    expect(await loginPath(user.env)).toBe("/opt/agents/bin:/with a space:/bin");
  });

  it("is found among other output of the shell", async () => {
    await using user = await userWith('echo "Welcome! PATH=/nowhere"; echo warning >&2; PATH=/opt/bin');
    expect(await loginPath(user.env)).toBe("/opt/bin");
  });

  it("is null if there is no shell, it cannot be run, or it fails", async () => {
    expect(await loginPath({})).toBeNull();
    expect(await loginPath({ SHELL: "/no/such/shell" })).toBeNull();
    await using user = await userWith("echo noise; exit 1");
    expect(await loginPath(user.env)).toBeNull();
  });

  it("is not delayed by something the profile leaves running", async () => {
    await using user = await userWith('sleep 1000 & echo $! > "$HOME/left"; PATH=/opt/bin');
    expect(await loginPath(user.env)).toBe("/opt/bin");
    // It has the shell's output open to this moment.
    const left = Number(readFileSync(user.dir.join("left"), "utf8"));
    expect(() => process.kill(left)).not.toThrow();
  });

  it(
    "does not wait for a shell that hangs",
    async () => {
      await using user = await userWith("exec sleep 300");
      expect(await loginPath(user.env)).toBeNull();
    },
    LONGER_THAN_THE_LIMIT_MS,
  );
});

describe("joinPaths", () => {
  it.each([
    { own: "/a:/b", login: "/b:/c:/a:/d", joined: "/a:/b:/c:/d" },
    { own: "/a", login: null, joined: "/a" },
    { own: undefined, login: "/a:/b", joined: "/a:/b" },
    { own: "", login: "", joined: "" },
    { own: ":/a::", login: "/a:", joined: "/a" },
  ])("$own and $login make $joined: ours first, each once, no empty ones", ({ own, login, joined }) => {
    expect(joinPaths(own, login)).toBe(joined);
  });
});
