import { describe, expect, it } from "bun:test";
import { SESSION } from "../../tests/core/names.ts";
import type { Fact, FactBody } from "../protocol/facts.ts";
import { SessionId } from "../protocol/ids.ts";
import type { PlainServerMessage } from "../protocol/server-messages.ts";
import { type Broadcast, Hub } from "./hub.ts";

const OTHER = SessionId.parse("builtin:session-2");
const MESSAGE: PlainServerMessage = { type: "project:list", projects: [] };

function fact(body: FactBody, seq = 1): Fact {
  return { ...body, sessionId: SESSION, seq };
}

/** The hub delivers in the next turn of the event loop. */
function delivered(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe("Hub", () => {
  it("wakes the followers of a session once for a burst, and no others", async () => {
    const hub = new Hub();
    const woken: string[] = [];
    hub.follow(SESSION, () => woken.push("one"));
    hub.follow(SESSION, () => woken.push("two"));
    hub.follow(OTHER, () => woken.push("other"));
    hub.committed(SESSION, [fact({ type: "session:raw", update: 1 })]);
    hub.committed(SESSION, [fact({ type: "session:raw", update: 2 }, 2)]);
    expect(woken).toEqual([]);
    await delivered();
    expect(woken).toEqual(["one", "two"]);
  });

  it("a follower that left is not woken, and another can take its place", async () => {
    const hub = new Hub();
    const woken: string[] = [];
    const first = hub.follow(SESSION, () => woken.push("first"));
    first[Symbol.dispose]();
    hub.follow(SESSION, () => woken.push("second"));
    first[Symbol.dispose]();
    hub.committed(SESSION, []);
    await delivered();
    expect(woken).toEqual(["second"]);
  });

  it("sends global facts to every listener in order, and other facts only to followers", async () => {
    const hub = new Hub();
    const heard: Broadcast[][] = [[], []];
    for (const inbox of heard) hub.listen((batch) => inbox.push(...batch));
    const idle = fact({ type: "session:turn", turn: { state: "idle" } }, 2);
    hub.publish(MESSAGE);
    hub.committed(SESSION, [fact({ type: "session:queue", items: [], paused: false }), idle]);
    await delivered();
    const expected: Broadcast[] = [
      { kind: "message", message: MESSAGE, json: JSON.stringify(MESSAGE) },
      { kind: "fact", fact: idle, json: JSON.stringify(idle) },
    ];
    expect(heard).toEqual([expected, expected]);
  });

  it("reports an audience from the first client to the last; internal listeners do not count", () => {
    const audience: boolean[] = [];
    const hub = new Hub((isAny) => audience.push(isAny));
    hub.onBroadcast(() => undefined);
    const clients = [hub.listen(() => undefined), hub.listen(() => undefined)];
    expect(audience).toEqual([true]);
    for (const client of [...clients, ...clients]) client[Symbol.dispose]();
    expect(audience).toEqual([true, false]);
  });

  it("wakes followers before it notifies listeners: a follower reads a fact from the log first", async () => {
    const hub = new Hub();
    const order: string[] = [];
    hub.listen(() => order.push("listener"));
    hub.follow(SESSION, () => order.push("follower"));
    hub.committed(SESSION, [fact({ type: "session:archived" })]);
    await delivered();
    expect(order).toEqual(["follower", "listener"]);
  });

  it("messages published during delivery are delivered next, not lost", async () => {
    const hub = new Hub();
    const heard: string[] = [];
    hub.listen((batch) => {
      heard.push(...batch.map(({ json }) => json));
      if (heard.length === 1) hub.publish(MESSAGE);
    });
    hub.publish(MESSAGE);
    await delivered();
    await delivered();
    expect(heard).toHaveLength(2);
  });
});
