import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { guideWith, startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { startTalk } from "./talk.ts";

// Both take as long as the grace that is given, so they take it together.
test.concurrent("TC-5.3a an agent that ignores the end of its input and SIGTERM is gone after a shutdown", async () => {
  await using server = await startTestServer({ agents: { deaf: guideWith("--scenario", "deaf-to-exit") } });
  const talk = await startTalk(server, "deaf");
  await talk.say("hello");
  const { origin } = server;
  const stopped = server.stop();
  const health = await waitFor(
    () => fetch(`${origin}/healthz`),
    ({ status }) => status !== 200,
    "the server to say that it stops",
  );
  expect(health.status).toBe(503);
  expect(await stopped).toBe(0);
  expect(server.processes.alive()).toEqual([]);
});

test.concurrent("W-2 never-ending-cancel: an agent that ignores a cancel is stopped by withdrawing the prompt itself", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  await talk.send("scenario never-ending-cancel");
  await talk.untilAnswer("This turn ignores cancel.");
  await talk.cancel();
  await talk.cancel();
  await talk.send("stream 2 words");
  await talk.untilTurnsEnded(2);
  const [ended] = talk.client.all("session:turn").filter(({ turn }) => turn.state === "idle");
  expect(ended?.turn.stopReason).toBe("cancelled");
  expect(talk.answer).toBe("This turn ignores cancel.w1 w2");
});

test.concurrent("X-19 a server that is killed and does not come back leaves no agent behind, however deaf", async () => {
  await using server = await startTestServer({
    agents: { deaf: guideWith("--scenario", "deaf-to-exit") },
    env: { LIMINAL_HOLD_MS: "100" },
  });
  const talk = await startTalk(server, "deaf");
  await talk.say("scenario spawn-children");
  await server.kill();
  expect(await server.processes.leftAfter(20_000)).toEqual([]);
  expect(readdirSync(join(server.dataDir, "held"))).toEqual([]);
});
