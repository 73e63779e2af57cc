import { afterAll, expect, test } from "bun:test";
import type { EntryId } from "../../src/protocol/ids.ts";
import { git, write } from "../workspace/git-scene.ts";
import { type AgentScene, AgentTalk, openAgentScene } from "./agent-scene.ts";
import { textsBy } from "./model-server/model-request.ts";
import { OPENCODE, openCodeSettings, REAL_AGENTS } from "./real-agents.ts";

/** What the model got in the first turn of a branch, against the transcript above it: printed at the end. */
const SEEN: string[] = [];
afterAll(() => console.log(["agent | point | how | stands above | the model saw", ...SEEN].join("\n")));

const ANSWERS = ["The first answer.", "The second answer.", "The third answer."] as const;

interface PointOf {
  readonly name: string;
  /** By the number of a message of the user, counted from 1; 0: the end. */
  readonly message: number;
  readonly before?: boolean;
  readonly above: number;
  readonly place?: "worktree";
}

const POINTS: readonly PointOf[] = [
  { name: "the end", message: 0, above: 3 },
  { name: "after turn 1", message: 1, above: 1 },
  { name: "before message 2", message: 2, before: true, above: 1 },
  { name: "after turn 2, in a worktree", message: 2, above: 2, place: "worktree" },
  { name: "before message 3", message: 3, before: true, above: 2 },
];

async function branch(
  scene: AgentScene,
  source: AgentTalk,
  { message, before, place }: PointOf,
  how: "native" | "primed",
) {
  const users = source.entries.filter(({ type }) => type === "user");
  const at = users[message - 1]?.entryId as EntryId | undefined;
  const { sessionId, session } = await scene.client.ask("session:created", {
    type: "session:branch",
    sessionId: source.sessionId as never,
    ...(at !== undefined && { at }),
    ...(before && { before }),
    ...(place === "worktree" && { options: { worktree: { create: {} } } }),
  });
  await scene.client.ask("session:history", { type: "session:open", sessionId });
  expect(session.origin).toMatchObject({ kind: "branch", sessionId: source.sessionId, how });
  return new AgentTalk(scene, sessionId, source.directory);
}

/** A conversation of three turns in a repository. */
async function threeTurns(scene: AgentScene): Promise<AgentTalk> {
  const source = await scene.newSession();
  git(source.directory, "init", "-q", "-b", "main");
  git(source.directory, "config", "user.name", "User");
  git(source.directory, "config", "user.email", "user@example.org");
  await write(source.directory, { "a.txt": "a\n" });
  git(source.directory, "add", "-A");
  git(source.directory, "commit", "-qm", "first");
  for (const answer of ANSWERS) await source.run(`say: ${answer}`);
  return source;
}

/**
 * Runs the first turn of a branch: the model has to get the transcript above it, and nothing else of the conversation.
 */
async function runFirst(scene: AgentScene, talk: AgentTalk, { name, above }: PointOf, how: "native" | "primed") {
  const shown = talk.entries.filter(({ type }) => type === "assistant").map(({ content }) => content);
  expect(shown).toEqual(ANSWERS.slice(0, above));
  const words = `A branch at ${name}.`;
  await talk.run(`say: ${words}`);
  const request = scene.model.requests.find((one) => textsBy(one, "user").join("\n").includes(words));
  const asked = textsBy(request, "user").join("\n");
  const remembered = textsBy(request, "assistant").filter((text) => text.endsWith("answer."));
  const told = ANSWERS.filter((answer) => asked.includes(`\n${answer}\n`));
  const seen = how === "native" ? remembered : told;
  SEEN.push([scene.agent.name, name, how, shown.length, seen.length].join(" | "));
  expect({ name, seen }).toEqual({ name, seen: ANSWERS.slice(0, above) });
  expect(asked.includes("liminal://conversation/")).toBe(how === "primed");
  if (how === "primed") expect(remembered).toEqual([]);
  // The scripted model also takes the text of the pack for a request.
  if (how === "native") expect(talk.entries.at(-1)?.content).toBe(words);
}

for (const agent of REAL_AGENTS)
  test.skipIf(!agent.isInstalled)(
    `[CV-11] [CV-12] [CV-13] [CV-16] at each point of a conversation of ${agent.title} the model sees exactly what stands above it, also after the agent was restarted`,
    async () => {
      await using scene = await openAgentScene(agent);
      const source = await threeTurns(scene);
      const whole = JSON.stringify(source.entries);
      const made = await Promise.all(POINTS.map((point) => branch(scene, source, point, "native")));
      const run = (at: number) => runFirst(scene, made[at] as AgentTalk, POINTS[at] as PointOf, "native");
      await run(0);
      // The processes that made the copies are gone, and so is now the one that has the conversation.
      await scene.killAgent();
      await run(1);
      await Promise.all([2, 3, 4].map(run));
      // The source is unchanged, and continues with its own memory.
      expect(JSON.stringify(source.entries)).toBe(whole);
      const words = "say: The fourth answer.";
      await source.run(words);
      // The first that has it: an agent asks its model for other things too, a title among them.
      const request = scene.model.requests.find((one) => textsBy(one, "user").join("\n").includes(words));
      const shown = textsBy(request, "assistant").filter((text) => /answer\.$|^A branch/.test(text));
      expect(shown).toEqual([...ANSWERS]);
    },
  );

/** It starts slowly, and has a process for each session. */
const OPENCODE_MS_MAX = 300_000;

test.skipIf(!OPENCODE.isInstalled)(
  "[CV-13] [CV-16] OpenCode copies its whole memory, whatever it is told: it does so at the end alone, and is told the conversation elsewhere",
  async () => {
    await using scene = await openAgentScene(OPENCODE, openCodeSettings());
    const source = await threeTurns(scene);
    const whole = JSON.stringify(source.entries);
    for (const point of POINTS) {
      const how = point.message === 0 ? "native" : "primed";
      await runFirst(scene, await branch(scene, source, point, how), point, how);
    }
    expect(JSON.stringify(source.entries)).toBe(whole);
  },
  OPENCODE_MS_MAX,
);
