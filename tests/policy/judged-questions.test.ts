import { describe, expect, test } from "bun:test";
import type { AgentEvent } from "../../src/ports/agents.ts";
import { isPermission } from "../../src/protocol/pending-request.ts";
import { permissionId } from "../core/names.ts";
import { openSession, type SessionScene } from "../core/session-scene.ts";
import { waitFor } from "../support/wait-for.ts";

const OPTIONS = [
  { optionId: "once", name: "Once", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

function asks(id: string, command: string): AgentEvent {
  const patch = { toolCallId: id, announced: true, name: command, kind: "execute", input: { command } };
  return { type: "permission-requested", permissionId: permissionId(id), patch, options: OPTIONS };
}

async function set(at: SessionScene, change: object): Promise<void> {
  await at.service.policy({ type: "policy:set", scope: "session", sessionId: at.sessionId, ...change });
}

const answers = (at: SessionScene) => at.agents.last.calls.filter((call) => call.startsWith("answer"));
const until = (at: SessionScene, count: number) =>
  waitFor(
    async () => {
      await at.service.flush();
      return answers(at);
    },
    (seen) => seen.length === count,
    `${count} answers`,
  );

describe("X-4 a question while the rules are looked at", () => {
  test("is answered cancelled when the user stops the turn in that moment", async () => {
    await using at = await openSession();
    await set(at, { mode: "all" });
    await at.say("go");
    at.agents.last.say(asks("p", "npm test"));
    await at.send({ type: "session:cancel" });
    await until(at, 1);
    expect(answers(at)).toEqual(["answer p cancelled"]);
    expect((await at.state()).pending).toEqual([]);
    expect(at.facts.map(({ type }) => type)).not.toContain("permission:request");
  });

  test("is not answered when the agent withdraws it or has ended", async () => {
    await using at = await openSession();
    await set(at, { rules: [{ effect: "allow", command: "ls" }] });
    await at.say("go");
    at.agents.last.say(asks("p", "npm test"), { type: "permission-withdrawn", permissionId: permissionId("p") });
    at.agents.last.say(asks("q", "npm test"), { type: "lost", reason: "gone", state: "crashed" });
    const gone = at.agents.last;
    await at.service.flush();
    await at.say("again");
    await waitFor(
      () => at.agents.attached.length,
      (count) => count === 2,
      "another agent",
    );
    at.agents.last.say(asks("r", "ls"));
    await until(at, 1);
    expect([answers(at), gone.calls]).toEqual([["answer r selected"], ["prompt go"]]);
    expect((await at.state()).pending).toEqual([]);
  });

  test("is answered cancelled when its turn has ended meanwhile", async () => {
    await using at = await openSession();
    await set(at, { mode: "edits" });
    await at.say("go");
    at.agents.last.say(asks("p", "npm test"));
    at.agents.last.endTurn();
    await until(at, 1);
    expect(answers(at)).toEqual(["answer p cancelled"]);
    expect(await at.state()).toMatchObject({ pending: [], turn: { state: "idle" } });
  });

  test("asked of the user, it is answered once: by the user or by a rule made since, whichever comes first", async () => {
    await using at = await openSession();
    await at.say("go");
    at.agents.last.say(asks("p", "npm test"), asks("q", "npm test"));
    await at.service.flush();
    expect((await at.state()).turn.state).toBe("waiting");
    await set(at, { mode: "all" });
    await at.send({ type: "permission:respond", permissionId: permissionId("p"), optionId: "no" });
    await until(at, 2);
    expect(answers(at).toSorted()).toEqual(["answer p selected", "answer q selected"]);
    const resolved = at.facts.flatMap((fact) =>
      fact.type === "permission:resolved" ? [[String(fact.permissionId), fact.by]] : [],
    );
    expect(resolved).toEqual([
      ["p", undefined],
      ["q", "policy"],
    ]);
    expect(await at.state()).toMatchObject({ pending: [], turn: { state: "running" } });
  });

  test("rules that cannot be read answer nothing: the user is asked, and the error is reported", async () => {
    await using at = await openSession();
    await set(at, { mode: "all" });
    at.store.db.exec("UPDATE policy_mode SET mode = 'of tomorrow'");
    await at.say("go");
    at.agents.last.say(asks("p", "npm test"));
    await at.service.flush();
    expect([(await at.state()).pending.length, answers(at), at.errors.length]).toEqual([1, [], 1]);
  });

  test("without a policy it is asked at once, with nothing between it and the user", async () => {
    await using at = await openSession();
    await at.say("go");
    at.agents.last.say(asks("p", "npm test"));
    await at.service.flush();
    expect((await at.state()).pending.filter(isPermission).map(({ offers }) => offers)).toEqual([
      [{ effect: "allow", command: "npm test" }],
    ]);
    expect(at.errors).toEqual([]);
  });
});
