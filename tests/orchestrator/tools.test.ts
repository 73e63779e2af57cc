import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { textsBy } from "../agents/model-server/model-request.ts";
import type { Plan } from "../agents/model-server/model-server.ts";
import { planAnswer } from "../agents/model-server/plan-answer.ts";
import { parseScript, toolLine } from "../agents/model-server/script.ts";
import type { AgentDriver } from "../builtin-agent/agent-driver.ts";
import { at, type Message } from "../builtin-agent/message.ts";
import { waitFor } from "../support/wait-for.ts";
import { ALL_KNOWN, notices, withModel } from "./with-model.ts";

type Input = Parameters<typeof toolLine>[1];

/** A message that starts with `together:` has all of its calls in one answer. */
const together: Plan = (request) => {
  const [last] = textsBy(request, "user").slice(-1);
  const isNew = request.said.at(-1)?.by === "user";
  return last?.startsWith("together:") && isNew ? parseScript(last) : planAnswer(request);
};

function git(cwd: string, ...args: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(["git", "-C", cwd, ...args], { env: { ...process.env, HOME: cwd } });
  if (exitCode !== 0) throw new Error(stderr.toString());
}

/** A repository with a subdirectory, what its owner tells agents, and files that are not for them. */
function makeProject({ cwd, directory }: AgentDriver): void {
  git(cwd, "init", "-q", "-b", "trunk");
  mkdirSync(join(cwd, "src"));
  mkdirSync(join(directory, ".claude"));
  writeFileSync(join(directory, ".claude/CLAUDE.md"), "Of the user: be brief.\n");
  writeFileSync(join(cwd, "AGENTS.md"), "Of the project: use tabs.\n");
  writeFileSync(join(cwd, "CLAUDE.md"), "Of the project: use tabs.\n");
  writeFileSync(join(cwd, "src/AGENTS.md"), `Of the source: ${"x".repeat(40_000)}`);
  writeFileSync(join(directory, "outside.txt"), "needle outside\n");
  symlinkSync(join(directory, "outside.txt"), join(cwd, "src/CLAUDE.md"));
  symlinkSync(join(directory, "outside.txt"), join(cwd, "link.txt"));
  writeFileSync(join(cwd, ".gitignore"), "built/\n");
  mkdirSync(join(cwd, "built"));
  writeFileSync(join(cwd, "built/a.ts"), "needle 1\n");
  writeFileSync(join(cwd, "src/a.ts"), "first\nconst needle = 42;\nlast\n");
  writeFileSync(join(cwd, "src/b.ts"), "one\ntwo\nNEEDLE\n");
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const HTML = "<html><head><title>No</title></head><body><h1>Hello &amp; welcome</h1><script>no()</script><p>Text</p>";

/** A site on this machine: a page, a picture, redirects. */
function startSite() {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => {
      const { pathname } = new URL(url);
      if (pathname === "/page") return new Response(HTML, { headers: { "content-type": "text/html" } });
      if (pathname === "/to-page") return new Response(null, { status: 302, headers: { location: "/page" } });
      if (pathname === "/round") return new Response(null, { status: 302, headers: { location: "/round" } });
      if (pathname === "/big")
        return new Response("x".repeat(3 * 1024 * 1024), { headers: { "content-type": "text/plain" } });
      return new Response(new Uint8Array([1, 2]), { headers: { "content-type": "image/png" } });
    },
  });
}

for (const kind of ["openai", "anthropic"] as const)
  test(`O-10 O-11 the orchestrator (${kind}) gets its directory and the user's instructions, and has the tools of a coding agent`, async () => {
    using site = startSite();
    await withModel(
      async ({ agent, model }) => {
        makeProject(agent);
        await agent.initialize({ ...ALL_KNOWN, fs: { readTextFile: true } });
        const texts: string[] = [];
        agent.responders.set("fs/read_text_file", ({ path }) => ({ content: readFileSync(String(path), "utf8") }));
        const sessionId = await agent.newSession();
        const asked = agent.answerPermissions("allow-once");
        const call = async (name: string, input: Input): Promise<string> => {
          await agent.prompt(sessionId, `${toolLine(name, input)}\nsay: ok`);
          return textsBy(model.requests.at(-1), "tool").at(-1) ?? "";
        };

        // What the model is told of the place: the start of long files, each text once, nothing from outside by a link.
        const sub = await agent.request("session/new", { cwd: join(agent.cwd, "src"), mcpServers: [] });
        await agent.prompt(String(sub["sessionId"]), "say: here");
        const body = model.bodies.at(-1) ?? "";
        expect(body).toMatch(/Today is \w+day, \d{4}-\d\d-\d\d\./);
        expect(body).toContain("branch trunk; 0 changed and");
        expect(body).toMatch(/be brief.*use tabs.*Of the source: x{30000}.*bytes left out/s);
        expect(body.split("use tabs")).toHaveLength(2);
        expect(body).not.toContain("needle outside");

        // Search: regular expressions and globs, without what Git ignores.
        expect(await call("find_files", { pattern: "*.ts" })).toBe("src/a.ts\nsrc/b.ts");
        expect(await call("find_files", { pattern: "src/{b,c}.*" })).toBe("src/b.ts");
        expect(await call("search_files", { pattern: "needle\\s=\\s\\d+", context_lines: 1 })).toBe(
          "src/a.ts-1- first\nsrc/a.ts:2: const needle = 42;\nsrc/a.ts-3- last",
        );
        expect(await call("search_files", { pattern: "needle", ignore_case: true, glob: "*.{ts,txt}" })).toBe(
          "src/a.ts:2: const needle = 42;\nsrc/b.ts:3: NEEDLE",
        );
        expect(await call("search_files", { pattern: "= 42;", literal: true, path: "src" })).toContain("src/a.ts:2");
        expect(await call("search_files", { pattern: "(?=x)" })).toContain("not a regular expression here");
        expect(await call("search_files", { pattern: "x", path: "../" })).toContain("outside");

        // Several edits: all of a file or none, and the one that failed is named.
        const edits = [
          { path: "src/a.ts", old: "first", new: "1st" },
          { path: "src/b.ts", old: "one", new: "1" },
          { path: "src/a.ts", old: "last", new: "end" },
          { path: "src/b.ts", old: "three", new: "3" },
        ];
        const edited = await call("edit_files", { edits });
        expect(edited).toContain("src/a.ts was changed.");
        expect(edited).toContain("Edit 2 of 2: src/b.ts does not contain that text. Nothing in src/b.ts was changed.");
        expect(readFileSync(join(agent.cwd, "src/a.ts"), "utf8")).toBe("1st\nconst needle = 42;\nend\n");
        expect(readFileSync(join(agent.cwd, "src/b.ts"), "utf8")).toStartWith("one\n");

        const steps = [
          { step: "Look", status: "completed" },
          { step: "Change", status: "in_progress" },
        ];
        await call("update_plan", { steps });
        expect(agent.updates().findLast((update) => update["sessionUpdate"] === "plan")?.["entries"]).toMatchObject([
          { content: "Look", status: "completed" },
          { content: "Change", status: "in_progress" },
        ]);

        // Commands: a limit, and the background.
        expect(await call("run_command", { command: "sleep 300", timeout_seconds: 1 })).toMatch(
          /^It was ended after 1 s\. Ended by SIGTERM\./,
        );
        expect(await call("run_command", { command: "echo done", background: true })).toContain("Started as bg1.");
        expect(await call("command_output", { id: "bg1", wait_seconds: 60 })).toBe("Exit code 0.\ndone\n");
        await call("run_command", { command: "exec sleep 300", background: true });
        expect(await call("stop_command", { id: "bg2" })).toStartWith("Ended by SIGTERM.");
        expect(await call("command_output", { id: "bg9" })).toContain("There are: bg1, bg2.");

        // Fetch: this machine is asked about apart, once a call; limits are told.
        const before = asked.length;
        const page = await call("fetch_url", { url: `${site.url}to-page` });
        expect(page).toBe("Hello & welcome\n\nText");
        const options = JSON.stringify(asked.slice(before).map((question) => question["options"]));
        expect(asked.length - before).toBe(1);
        expect(options).toContain("addresses of this machine and network");
        expect(await call("fetch_url", { url: `${site.url}round` })).toContain("redirects more than 5 times");
        expect(await call("fetch_url", { url: `${site.url}picture` })).toContain("image/png, which is no text");
        expect(await call("fetch_url", { url: `${site.url}big` })).toContain("only the first 2097152 bytes");
        expect(await call("fetch_url", { url: "file:///etc/passwd" })).toContain("not an http or https address");

        // Calls that only read run at the same time: none is answered before all have come.
        const all = Promise.withResolvers<void>();
        agent.responders.set("fs/read_text_file", async ({ path }: Message) => {
          texts.push(String(path));
          if (texts.length === 3) all.resolve();
          await all.promise;
          return { content: String(path).slice(-4) };
        });
        const reads = ["src/a.ts", "src/b.ts", "AGENTS.md"].map((path) => toolLine("read_file", { path }));
        await agent.prompt(sessionId, ["together:", ...reads].join("\n"));
        expect(textsBy(model.requests.at(-1), "tool").slice(-3)).toEqual(["a.ts", "b.ts", "S.md"]);

        // A command in the background ends with its session.
        await call("run_command", { command: "echo $$ > pid; exec sleep 300", background: true });
        const pidFile = join(agent.cwd, "pid");
        const pid = await waitFor(
          () => (existsSync(pidFile) ? Number(readFileSync(pidFile, "utf8")) : 0),
          (found) => found > 0,
          "the command to run",
        );
        await agent.request("session/close", { sessionId });
        await waitFor(
          () => isRunning(pid),
          (isThere) => !isThere,
          "its end",
        );
      },
      { kind, plan: together },
    );
  }, 120_000);

for (const kind of ["openai", "anthropic"] as const)
  test(`O-12 tokens, cost by the prices that are set, and what a summary saved are reported (${kind})`, async () => {
    const prices = { LIMINAL_MODEL_INPUT_PRICE: "2", LIMINAL_MODEL_OUTPUT_PRICE: "10", LIMINAL_MODEL_CURRENCY: "EUR" };
    await withModel(
      async ({ agent, restart }) => {
        const costs = (driver: AgentDriver) =>
          driver.updates().flatMap((update) => {
            const amount = at(update, "cost", "amount");
            return update["sessionUpdate"] === "usage_update" && typeof amount === "number" ? [amount] : [];
          });
        const sessionId = await agent.open(ALL_KNOWN);
        const { usage } = await agent.prompt(sessionId, "say: My first answer.\nlong: 900");
        const [first = 0] = costs(agent);
        const [input, output] = [
          Number(at({ usage }, "usage", "inputTokens")),
          Number(at({ usage }, "usage", "outputTokens")),
        ];
        expect(first).toBeCloseTo((input * 2 + output * 10) / 1_000_000, 6);
        await agent.prompt(sessionId, "say: The second.");
        expect(notices(agent).at(-1)).toMatch(
          /^Summarized 2 messages: the context went from about 1,\d\d\d to \d+ tokens\. The last message was kept as is\.$/,
        );
        const last = costs(agent).at(-1) ?? 0;
        expect(last).toBeGreaterThan(first);
        agent.kill("SIGKILL");
        await agent.ended();
        // What it has cost outlives the process.
        await using again = restart();
        await again.initialize(ALL_KNOWN);
        await again.request("session/load", { sessionId, cwd: again.cwd, mcpServers: [] });
        await again.prompt(sessionId, "say: Third.");
        expect(costs(again)[0]).toBeGreaterThan(last);
      },
      { kind, env: { LIMINAL_MODEL_CONTEXT: "1400", ...prices } },
    );
  });
