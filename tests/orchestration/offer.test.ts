import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startTalk } from "../integration/talk.ts";
import { startTestServer } from "../support/test-server.ts";
import { eagerAgent } from "./eager-agent.ts";

const AGENTS = {
  web: eagerAgent(true),
  pipes: eagerAgent(false),
  off: { ...eagerAgent(true), orchestration: false },
};

const ENDS_WITH_SERVER = { LIMINAL_HOLD_MS: "0" };

for (const [cliType, env, found] of [
  ["web", {}, "liminal over stdio: 13 tools"],
  ["web", ENDS_WITH_SERVER, "liminal over http: 13 tools"],
  ["pipes", {}, "liminal over stdio: 13 tools"],
  ["off", {}, "nothing"],
] as const)
  test(`O-2 O-6 X-19 the tools are ready while a session is being made: ${cliType} ${env === ENDS_WITH_SERVER ? "without" : "with"} a holder finds ${found}`, async () => {
    await using server = await startTestServer({ agents: AGENTS, env });
    const talk = await startTalk(server, cliType);
    await talk.say("What did you find?");
    expect(talk.answer).toBe(found);
  });

test("O-2 orchestration.offered: false offers the tools to no agent", async () => {
  await using server = await startTestServer({
    prepare: (dataDir) =>
      writeFile(join(dataDir, "config.json"), JSON.stringify({ agents: AGENTS, orchestration: { offered: false } })),
  });
  const talk = await startTalk(server, "web");
  await talk.say("What did you find?");
  expect(talk.answer).toBe("nothing");
});
