import { afterAll, beforeAll, describe, expect, it, test } from "bun:test";
import { createHash, X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { z } from "zod";
import { readConfig } from "../../src/operations/config.ts";
import { DataDir } from "../../src/operations/data-dir.ts";
import { generateCertificate } from "../../src/operations/tls/generate-certificate.ts";
import { prepareTls } from "../../src/operations/tls/prepare-tls.ts";
import { entriesOf } from "../../src/protocol/fold-message.ts";
import { PROMPT_CHARS_MAX } from "../../src/protocol/limits.ts";
import { FactMessage, PlainServerMessage } from "../../src/protocol/server-messages.ts";
import { rawHttp, UPGRADE } from "../integration/raw-http.ts";
import { FoldedSessions } from "../support/folded-sessions.ts";
import { CAN_RUN_POSTGRES, POSTGRES, PostgresServer } from "../support/postgres-server.ts";
import { tempDir } from "../support/temp-dir.ts";
import type { TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { Team } from "./team.ts";

const TEST_MS_MAX = 240_000;
const MIB = 1024 * 1024;
/** What a standby keeps for a slow side, and what systems keep in the buffers of its connections at most. */
const MORE_THAN_KEPT = 40;
/** One caller may read fewer streams at the same time. */
const MORE_THAN_STREAMS = 55;
const WEBSOCKET_ID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

let database: PostgresServer;
let team: Team;

/** Where the others reach a server of the team is another place now. It is put back at the end. */
async function withWorkerAt<Seen>(origin: string, look: () => Promise<Seen>): Promise<Seen> {
  const { origin: before } = await team.worker();
  const put = (address: string) =>
    database.ask(
      team.database,
      `UPDATE replica SET origin = '${address}' WHERE id = (SELECT replica_id FROM owner WHERE name IS NOT NULL)`,
    );
  await put(origin);
  try {
    return await look();
  } finally {
    await put(before);
    await untilPassed(await team.standby());
  }
}

/** It passes requests on to the server that works. */
async function untilPassed(standby: TestServer): Promise<void> {
  await waitFor(
    async () => (await standby.fetch("/api/v1/projects")).status,
    (status) => status === 200,
    "a request that is passed on",
  );
}

/** It takes connections and never answers, as a server that was stopped. It may open sockets, and read nothing. */
function frozenServer({ opensSockets = false } = {}) {
  let arrived = Promise.withResolvers<void>();
  const listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket, bytes) {
        arrived.resolve();
        arrived = Promise.withResolvers();
        const key = /^sec-websocket-key: *(\S+)/im.exec(bytes.toString("latin1"))?.[1];
        if (!opensSockets || key === undefined) return;
        const accept = createHash("sha1").update(`${key}${WEBSOCKET_ID}`).digest("base64");
        const lines = ["101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"];
        socket.write(`HTTP/1.1 ${lines.join("\r\n")}\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
        socket.pause();
      },
    },
  });
  return {
    origin: `http://127.0.0.1:${listener.port}`,
    /** Asks until it is this server that was asked, and no longer another one. */
    async reached<Answer>(ask: () => Promise<Answer>): Promise<{ readonly answer: Promise<Answer> }> {
      const found = await waitFor(
        async () => {
          const here = arrived.promise;
          const answer = ask();
          const isHere = await Promise.race([here.then(() => true), answer.then(() => false)]);
          return isHere ? { answer } : null;
        },
        (one) => one !== null,
        "a request at this server",
      );
      if (found === null) throw new Error("a request");
      return found;
    },
    [Symbol.dispose]: () => listener.stop(true),
  };
}

/** A socket of ours as Bun has it: it can stop to read. */
function openSocket(server: TestServer, options: object = {}): Bun.WebSocket {
  const address = `${server.origin.replace("http", "ws")}/ws?token=${server.token}`;
  const socket: unknown = Reflect.construct(WebSocket, [address, options]);
  if (!isSocket(socket)) throw new Error("a socket");
  return socket;
}

function untilClosed(socket: Bun.WebSocket): Promise<number> {
  return new Promise((resolve) => {
    socket.addEventListener("close", ({ code }) => resolve(code));
  });
}

async function untilOpen(server: TestServer): Promise<Bun.WebSocket> {
  const socket = openSocket(server);
  await new Promise((resolve) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("close", resolve);
  });
  return socket;
}

function isSocket(value: unknown): value is Bun.WebSocket {
  return value instanceof WebSocket;
}

function parse(data: unknown) {
  const raw: unknown = JSON.parse(String(data));
  return FactMessage.safeParse(raw).data ?? PlainServerMessage.parse(raw);
}

function streamOf(text: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes.slice(at, at + 100_000));
      at += 100_000;
      if (at >= bytes.length) controller.close();
    },
  });
}

const Document = z.looseObject({ entries: z.array(z.looseObject({ type: z.string() })) });

describe.skipIf(!CAN_RUN_POSTGRES)(`what a standby server forwards, on ${POSTGRES}`, () => {
  beforeAll(async () => {
    database = await PostgresServer.start();
    team = await Team.start(database);
  }, TEST_MS_MAX);
  afterAll(async () => {
    await team[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  }, TEST_MS_MAX);

  it(
    "bodies arrive whole: JSON, a form, an upload of several megabytes, and one of unknown length",
    async () => {
      const [worker, standby] = [await team.worker(), await team.standby()];
      const talk = await team.talk(standby);
      const headers = { Authorization: `Bearer ${standby.token}`, "Content-Type": "application/json" };
      const messages = `/api/v1/sessions/${encodeURIComponent(talk.sessionId)}/messages`;
      const sent = await standby.fetch(messages, {
        method: "POST",
        headers,
        body: JSON.stringify({ content: "stream 3 words" }),
      });
      expect(sent.status).toBe(200);
      await talk.untilTurnsEnded(1);
      expect(talk.answer).toBe("w1 w2 w3");
      // A form is read only if its length is known.
      const form = new URLSearchParams({ token: standby.token });
      const signedIn = await standby.fetch("/sign-in", { method: "POST", headers: {}, body: form });
      expect([signedIn.status, signedIn.headers.has("set-cookie")]).toEqual([303, true]);

      const exported = `/api/export?format=json&sessionId=`;
      const document = await (await worker.fetch(`${exported}${encodeURIComponent(talk.sessionId)}`)).text();
      const long = "ß".repeat(3 * MIB);
      const text = document.replace("w1 w2 w3", long);
      expect(text).toContain(long);
      const upload = (body: BodyInit) =>
        standby.fetch(`/api/import?copy=1&projectId=${encodeURIComponent(talk.projectId)}`, { method: "POST", body });
      for (const body of [text, streamOf(text)]) {
        const imported = await upload(body);
        expect(imported.status).toBe(201);
        const { session } = z.object({ session: z.object({ id: z.string() }) }).parse(await imported.json());
        const back = await standby.fetch(`${exported}${encodeURIComponent(session.id)}`);
        const { entries } = Document.parse(await back.json());
        expect(entries.find(({ type }) => type === "assistant")?.["content"] === long).toBe(true);
      }
      // Refused before it is read.
      for (const body of [text, streamOf(text)]) {
        const refused = await standby.fetch("/api/import?projectId=x", {
          method: "POST",
          body,
          headers: { Authorization: "Bearer wrong" },
        });
        expect(refused.status).toBe(401);
        expect(await refused.text()).not.toBe("");
      }
    },
    TEST_MS_MAX,
  );

  it(
    "events of a session come as they happen, and end with the reader",
    async () => {
      const standby = await team.standby();
      const talk = await team.talk(await team.worker());
      const path = `/api/v1/sessions/${encodeURIComponent(talk.sessionId)}/events`;
      const answer = await standby.fetch(path);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
      if (!answer.body) throw new Error("a body");
      const events = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      const until = async (part: string) => {
        while (!text.includes(part)) {
          const { done, value } = await events.read();
          if (done) throw new Error(`the events ended: ${text}`);
          text += value;
        }
      };
      // Each is waited for before the next is said. Some come in a fresh history.
      for (const words of [1, 2, 3]) {
        await talk.say(`stream ${words} words`);
        await until(`w${words}`);
      }
      await events.cancel();
      // Those that were left count no more.
      for (let nth = 0; nth < MORE_THAN_STREAMS; nth += 1) {
        const again = await waitFor(
          () => standby.fetch(path),
          ({ status }) => status === 200,
          "one more stream",
        );
        await again.body?.cancel();
      }
    },
    TEST_MS_MAX,
  );

  it(
    "a client that does not read for long is waited for, and then gets all",
    async () => {
      const [worker, standby] = [await team.worker(), await team.standby()];
      const talk = await team.talk(worker);
      const { sessionId } = talk;
      const socket = openSocket(standby);
      const violations: string[] = [];
      const sessions = new FoldedSessions(undefined, (violation) => violations.push(violation));
      const followed = Promise.withResolvers<void>();
      socket.addEventListener("message", ({ data }) => {
        const message = parse(data);
        if (message.type === "hello") socket.send(JSON.stringify({ type: "session:open", requestId: "1", sessionId }));
        sessions.fold(message, message.requestId !== undefined, undefined);
        if (message.type === "session:history") followed.resolve();
      });
      await followed.promise;
      expect(socket.pause()).toBe(true);
      for (let nth = 0; nth < MORE_THAN_KEPT; nth += 1) await talk.say(`${nth}`.padEnd(PROMPT_CHARS_MAX, "."));
      expect(socket.resume()).toBe(true);
      await waitFor(
        () => socket.readyState !== WebSocket.OPEN || sessions.state(sessionId).seq === talk.state.seq,
        (isOver) => isOver,
        "all that was said",
      );
      expect(socket.readyState).toBe(WebSocket.OPEN);
      expect([...entriesOf(sessions.state(sessionId))]).toEqual(talk.entries);
      expect(violations).toEqual([]);
      socket.close();
    },
    TEST_MS_MAX,
  );

  it(
    "a client that sends more than the server that works reads is cut off, and told to come again",
    async () => {
      using frozen = frozenServer({ opensSockets: true });
      const standby = await team.standby();
      await withWorkerAt(frozen.origin, async () => {
        const { answer } = await frozen.reached(() => untilOpen(standby));
        const socket = await answer;
        const closed = untilClosed(socket);
        for (let sent = 0; sent < MORE_THAN_KEPT && socket.readyState === WebSocket.OPEN; sent += 1) {
          socket.send(new Uint8Array(MIB));
          await waitFor(
            () => socket.bufferedAmount === 0 || socket.readyState !== WebSocket.OPEN,
            (isSent) => isSent,
            "the frame to be sent",
          );
        }
        expect(await closed).toBe(1013);
      });
    },
    TEST_MS_MAX,
  );

  it(
    "what was asked of a server that stands still is answered when another one works, sockets too",
    async () => {
      using frozen = frozenServer();
      const standby = await team.standby();
      const headers = { Authorization: `Bearer ${standby.token}` };
      const asked = await withWorkerAt(frozen.origin, async () => {
        const socket = await frozen.reached(() =>
          rawHttp(standby.port, { path: "/ws", headers: { ...headers, ...UPGRADE } }),
        );
        const request = await frozen.reached(() => rawHttp(standby.port, { path: "/api/v1/projects", headers }));
        return { answers: [socket.answer, request.answer] };
      });
      const answers = await Promise.all(asked.answers);
      expect(answers.map(({ status }) => status)).toEqual([503, 503]);
    },
    TEST_MS_MAX,
  );

  it(
    "a refused socket gets the answer of the server that works",
    async () => {
      const refused = await rawHttp((await team.standby()).port, { path: "/ws?token=wrong", headers: UPGRADE });
      expect(refused.status).toBe(401);
      expect(refused.body).toContain("token");
    },
    TEST_MS_MAX,
  );

  it(
    "a request goes to one other server at most, and the answer says what to set where it came back",
    async () => {
      const [worker, standby] = [await team.worker(), await team.standby()];
      const passed = { Authorization: `Bearer ${standby.token}`, "X-Liminal-Passed": "1" };
      // A client that says so itself is refused; the server that works does not mind.
      expect((await standby.fetch("/api/v1/projects", { headers: passed })).status).toBe(508);
      expect((await worker.fetch("/api/v1/projects", { headers: passed })).status).toBe(200);
      await withWorkerAt(standby.origin, async () => {
        const answer = await waitFor(
          () => standby.fetch("/healthz"),
          ({ status }) => status === 508,
          "a request that came back",
        );
        expect(await answer.text()).toContain("LIMINAL_REPLICA_HOST");
        const socket = await rawHttp(standby.port, { path: `/ws?token=${standby.token}`, headers: UPGRADE });
        expect(socket.status).toBe(508);
        expect(socket.body).toContain("LIMINAL_REPLICA_HOST");
      });
    },
    TEST_MS_MAX,
  );

  it(
    "over TLS it is the certificate that counts, whatever names it has",
    async () => {
      await using dir = await tempDir();
      const { cert, key } = await generateCertificate(["build.example"], Date.now());
      const env = { LIMINAL_TLS_CERT: dir.join("cert.pem"), LIMINAL_TLS_KEY: dir.join("key.pem") };
      writeFileSync(env.LIMINAL_TLS_CERT, cert);
      writeFileSync(env.LIMINAL_TLS_KEY, key);
      await using other = await Team.start(database, { env });
      const standby = await other.standby();
      const tls = { rejectUnauthorized: false };
      const headers = { Authorization: `Bearer ${standby.token}` };
      expect(standby.origin).toStartWith("https://");
      expect((await fetch(`${standby.origin}/api/v1/projects`, { headers, tls })).status).toBe(200);
      const socket = openSocket(standby, { tls });
      const greeting = await new Promise((resolve) => {
        socket.addEventListener("message", ({ data }) => resolve(parse(data).type));
        socket.addEventListener("close", ({ code }) => resolve(code));
      });
      expect(greeting).toBe("hello");
      socket.close();
    },
    TEST_MS_MAX,
  );
});

test("X-16 a generated certificate has the name at which the others of the team reach this server", async () => {
  for (const name of ["replica-1", "[fd00::7]"]) {
    await using dir = await tempDir();
    const env = {
      HOME: dir.path,
      LIMINAL_DATA_DIR: dir.join("data"),
      LIMINAL_DATABASE_URL: "postgres://me@127.0.0.1/x",
      LIMINAL_REPLICA_HOST: name,
      LIMINAL_TLS: "on",
      LIMINAL_TOKEN: "a-token-that-all-servers-of-the-team-share",
    };
    const certificate = await prepareTls(readConfig(env, []), new DataDir(env.LIMINAL_DATA_DIR), Date.now());
    const leaf = new X509Certificate(certificate?.leaf ?? "");
    expect(leaf.checkHost("replica-1") ?? leaf.checkIP("fd00::7")).toBeDefined();
  }
});
