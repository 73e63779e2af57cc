import { expect, test } from "bun:test";
import { join } from "node:path";
import { startTestServer } from "../support/test-server.ts";
import { rows } from "../transfer/import-steps.ts";
import { script, scriptedAgent } from "./scripted-agent.ts";
import { reopen, startTalk } from "./talk.ts";

const usage = (figures: object) => ({ update: { sessionUpdate: "usage_update", ...figures } });
const usd = (amount: number) => ({ amount, currency: "USD" });

test("(A13) X-43 what a session cost survives its agent's process: the next one's count is added, in the session, in the list and in the report", async () => {
  await using server = await startTestServer({ agents: { scripted: scriptedAgent() } });
  let talk = await startTalk(server, "scripted");
  const listed = async () => (await rows(talk.client, talk.projectId)).map((row) => row.usage?.cost);
  await talk.say(script(usage({ used: 10, size: 100, cost: usd(0.25) }), { end: "end_turn" }));
  await talk.send(script(usage({ used: 20, size: 100 }), { untilFile: join(server.home, "go") }, { end: "end_turn" }));
  await talk.until("the report without a cost", ({ config }) => config.usage?.used === 20);
  expect([talk.state.config.usage?.cost, await listed()]).toEqual([usd(0.25), [usd(0.25)]]);
  await Bun.write(join(server.home, "go"), "");
  await talk.untilIdle();
  await server.stop();
  await server.start();
  talk = await reopen(await server.connect(), talk);
  expect([talk.state.config.usage?.cost, await listed()]).toEqual([usd(0.25), [usd(0.25)]]);
  await talk.say(script(usage({ used: 30, size: 100, cost: usd(0.5) }), { end: "end_turn" }));
  expect([talk.state.config.usage?.cost, await listed()]).toEqual([usd(0.75), [usd(0.75)]]);
  await talk.say(script({ exit: 1 }));
  await talk.say(script(usage({ used: 30, size: 100, cost: usd(0.125) }), { end: "end_turn" }));
  expect([talk.state.config.usage?.cost, await listed()]).toEqual([usd(0.875), [usd(0.875)]]);

  // Killed in the middle of a turn: the next server gets the missing output again, and counts it once.
  const end = join(server.home, "end");
  await talk.send(
    script(
      usage({ used: 40, size: 100, cost: usd(0.25) }),
      { untilFile: end },
      usage({ used: 50, size: 100, cost: usd(0.5) }),
      { end: "end_turn" },
    ),
  );
  await talk.until("the first report of the turn", ({ config }) => config.usage?.used === 40);
  await server.kill();
  await server.start();
  talk = await reopen(await server.connect(), talk);
  await Bun.write(end, "");
  await talk.untilIdle();
  expect(talk.state.config.usage?.cost).toEqual(usd(1.25));
  const { rows: reported } = await talk.client.ask("usage:report", { type: "usage:get", days: 2 });
  const sum = (of: "cost" | "tokens" | "turns") => reported.reduce((all, row) => all + row[of], 0);
  expect([sum("cost"), sum("tokens"), sum("turns")]).toEqual([1.25, talk.state.config.usage?.tokens ?? 0, 5]);
});

test("(A13) an answer to a resume without options keeps the options that were chosen from", async () => {
  const answers = { "session/resume": {} };
  await using server = await startTestServer({ agents: { scripted: scriptedAgent({ answers }) } });
  const talk = await startTalk(server, "scripted");
  const { options } = talk.state.config;
  expect(options.map(({ id }) => id)).toEqual(["pace"]);
  await talk.say(script({ end: "end_turn" }));
  await talk.say(script({ exit: 1 }));
  await talk.say(script({ end: "end_turn" }));
  expect(talk.state.config.options).toEqual(options);
});
