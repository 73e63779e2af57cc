import { expect, test } from "bun:test";
import { ignore } from "../../src/lib/ignore.ts";
import { script, scriptedAgent } from "../integration/scripted-agent.ts";
import { reopen, startTalk } from "../integration/talk.ts";
import { roundsOf, seededRandom } from "../support/seeded-random.ts";
import { startTestServer } from "../support/test-server.ts";

const KILLS_FULL = 50;
const ROUND_MS_MAX = 60_000;
/** Within it lie the commit of the message, its checkpoint, the prompt and the answer. */
const KILLED_WITHIN_MS = 120;
const ECHO = script({ echoPrompt: true }, { end: "end_turn" });

test(
  "[WS-15] kill -9 between a message and its prompt: the agent is told which files the user discarded",
  async () => {
    const random = seededRandom("kill -9 with notes for the agent");
    await using server = await startTestServer({ agents: { scripted: scriptedAgent() } });
    let talk = await startTalk(server, "scripted");
    const counts = { kills: 0, notBegun: 0, running: 0, ended: 0, retried: 0 };
    const rounds = roundsOf(KILLS_FULL);
    for (let round = 0; round < rounds; round += 1) {
      const { sessionId } = talk;
      const file = `round-${round}.txt`;
      await talk.say(script({ shell: `echo x > ${file}` }, { end: "end_turn" }));
      await talk.until("the change", ({ changes }) => changes?.files === 1);
      const scope = { kind: "unreviewed" } as const;
      const { version } = await talk.client.ask("changes:state", { type: "changes:open", sessionId, scope });
      const discard = { type: "changes:decide", sessionId, scope, decision: "discard", expect: version } as const;
      await talk.client.ask("changes:state", discard);
      await talk.until("the note", ({ agentNotes }) => agentNotes.length === 1);
      const commandId = `echo-${round}`;
      talk.send(ECHO, commandId).catch(ignore("the server is killed"));
      await Bun.sleep(random.between(0, KILLED_WITHIN_MS));
      await server.kill();
      counts.kills += 1;
      await server.start();
      talk = await reopen(await server.connect(), talk);
      const { turn } = talk.state;
      const isBegun = talk.entries.some((entry) => entry.type === "user" && entry.commandId === commandId);
      counts[isBegun ? (turn.state === "idle" ? "ended" : "running") : "notBegun"] += 1;
      // A client without an answer repeats the request.
      await talk.send(ECHO, commandId);
      await talk.untilAllSaid([commandId]);
      if (talk.state.turn.stopReason !== "end_turn") {
        counts.retried += 1;
        await talk.client.ask("ok", { type: "session:retry", sessionId });
        await talk.until(
          "the retried end",
          (state) => state.turn.state === "idle" && state.turn.stopReason === "end_turn",
        );
      }
      const answers = talk.entries.filter(({ type }) => type === "assistant").map(({ content }) => content);
      expect(answers.filter((answer) => answer.includes(file) && answer.includes("discarded"))).toHaveLength(1);
      expect([talk.state.agentNotes, talk.state.toldNotes]).toEqual([[], []]);
    }
    console.log(`${JSON.stringify(counts)}: 0 lost, 0 twice`);
  },
  roundsOf(KILLS_FULL) * ROUND_MS_MAX,
);
