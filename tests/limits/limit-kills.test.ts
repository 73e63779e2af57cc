import { expect, it } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { anotherTalk, reopen, startTalk, type Talk } from "../integration/talk.ts";
import { roundsOf, seededRandom } from "../support/seeded-random.ts";
import { startTestServer } from "../support/test-server.ts";
import { claudeLimit, LimitedAccount } from "./limited-agent.ts";

const ROUNDS_FULL = 100;
const ROUNDS = roundsOf(ROUNDS_FULL);
const ROUND_MS_MAX = 60_000;
/** Within it lie the refusal, its commit, the time of the pause, the commit of the turn and the prompt. */
const UNTIL_KILL_MS_MAX = 2_400;

it(
  "[CV-23] kill -9 of the server around the end of a limit: every session continues once",
  async () => {
    const random = seededRandom("kill -9 around the end of a limit");
    let account: LimitedAccount | undefined;
    await using server = await startTestServer({
      env: { LIMINAL_LIMIT_CHECK_MS: "50" },
      prepare: async (dataDir) => {
        const place = join(dataDir, "..", "account");
        await mkdir(place);
        account = new LimitedAccount(place);
        const agents = { limited: account.agent() };
        await writeFile(join(dataDir, "config.json"), JSON.stringify({ agents, limits: { resume: "auto" } }));
      },
    });
    if (!account) throw new Error("the account is made before the server");
    const counts = { rounds: 0, pausedAtKill: 0, startedAtKill: 0, doneAtKill: 0, lost: 0, doubled: 0 };
    let talk: Talk = await startTalk(server, "limited");
    for (let round = 1; round <= ROUNDS; round++) {
      talk = await anotherTalk(talk.client, talk.projectId, "limited");
      const message = `Task ${round}`;
      // Due within the next second.
      account.refuse({ ...claudeLimit(Date.now() - 59_000), once: true });
      await talk.send(message);
      await talk.until("a pause", ({ pause, turn }) => pause !== null && turn.state === "idle");
      await Bun.sleep(random.between(0, UNTIL_KILL_MS_MAX));
      const { pause, turn } = talk.state;
      counts[pause ? "pausedAtKill" : turn.state === "idle" ? "doneAtKill" : "startedAtKill"]++;
      await server.kill();
      await server.start();
      talk = await reopen(await server.connect(), talk);
      await talk.untilAnswer(`Done: ${message}`);
      await talk.untilIdle();
      const accepted = account.asked.filter(({ text, refused }) => text === message && !refused).length;
      counts.lost += accepted === 0 ? 1 : 0;
      counts.doubled += accepted > 1 ? 1 : 0;
      counts.rounds++;
    }
    console.log(`kill -9 around the end of a limit: ${JSON.stringify(counts)}`);
    expect([counts.rounds, counts.lost, counts.doubled]).toEqual([ROUNDS, 0, 0]);
  },
  ROUND_MS_MAX * ROUNDS,
);
