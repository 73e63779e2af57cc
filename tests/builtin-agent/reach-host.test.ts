import { afterAll, beforeAll, expect, test } from "bun:test";
import { createServer, type Server } from "node:http";
import { z } from "zod";
import { reachHost } from "../../builtin-agent/tools/reach-host.ts";

const Address = z.object({ port: z.int() });
let server: Server;
let port = 0;
const heard: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    heard.push(`${request.headers.host} ${request.url}`);
    response.end("here");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ({ port } = Address.parse(server.address()));
});

afterAll(() => server.close());

test("O-11 a name is resolved once: what was looked at is what is connected to, with the name in the request", async () => {
  const url = new URL(`http://rebound.example:${port}/page`);
  const answers = [["127.0.0.1"], ["127.0.0.99"]];
  let asked = 0;
  const host = await reachHost(url, async () => answers[asked++] ?? []);
  expect(host.isPrivate).toBe(true);
  for (const _time of [1, 2]) {
    const response = await host.get(url, AbortSignal.timeout(30_000));
    expect(await Array.fromAsync(response, String)).toEqual(["here"]);
  }
  expect(asked).toBe(1);
  expect(heard.splice(0)).toEqual([`rebound.example:${port} /page`, `rebound.example:${port} /page`]);
});

test("O-11 a name that was public when it was looked at never leads to this machine", async () => {
  const url = new URL(`http://rebound.example:${port}/secret`);
  // In a network for documentation: no host answers there.
  const answers = [["192.0.2.1"], ["127.0.0.1"]];
  let asked = 0;
  const host = await reachHost(url, async () => answers[asked++] ?? []);
  expect(host.isPrivate).toBe(false);
  const giveUp = new AbortController();
  const answer = host.get(url, giveUp.signal).then(
    () => "answered",
    () => "not reached",
  );
  const pending = Symbol("pending");
  // The server on this machine would have answered by the time it answers this.
  await (await fetch(`http://127.0.0.1:${port}/other`)).text();
  expect(["not reached", pending]).toContain(await Promise.race([answer, Promise.resolve(pending)]));
  giveUp.abort();
  expect(await answer).toBe("not reached");
  expect([asked, heard.splice(0)]).toEqual([1, [`127.0.0.1:${port} /other`]]);
});

test.each(["127.0.0.1", "10.1.2.3", "169.254.169.254", "[::1]", "[::ffff:127.0.0.1]", "[fd00::1]"])(
  "O-11 %s is of this machine or network",
  async (host) => {
    expect((await reachHost(new URL(`http://${host}/`))).isPrivate).toBe(true);
  },
);

test("O-11 one private address among public ones makes the name private; public ones alone do not", async () => {
  const url = new URL(`http://mixed.example:${port}/`);
  const host = await reachHost(url, async () => ["127.0.0.1", "8.8.8.8"]);
  expect(host.isPrivate).toBe(true);
  expect((await reachHost(url, async () => ["8.8.8.8", "2001:4860:4860::8888"])).isPrivate).toBe(false);
});
