import { expect, it } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { guideWith, startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { git } from "../workspace/git-scene.ts";
import { BINARY, COMMANDS_TIMEOUT_MS, environmentOf, liminal, liminalJson } from "./liminal.ts";

it(
  "X-14 run uses the agent used last in the project (E1)",
  async () => {
    await using server = await startTestServer({ agents: { mine: guideWith() } });
    const [shop, other] = [await server.directory("shop"), await server.directory("other")];
    const agentOf = async (cwd: string, ...args: string[]) => {
      const { value } = await liminalJson(server, ["run", ...args, "stream 1 words"], { cwd });
      return String(value.sessionId).split(":")[0];
    };
    expect(await agentOf(shop)).toBe("builtin");
    expect(await agentOf(shop, "-a", "mine")).toBe("mine");
    expect(await agentOf(shop)).toBe("mine");
    expect(await agentOf(other)).toBe("builtin");
  },
  COMMANDS_TIMEOUT_MS,
);

it(
  "X-14 run --timeout cancels a turn that takes longer, and says so (E1)",
  async () => {
    await using server = await startTestServer();
    const late = await liminalJson(server, ["run", "--timeout", "1", "stream 100000 words at 50/s"]);
    expect(late).toMatchObject({ code: 5, value: { status: "cancelled" } });
    const { value } = await liminalJson(server, ["ls"]);
    expect(value.sessions).toMatchObject([{ turn: { state: "idle" } }]);
    expect((await liminal(server, ["run", "--timeout", "soon", "x"])).code).toBe(2);
    expect(await liminal(server, ["run", "--timeout", "60", "stream 2 words"])).toMatchObject({
      code: 0,
      stdout: "w1 w2\n",
    });
  },
  COMMANDS_TIMEOUT_MS,
);

it(
  "X-14 run --output-schema asks for JSON and refuses an answer that does not match; --model names what can be chosen (E1)",
  async () => {
    await using server = await startTestServer();
    const schema = join(server.home, "schema.json");
    await writeFile(schema, JSON.stringify({ type: "object", required: ["a"] }));
    const prose = await liminalJson(server, ["run", "--output-schema", schema, "stream 2 words"]);
    expect(prose).toMatchObject({ code: 6, value: { status: "failed", error: expect.stringContaining("not JSON") } });
    expect((await liminal(server, ["run", "--output-schema", join(server.home, "none"), "x"])).code).toBe(2);
    const model = await liminal(server, ["run", "--wait", "--model", "gpt-none", "hello"]);
    expect(model.code).toBe(1);
    expect(model.stderr).toMatch(/does not support choosing a model|Unknown model "gpt-none"/);
  },
  COMMANDS_TIMEOUT_MS,
);

it(
  "X-14 a run that is refused leaves nothing behind: no project, no session, no worktree and no branch (E1)",
  async () => {
    await using server = await startTestServer();
    const cwd = await server.directory(crypto.randomUUID());
    git(cwd, "init", "-q", "-b", "main");
    git(cwd, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "first");
    const at = { cwd };
    const refused = async (...args: string[]) => (await liminal(server, ["run", ...args, "hello"], at)).code;
    expect(await refused("--timeout", "5m")).toBe(2);
    expect(await refused("--attempts", "builtin")).toBe(2);
    expect(await refused("--attempts", "builtin,nobody")).toBe(1);
    expect((await liminalJson(server, ["projects"], at)).value.projects).toEqual([]);
    expect(await refused("--mode", "none")).toBe(1);
    expect(await refused("--mode", "none", "--worktree=fix")).toBe(1);
    expect((await liminalJson(server, ["ls", "--all"], at)).value.sessions).toEqual([]);
    expect((await liminalJson(server, ["worktrees"], at)).value.worktrees).toEqual([]);
    expect(git(cwd, "branch", "--list", "fix")).toBe("");
  },
  COMMANDS_TIMEOUT_MS,
);

/** Types into a real terminal once it shows what is waited for. */
async function typed(server: TestServer, args: readonly string[], prompt: string, answer: string) {
  const decoder = new TextDecoder();
  let output = "";
  const closed = Promise.withResolvers<void>();
  const child = Bun.spawn([BINARY, ...args], {
    cwd: server.home,
    env: { ...environmentOf(server), TERM: "xterm" },
    terminal: {
      cols: 120,
      rows: 40,
      data: (_, data) => {
        output += decoder.decode(data, { stream: true });
      },
      exit: () => closed.resolve(),
    },
  });
  await waitFor(
    () => output,
    (shown) => shown.includes(prompt),
    "the question",
  );
  child.terminal?.write(answer);
  const [code] = await Promise.all([child.exited, closed.promise]);
  return { code, output };
}

it(
  "X-14 W-9 on a terminal run asks y or n for a permission, after showing all of it (E1)",
  async () => {
    await using server = await startTestServer();
    const yes = await typed(server, ["run", "--wait", "run echo hi"], "[y/n]", "y\n");
    expect(yes.code).toBe(0);
    expect(yes.output).toContain("echo hi");
    const no = await typed(server, ["run", "--wait", "run echo hi"], "[y/n]", "n\n");
    expect(no.output).not.toBe(yes.output);
    expect((await liminalJson(server, ["permit"])).value.requests).toEqual([]);
  },
  COMMANDS_TIMEOUT_MS,
);
