import { describe, expect, it } from "bun:test";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { DialLine, RECORD } from "./dial-line.ts";

/** Two ends of a connection on this machine. */
async function pair(): Promise<{ one: Socket; other: Socket } & Disposable> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const accepted = once(server, "connection");
  const one = connect((server.address() as AddressInfo).port, "127.0.0.1");
  await once(one, "connect");
  const [other]: Socket[] = await accepted;
  if (!other) throw new Error("nobody has connected");
  const end = () => {
    one.destroy();
    other.destroy();
    server.close();
  };
  return { one, other, [Symbol.dispose]: end };
}

/** Everything that comes over a line, and why it ended. */
function heard(socket: Socket, options: ConstructorParameters<typeof DialLine>[2] = {}) {
  const records: (readonly [number, string])[] = [];
  const closed = Promise.withResolvers<string>();
  const line = new DialLine(
    socket,
    {
      onRecord: (kind, bytes) => void records.push([kind, new TextDecoder().decode(bytes)]),
      onClosed: closed.resolve,
    },
    { isSilent: true, ...options },
  );
  return { line, records, closed: closed.promise };
}

describe("[SC-37] a connection that was dialled in", () => {
  it("carries records of any length, also in pieces, and what was sent before its end", async () => {
    using ends = await pair();
    const there = heard(ends.other);
    const here = heard(ends.one);
    const long = "x".repeat(600_000);
    here.line.send(RECORD.bytes, new TextEncoder().encode(long));
    here.line.sendJson(RECORD.over, { message: "why" });
    here.line.end();
    await there.closed;
    expect(there.records.map(([, text]) => text).join("")).toBe(`${long}{"message":"why"}`);
    expect(there.records.at(-1)?.[0]).toBe(RECORD.over);
    expect(here.line.send(RECORD.bytes)).toBe(false);
  });

  it("ends when the other side says nothing any more, and not while it does", async () => {
    using ends = await pair();
    const dead = heard(ends.one, { isSilent: false, aliveMs: 5 });
    // It reads, and has no word.
    ends.other.resume();
    expect(await dead.closed).toBe("it has been silent for too long");

    using living = await pair();
    const [here, there] = [living.one, living.other].map((end) => heard(end, { isSilent: false, aliveMs: 200 }));
    const signs = 10;
    while ((here?.records.length ?? 0) < signs) await once(living.one, "data");
    expect(here?.records).toEqual(Array.from({ length: here?.records.length ?? 0 }, () => [RECORD.alive, ""]));
    there?.line.end();
    expect(await here?.closed).toBe("");
  });

  it("reads nothing while there is no room, and does not take that for silence", async () => {
    using ends = await pair();
    const room = Promise.withResolvers<void>();
    const got: number[] = [];
    const closed = Promise.withResolvers<string>();
    const reader = new DialLine(
      ends.other,
      {
        onRecord: (kind, bytes) => {
          got.push(bytes.byteLength);
          return kind === RECORD.bytes && got.length === 1 ? room.promise : null;
        },
        onClosed: closed.resolve,
      },
      { aliveMs: 100 },
    );
    const { line, records } = heard(ends.one);
    const piece = new Uint8Array(256 * 1024);
    let sent = 0;
    // Until nothing more leaves, because the other side does not read, and would have missed more than enough signs.
    while (ends.one.writableLength < 16 * piece.byteLength || records.length < 8) {
      if (ends.one.writableLength < 16 * piece.byteLength) {
        line.send(RECORD.bytes, piece);
        sent++;
      }
      await new Promise(setImmediate);
    }
    expect(got).toHaveLength(1);
    room.resolve();
    await line.drained();
    line.end();
    await closed.promise;
    expect(got).toHaveLength(sent);
    expect(reader.send(RECORD.alive)).toBe(false);
  });

  it.each([
    ["of a kind that is not known", new Uint8Array([99, 0, 0, 0, 0])],
    ["that is too long", new Uint8Array([RECORD.bytes, 0, 0, 0, 255])],
  ])("ends at a record %s", async (_, bytes) => {
    using ends = await pair();
    const { closed, records } = heard(ends.other);
    ends.one.write(bytes);
    expect(await closed).toBe("it sent what is not in the contract");
    expect(records).toEqual([]);
  });
});
