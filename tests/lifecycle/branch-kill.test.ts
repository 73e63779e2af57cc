import { expect, test } from "bun:test";
import { ignore } from "../../src/lib/ignore.ts";
import { CommandId } from "../../src/protocol/ids.ts";
import { scriptedAgent } from "../integration/scripted-agent.ts";
import { startTalk, Talk } from "../integration/talk.ts";
import { roundsOf, seededRandom } from "../support/seeded-random.ts";
import { startTestServer } from "../support/test-server.ts";

const KILLS_FULL = 100;
const ROUND_MS_MAX = 60_000;
/** Copying, the start of the agent, the prompt and the whole turn fit into this, more or less. */
const KILLED_WITHIN_MS = 700;
const WORDS = "w1 w2 w3";

test(
  "CV-19 kill -9 at any moment around the first message of a branch: one session, and the agent is told once",
  async () => {
    const random = seededRandom("kill -9 with branches");
    const agents = {
      scripted: scriptedAgent({ scripts: { echo: [{ echoPrompt: true }, { end: "end_turn" }] } }),
    };
    await using server = await startTestServer({ agents });
    const source = await startTalk(server);
    await source.say("stream 3 words");
    let { client } = source;
    // How its turn stood when it was opened again.
    const counts = { kills: 0, notBegun: 0, running: 0, ended: 0, retried: 0 };
    const rounds = roundsOf(KILLS_FULL);
    for (let round = 0; round < rounds; round += 1) {
      const command = {
        type: "session:branch",
        sessionId: source.sessionId,
        cliType: "scripted",
        content: "echo",
        commandId: CommandId.parse(`branch-${round}`),
      } as const;
      const made = client.ask("session:created", command);
      made.catch(ignore("the server is killed"));
      await Bun.sleep(random.between(0, KILLED_WITHIN_MS));
      await server.kill();
      counts.kills += 1;
      await server.start();
      client = await server.connect();
      // A client without an answer repeats the request.
      const { sessionId } = await client.ask("session:created", command);
      const { turn } = await client.ask("session:history", { type: "session:open", sessionId });
      counts[turn.turnId === undefined ? "notBegun" : turn.state === "idle" ? "ended" : "running"] += 1;
      const branch = new Talk(client, source.projectId, sessionId);
      const ended = await branch.until(
        "the end",
        ({ turn: { state, stopReason } }) => state === "idle" && !!stopReason,
      );
      if (ended.turn.stopReason !== "end_turn") {
        counts.retried += 1;
        await client.ask("ok", { type: "session:retry", sessionId });
        await branch.until("the retried end", ({ turn: one }) => one.state === "idle" && one.stopReason === "end_turn");
      }
      const own = branch.entries.slice(2);
      expect(own.filter(({ type }) => type === "user")).toMatchObject([{ content: "echo", context: { turns: 1 } }]);
      const answers = own.filter(({ type }) => type === "assistant").map(({ content }) => content);
      expect(answers).toHaveLength(1);
      const heard: unknown[] = JSON.parse(answers[0] ?? "");
      expect(heard).toHaveLength(2);
      expect(heard[0]).toEqual({ type: "text", text: "echo" });
      expect(JSON.stringify(heard[1]).split(WORDS)).toHaveLength(2);
    }
    const { sessions } = await client.ask("session:list", { type: "session:list", projectId: source.projectId });
    expect(sessions).toHaveLength(rounds + 1);
    console.log(`${JSON.stringify(counts)}: 0 lost, 0 twice`);
  },
  roundsOf(KILLS_FULL) * ROUND_MS_MAX,
);
