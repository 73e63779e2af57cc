import { describe, expect, it, test } from "bun:test";
import {
  connectTo,
  history,
  ScriptedServer,
  SESSION,
  StillClock,
  say,
  titled,
} from "../../tests/client/socket-scene.ts";
import { RefusalError } from "../protocol/errors.ts";
import { CommandId, ProjectId } from "../protocol/ids.ts";
import { Connection, type ConnectionPhase, parseServerMessage } from "./connection.ts";
import { ConnectionClosedError } from "./pending-requests.ts";
import { SessionFeed } from "./session-feed.ts";

const PROJECT = ProjectId.parse("p1");

async function scene() {
  const server = new ScriptedServer().start();
  const clock = new StillClock();
  const client = connectTo(server, clock);
  const socket = await server.sockets.next();
  await client.reached("open");
  return {
    server,
    clock,
    ...client,
    socket,
    async [Symbol.asyncDispose]() {
      client.connection.close();
      await server.stop();
    },
  };
}

describe("Connection requests", () => {
  it("resolves with the answer that repeats the request id", async () => {
    await using at = await scene();
    const answer = at.connection.request({ type: "project:list" });
    const asked = await at.server.frames.next();
    say(at.socket, { type: "project:list", requestId: "another", projects: [] } as const);
    say(at.socket, { type: "project:list", requestId: asked.requestId, projects: [] } as const);
    expect(await answer).toEqual({ type: "project:list", requestId: asked.requestId, projects: [] });
    expect(at.messages.map(({ type }) => type)).toEqual(["hello", "project:list", "project:list"]);
  });

  it("rejects with the refusal's code and message", async () => {
    await using at = await scene();
    const answer = at.connection.request({ type: "project:add", path: "/nowhere" });
    const { requestId } = await at.server.frames.next();
    say(at.socket, { type: "error", requestId, code: "PROJECT_PATH_INVALID", message: "No.", details: "why" } as const);
    const error = await answer.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RefusalError);
    expect(error).toMatchObject({ refusal: { code: "PROJECT_PATH_INVALID", message: "No.", details: "why" } });
  });

  it("gives every command its own id, keeps a given one, and gives queries none", async () => {
    await using at = await scene();
    const asked = [
      at.connection.request({ type: "session:cancel", sessionId: SESSION }),
      at.connection.request({ type: "session:cancel", sessionId: SESSION, commandId: CommandId.parse("mine") }),
      at.connection.request({ type: "session:list", projectId: PROJECT }),
    ];
    const frames = [await at.server.frames.next(), await at.server.frames.next(), await at.server.frames.next()];
    expect(frames.map(({ commandId }) => String(commandId))).toEqual(["command-1", "mine", "undefined"]);
    for (const { requestId } of frames) say(at.socket, { type: "ok", requestId } as const);
    await Promise.all(asked);
  });

  it("repeats unanswered commands of a lost socket under the same command id, and no answered ones", async () => {
    await using at = await scene();
    const answered = at.connection.request({ type: "session:send", sessionId: SESSION, content: "first" });
    say(at.socket, { type: "ok", requestId: (await at.server.frames.next()).requestId } as const);
    await answered;
    const open = at.connection.request({ type: "session:send", sessionId: SESSION, content: "second" });
    const before = await at.server.frames.next();
    at.socket.terminate();
    const next = await at.server.sockets.next();
    const again = await at.server.frames.next();
    expect(again).toEqual(before);
    say(next, { type: "ok", requestId: again.requestId } as const);
    expect((await open).type).toBe("ok");
    expect(at.server.frames.waiting).toBe(0);
  });

  it("holds a request made without a socket until there is one", async () => {
    await using at = await scene();
    at.socket.terminate();
    const next = at.server.sockets.next();
    await at.reached("connecting");
    const answer = at.connection.request({ type: "agent:list" });
    say(await next, { type: "agent:list", requestId: (await at.server.frames.next()).requestId, agents: [] } as const);
    expect((await answer).type).toBe("agent:list");
  });

  it("rejects open and later requests when it is closed for good", async () => {
    await using at = await scene();
    const open = at.connection.request({ type: "agent:list" });
    at.connection.close();
    expect(await open.catch((reason: unknown) => reason)).toBeInstanceOf(ConnectionClosedError);
    const late = at.connection.request({ type: "agent:list" });
    expect(await late.catch((reason: unknown) => reason)).toBeInstanceOf(ConnectionClosedError);
    expect(at.connection.phase).toEqual({ phase: "closed" });
    expect(at.clock.set).toEqual([]);
  });
});

describe("Connection frames", () => {
  it("skips and counts unknown messages of a newer server, and continues", async () => {
    await using at = await scene();
    const answer = at.connection.request({ type: "project:list" });
    const { requestId } = await at.server.frames.next();
    say(at.socket, { type: "weather:changed" });
    at.socket.send("not json");
    say(at.socket, { type: "project:added" });
    say(at.socket, { type: "project:list", requestId, projects: [] } as const);
    await answer;
    expect(at.connection.skipped).toEqual({ unknown: 1, invalid: 2 });
  });
});

describe("Connection follows", () => {
  it("opens a session again after the last received fact, and ends in the same state as without the interruption", async () => {
    await using at = await scene();
    using feed = new SessionFeed({ connection: at.connection, sessionId: SESSION });
    const opened = await at.server.frames.next();
    expect(opened).toEqual({ type: "session:open", requestId: "r1", sessionId: SESSION });
    say(at.socket, history(3, opened.requestId));
    say(at.socket, titled(5, "five"));
    at.socket.close();
    const next = await at.server.sockets.next();
    const again = await at.server.frames.next();
    expect(again).toEqual({ type: "session:open", requestId: "r2", sessionId: SESSION, after: 5 });
    // Titles are broadcast: one that arrives before the answer has a gap before it, and must not hide it.
    say(next, titled(7, "seven, heard early"));
    say(next, { ...history(7, again.requestId), type: "session:resumed" });
    say(next, titled(6, "six"));
    say(next, titled(7, "seven"));
    say(next, titled(7, "seven, heard twice"));
    await settledBy(at, next);
    expect(feed.state).toMatchObject({ seq: 7, title: "seven" });
  });

  it("resumes from the last fact, not from the position a resume promised, if the socket drops in between", async () => {
    await using at = await scene();
    using _feed = new SessionFeed({ connection: at.connection, sessionId: SESSION });
    say(at.socket, history(3, (await at.server.frames.next()).requestId));
    at.socket.close();
    const second = await at.server.sockets.next();
    say(second, { ...history(9, (await at.server.frames.next()).requestId), type: "session:resumed" });
    second.close();
    await at.server.sockets.next();
    expect(await at.server.frames.next()).toMatchObject({ type: "session:open", after: 3 });
  });

  it("a fresh history replaces the known one, even if less was requested", async () => {
    await using at = await scene();
    using feed = new SessionFeed({ connection: at.connection, sessionId: SESSION });
    say(at.socket, history(9, (await at.server.frames.next()).requestId, "old"));
    at.socket.close();
    const next = await at.server.sockets.next();
    say(next, history(4, (await at.server.frames.next()).requestId, "fresh"));
    say(next, titled(5, "five"));
    await settledBy(at, next);
    expect(feed.state).toMatchObject({ seq: 5, title: "five" });
  });

  it("requests the configured number of newest entries on every socket (D14)", async () => {
    await using at = await scene();
    at.connection.follow(SESSION, () => undefined, 60);
    const { requestId, ...first } = await at.server.frames.next();
    expect(first).toEqual({ type: "session:open", sessionId: SESSION, limit: 60 });
    say(at.socket, history(9, requestId));
    at.socket.close();
    await at.server.sockets.next();
    expect(await at.server.frames.next()).toMatchObject({ after: 9, limit: 60 });
  });

  it("stops receiving a session it no longer follows, and notifies the server", async () => {
    await using at = await scene();
    const heard: string[] = [];
    const unfollow = at.connection.follow(SESSION, (message) => heard.push(message.type));
    const { requestId } = await at.server.frames.next();
    unfollow();
    expect(await at.server.frames.next()).toEqual({ type: "session:close", sessionId: SESSION });
    say(at.socket, history(1, requestId));
    await settledBy(at, at.socket);
    expect(heard).toEqual([]);
  });

  it("notifies the follower if the session cannot be opened", async () => {
    await using at = await scene();
    const refused = Promise.withResolvers<string>();
    using _feed = new SessionFeed({
      connection: at.connection,
      sessionId: SESSION,
      onRefused: ({ code }) => refused.resolve(code),
    });
    const { requestId } = await at.server.frames.next();
    say(at.socket, { type: "error", requestId, code: "SESSION_NOT_FOUND", message: "Session not found." } as const);
    expect(await refused.promise).toBe("SESSION_NOT_FOUND");
  });
});

describe("Connection retries", () => {
  it("retries at once, then after 0.5, 1, 2, 4, 5 and 5 s, without end", async () => {
    await using at = await scene();
    await at.server.stop();
    const waits: number[] = [];
    for (let tries = 0; tries < 6; tries++) {
      await at.reached("waiting-to-retry");
      const waitMs = at.clock.set[0] ?? 0;
      waits.push(waitMs);
      at.clock.ring(waitMs);
    }
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 5_000, 5_000]);
  });

  it("randomly shortens a wait by up to a quarter", async () => {
    await using server = new ScriptedServer().start();
    await server.stop();
    const clock = new StillClock();
    const { connection, reached } = connectTo(server, clock, { random: () => 0.8, now: () => 1_000 });
    using _connection = connection;
    const waiting: ConnectionPhase = { phase: "waiting-to-retry", failedTries: 1, retryAt: 1_400 };
    expect(await reached("waiting-to-retry")).toEqual(waiting);
    expect(clock.set).toEqual([400]);
  });

  it("counts a socket that opens and closes without a message as a failed try", async () => {
    await using server = new ScriptedServer().start();
    server.greets = false;
    const clock = new StillClock();
    const { connection, reached } = connectTo(server, clock);
    using _connection = connection;
    (await server.sockets.next()).close();
    expect(await reached("waiting-to-retry")).toMatchObject({ failedTries: 1 });
  });

  it("retries at once when woken, and a wake while it is open does nothing", async () => {
    await using at = await scene();
    await at.server.stop();
    await at.reached("waiting-to-retry");
    at.server.start();
    at.connection.wake();
    await at.reached("open");
    at.connection.wake();
    expect(at.connection.phase).toEqual({ phase: "open" });
    expect(at.clock.set).toEqual([]);
  });

  it("probes once a second whether the server is back, and retries at once when it is", async () => {
    await using server = new ScriptedServer().start();
    await server.stop();
    const clock = new StillClock();
    const probes: PromiseWithResolvers<boolean>[] = [];
    const probe = () => {
      const asked = Promise.withResolvers<boolean>();
      probes.push(asked);
      return asked.promise;
    };
    const { connection, reached } = connectTo(server, clock, { probe });
    using _connection = connection;
    for (const waitMs of [500, 1_000]) {
      await reached("waiting-to-retry");
      clock.ring(waitMs);
    }
    await reached("waiting-to-retry");
    expect(clock.set).toEqual([1_000, 2_000]);
    clock.ring(1_000);
    probes[0]?.resolve(false);
    await Promise.resolve();
    await Promise.resolve();
    expect(clock.set).toEqual([1_000, 2_000]);
    server.start();
    clock.ring(1_000);
    probes[1]?.resolve(true);
    await reached("open");
  });

  it("aborts a try that hangs", async () => {
    const clock = new StillClock();
    await using server = new ScriptedServer().start();
    const silent = {
      binaryType: "blob",
      addEventListener: () => undefined,
      send: () => undefined,
      close: () => undefined,
    };
    const { connection, reached } = connectTo(server, clock, { openSocket: () => silent });
    using _connection = connection;
    clock.ring(10_000);
    expect(await reached("waiting-to-retry")).toMatchObject({ failedTries: 1 });
  });
});

/** Waits until everything sent on this socket so far was received: an answer follows it. */
async function settledBy(at: Awaited<ReturnType<typeof scene>>, socket: typeof at.socket): Promise<void> {
  const answer = at.connection.request({ type: "project:list" });
  say(socket, { type: "project:list", requestId: (await at.server.frames.next()).requestId, projects: [] } as const);
  await answer;
}

describe("Connection heartbeat", () => {
  it("pings a silent server, and reports that it does not answer until it does (B9)", async () => {
    await using server = new ScriptedServer().start();
    const clock = new StillClock();
    const silences: boolean[] = [];
    using connection = new Connection({
      url: server.url,
      world: clock.world(),
      onSilence: (isSilent) => silences.push(isSilent),
    });
    const socket = await server.sockets.next();
    const answer = connection.request({ type: "project:list" });
    const asked = await server.frames.next();
    clock.ring(3_000); // the greeting was received
    clock.ring(3_000);
    expect(await server.frames.next()).toMatchObject({ type: "ping" });
    expect(silences).toEqual([]);
    clock.ring(3_000);
    expect(silences).toEqual([true]);
    say(socket, { type: "project:list", requestId: asked.requestId, projects: [] } as const);
    await answer;
    expect(silences).toEqual([true, false]);
    connection.close();
    expect(clock.set).toEqual([]);
  });
});

test("W-9 a message nested deeper than can be read is invalid, and not an error", () => {
  const deep = "[".repeat(200_000) + "]".repeat(200_000);
  const frame = `{"type":"session:raw","sessionId":"builtin:one","seq":1,"update":${deep}}`;
  expect(parseServerMessage(frame)).toEqual({ kind: "invalid" });
  expect(parseServerMessage(frame.replace(deep, "[[1]]")).kind).toBe("message");
});
