import { expect, test } from "bun:test";
import { startTestServer } from "../support/test-server.ts";
import { startTalk } from "./talk.ts";

const PAIRS = 200;
/** Large enough to keep the server busy while the next frames pile up in front of it. */
const BUSY_CHARS = 8_000_000;

test("an answer is not lost when the session is opened or closed between a command and its echo", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { sessionId } = talk;
  const client = await server.connect();
  client.sendRaw(JSON.stringify({ type: "nothing", padding: "x".repeat(BUSY_CHARS) }));
  const ids = Array.from({ length: PAIRS }, (_, index) => [
    client.post({ type: "session:rename", sessionId, title: `Title ${index}` }),
    client.post({ type: "session:open", sessionId }),
    client.post({ type: "session:rename", sessionId, title: `Again ${index}` }),
    client.post({ type: "session:close", sessionId }),
  ]).flat();
  await client.until("every answer", () => ids.every((id) => client.answersTo(id).length > 0));
  expect(ids.map((id) => client.answersTo(id).length)).toEqual(ids.map(() => 1));
});
