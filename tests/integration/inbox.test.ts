import { expect, test } from "bun:test";
import { startTestServer } from "../support/test-server.ts";
import { anotherTalk, startTalk } from "./talk.ts";

test("X-22 a client that has just connected gets the open requests and the activity of every session", async () => {
  await using server = await startTestServer();
  const asking = await startTalk(server);
  const running = await anotherTalk(asking.client, asking.projectId);
  const questioning = await anotherTalk(asking.client, asking.projectId);
  const idle = await anotherTalk(asking.client, asking.projectId);
  await asking.send("run echo permitted");
  const permission = await asking.asked();
  await questioning.send("ask");
  const question = await questioning.questioned();
  await running.send("run sleep 1000");
  await running.asked();
  await running.answerWith("allow-once");
  await running.until("its command to run", ({ turn, pending }) => turn.state === "running" && pending.length === 0);

  const newcomer = await server.connect();
  const { items } = await newcomer.ask("inbox", { type: "inbox:list" });
  const of = (id: string) => items.find(({ sessionId }) => sessionId === id);
  expect(of(asking.sessionId)?.pending).toEqual([permission]);
  expect(of(questioning.sessionId)?.pending).toEqual([question]);
  expect(of(running.sessionId)?.pending).toEqual([]);
  expect(of(running.sessionId)?.tool?.input).toMatchObject({ command: "sleep 1000" });
  expect(of(idle.sessionId)).toBeUndefined();

  const { permissionId } = permission;
  const { sessionId } = asking;
  await newcomer.ask("permission:resolved", {
    ...{ type: "permission:respond", sessionId, permissionId },
    optionId: "reject-once",
  });
  await asking.untilIdle();
  const later = await newcomer.ask("inbox", { type: "inbox:list" });
  expect(later.items.map((item) => item.sessionId).toSorted()).toEqual(
    [questioning.sessionId, running.sessionId].toSorted(),
  );
  await running.cancel();
  await running.untilIdle();
});
