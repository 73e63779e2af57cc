import { describe, expect, it } from "bun:test";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { anotherTalk, reopen, startTalk, type Talk } from "../integration/talk.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { claudeLimit, LimitedAccount, type Shape } from "./limited-agent.ts";

/** A reset that was more than a minute ago: what waits for it is due at once. */
const pastReset = () => Date.now() - 61_000;
const futureReset = () => Date.now() + 3_600_000;
const QUICK = { LIMINAL_LIMIT_CHECK_MS: "50" };
const NAMES = {
  claude: "@agentclientprotocol/claude-agent-acp",
  codex: "@agentclientprotocol/codex-acp",
  gemini: "gemini-cli",
  opencode: "opencode",
};

interface Scene extends AsyncDisposable {
  readonly server: TestServer;
  readonly account: LimitedAccount;
}

async function openScene(resume: "ask" | "auto" | "never" = "ask"): Promise<Scene> {
  let account: LimitedAccount | undefined;
  const server = await startTestServer({
    env: QUICK,
    prepare: async (dataDir) => {
      const place = join(dataDir, "..", "account");
      await mkdir(place);
      account = new LimitedAccount(place);
      const agents = Object.fromEntries(
        Object.entries(NAMES).map(([id, name]) => [`limited-${id}`, account?.agent(name, { process: "shared" })]),
      );
      await writeFile(join(dataDir, "config.json"), JSON.stringify({ agents, limits: { resume } }));
    },
  });
  if (!account) throw new Error("the account is made before the server");
  return { server, account, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const paused = (talk: Talk) => talk.until("a pause", ({ pause, turn }) => pause !== null && turn.state === "idle");

describe("the forms in which agents report a limit", () => {
  const SHAPES: readonly [title: string, agent: keyof typeof NAMES, shape: Shape, kind: "usage" | "rate" | "quota"][] =
    [
      ["Claude's windows, then its error", "claude", claudeLimit(futureReset()), "usage"],
      ["Claude's error alone, on the first turn", "claude", { ...claudeLimit(0), meta: {} }, "usage"],
      [
        "Codex's error",
        "codex",
        {
          said: "You've hit your usage limit. Try again at 11:51 PM.",
          error: {
            code: -32603,
            message: "You've hit your usage limit. Try again at 11:51 PM.",
            data: { codexErrorInfo: "usageLimitExceeded" },
          },
        },
        "usage",
      ],
      [
        "Codex's quota",
        "codex",
        {
          said: "Quota exceeded. Check your plan and billing details.",
          error: {
            code: -32603,
            message: "Quota exceeded. Check your plan and billing details.",
            data: { codexErrorInfo: "usageLimitExceeded" },
          },
        },
        "quota",
      ],
      [
        "Codex's plain 429, which ends the turn like any other",
        "codex",
        { said: "exceeded retry limit, last status: 429 Too Many Requests", threadStatus: "systemError", error: null },
        "rate",
      ],
      [
        "Gemini's daily quota",
        "gemini",
        { error: { code: 429, message: "You have exhausted your daily quota on this model." } },
        "quota",
      ],
      [
        "OpenCode's provider",
        "opencode",
        { error: { code: -32603, message: "Rate limit reached. Please try again in 11.054s." } },
        "rate",
      ],
    ];
  it("[CV-20] [CV-21] [CV-25] [CV-27] each form in which agents report a limit is a limit, holds the queue and is shown once", async () => {
    await using scene = await openScene();
    for (const [title, agent, shape, kind] of SHAPES) {
      scene.account.refuse(shape);
      const talk = await startTalk(scene.server, `limited-${agent}`);
      const before = scene.account.asked.length;
      await talk.send("Fix the parser");
      const { turn, pause } = await paused(talk);
      const text = shape.said ?? shape.error?.message ?? "";
      const found = {
        turn: [turn.state, turn.stopReason, turn.error?.code],
        kind: pause?.limit.kind,
        hasEnd: pause?.limit.resetsAt !== undefined,
        untouched: pause?.isUntouched,
        shown: talk.entries.filter(({ content }) => content.includes(text)).length,
      };
      expect({ title, ...found }).toEqual({
        title,
        turn: ["idle", "error", "AGENT_LIMIT"],
        kind,
        hasEnd: kind === "usage" || agent === "opencode",
        untouched: true,
        shown: 1,
      });
      await talk.send("Then the lexer");
      await talk.until("the message in the queue", ({ queue }) => queue.length === 1);
      expect(scene.account.asked.length - before).toBe(1);
    }
  }, 60_000);
});

describe("a session at its limit", () => {
  it("[X-28] [CV-22] [CV-23] with a yes it continues by itself with no page open, and its queue follows", async () => {
    await using scene = await openScene();
    scene.account.refuse(claudeLimit(pastReset()));
    const talk = await startTalk(scene.server, "limited-claude");
    await talk.send("Fix the parser");
    await paused(talk);
    await talk.send("Then the lexer");
    scene.account.accept();
    const { sessionId } = talk;
    const command = { type: "session:resume-limit", sessionId, when: "then", commandId: crypto.randomUUID() } as const;
    await talk.client.ask("ok", command);
    await talk.client.ask("ok", command);
    scene.server.closeClients();
    await waitFor(
      () => scene.account.asked.length,
      (count) => count === 3,
      "both messages to be sent",
    );
    expect(scene.account.asked.map(({ text, refused }) => [text, refused])).toEqual([
      ["Fix the parser", true],
      ["Fix the parser", false],
      ["Then the lexer", false],
    ]);
  }, 60_000);

  it("an agent that had worked is asked to continue, and the user sees the author", async () => {
    await using scene = await openScene();
    scene.account.refuse({ ...claudeLimit(futureReset()), works: true });
    const talk = await startTalk(scene.server, "limited-claude");
    await talk.send("Fix the parser");
    await paused(talk);
    scene.account.accept();
    const { sessionId } = talk;
    await talk.client.ask("ok", { type: "session:resume-limit", sessionId, when: "now" });
    await talk.untilAnswer("Done: Go on where you stopped.");
    const authors = talk.entries.flatMap((entry) => (entry.type === "user" ? [entry.author] : []));
    expect(authors).toEqual([undefined, "limit"]);
  }, 60_000);

  it("[CV-22] nothing is sent without a yes, and after a dismissal messages go out as usual", async () => {
    await using scene = await openScene();
    scene.account.refuse(claudeLimit(pastReset()));
    const talk = await startTalk(scene.server, "limited-claude");
    await talk.send("Fix the parser");
    await paused(talk);
    const { sessionId, client } = talk;
    await client.ask("ok", { type: "session:dismiss-limit", sessionId });
    const refused = await client.ask("error", { type: "session:resume-limit", sessionId, when: "then" });
    expect(refused).toMatchObject({ code: "REQUEST_NOT_PENDING" });
    expect(scene.account.asked.length).toBe(1);
    scene.account.accept();
    await talk.say("Explain it");
    expect(scene.account.asked.map(({ text }) => text)).toEqual(["Fix the parser", "Explain it"]);
  }, 60_000);

  it("[CV-24] [CV-26] ten sessions of an account try once while it is used up, and use that result", async () => {
    await using scene = await openScene();
    scene.account.refuse(claudeLimit(pastReset()));
    const first = await startTalk(scene.server, "limited-claude");
    const talks = [first];
    while (talks.length < 10) talks.push(await anotherTalk(first.client, first.projectId, "limited-claude"));
    await Promise.all(talks.map((talk, nth) => talk.send(`Task ${nth}`)));
    await Promise.all(talks.map(paused));
    expect(scene.account.asked.length).toBe(10);
    for (const { client, sessionId } of talks)
      await client.ask("ok", { type: "session:resume-limit", sessionId, when: "then" });
    await Promise.all(talks.map((talk) => talk.until("the second refusal", ({ pause }) => pause?.tries === 1)));
    expect(scene.account.asked.length).toBe(11);
    const waits = talks.map(({ state }) => Date.parse(state.pause?.resumesAt ?? "") - Date.now());
    expect(waits.map((ms) => Math.ceil(ms / 60_000))).toEqual(talks.map(() => 2));
  }, 90_000);

  it("[CV-23] a pause outlives the server: the next one continues the session", async () => {
    await using scene = await openScene();
    scene.account.refuse(claudeLimit(Date.now() - 50_000));
    const talk = await startTalk(scene.server, "limited-claude");
    await talk.send("Fix the parser");
    const { pause } = await paused(talk);
    await talk.client.ask("ok", { type: "session:resume-limit", sessionId: talk.sessionId, when: "then" });
    await scene.server.kill();
    scene.account.accept();
    // Its time comes while no server runs.
    await waitFor(Date.now, (now) => now > Date.parse(pause?.dueAt ?? ""), "the time of the pause");
    await scene.server.start();
    const again = await reopen(await scene.server.connect(), talk);
    await again.untilAnswer("Done: Fix the parser");
    expect(scene.account.asked.map(({ refused }) => refused)).toEqual([true, false]);
  }, 90_000);

  it("clients get the account's name, and how much of it is used, also after a restart", async () => {
    await using scene = await openScene();
    const rate = { status: "allowed_warning", utilization: 0.92, resetsAt: 4_000_000_000, rateLimitType: "five_hour" };
    scene.account.refuse({ meta: { "_claude/rateLimit": rate }, said: "Almost.", error: null });
    const talk = await startTalk(scene.server, "limited-claude");
    await talk.say("Fix the parser");
    const limitsFor = async (client: Talk["client"]) => {
      const { agents } = await client.ask("agent:list", { type: "agent:list" });
      return agents.find(({ id }) => id === "limited-claude")?.limits;
    };
    const known = {
      account: "Work · ada@example.org",
      windows: [{ name: "5-hour", used: 0.92, resetsAt: new Date(4_000_000_000_000).toISOString() }],
    };
    expect(await limitsFor(talk.client)).toEqual(known);
    await scene.server.stop();
    await scene.server.start();
    expect(await limitsFor(await scene.server.connect())).toEqual(known);
    expect(await readFile(join(scene.server.dataDir, "config.json"), "utf8")).toContain("limits");
  }, 60_000);
});
