import { describe, expect, it } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { cpSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { RECORD } from "../../src/places/dial-line.ts";
import { JOIN_TTL_MINUTES } from "../../src/places/join-links.ts";
import { issue, makeAuthority } from "../../src/places/runner-authority.ts";
import { COMMANDS_TIMEOUT_MS } from "../cli/liminal.ts";
import { bytesFor, joinedAt, RunnerProcess, record, Switchboard } from "../places/dialling.ts";
import { type Machine, machine } from "../places/machine.ts";
import { waitFor } from "../support/wait-for.ts";

const HOUR_MS = 3_600_000;
const YEAR_MS = 366 * 24 * HOUR_MS;
const ALIVE = [...record(RECORD.alive, "")];
/** Whatever may be tried as the first words. */
const WORDS = [
  record(RECORD.alive, ""),
  record(RECORD.bytes, "\nliminal-runner\n"),
  record(RECORD.join, "{}"),
  record(RECORD.join, JSON.stringify({ code: "guess", publicKey: "key" })),
  record(RECORD.join, "x".repeat(5_000)),
  record(99, ""),
  new TextEncoder().encode("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
];

/** A machine that has joined, and whose runner does not run. */
async function joined(server: Switchboard, at: Machine) {
  const { text, link } = await server.invite();
  await using runner = new RunnerProcess(at, "--join", text);
  await runner.says("Joined ");
  await server.next(1);
  return { text, link, ...joinedAt(at) };
}

describe("[SC-37] where runners dial in", () => {
  it(
    "a connection without a certificate, or with one of another authority, gets no byte, whatever it says",
    async () => {
      await using at = await machine();
      await using server = await Switchboard.open();
      const { link, cert, key } = await joined(server, at);
      const other = await makeAuthority(Date.now());
      const keys = generateKeyPairSync("ec", {
        ...{ namedCurve: "P-256", publicKeyEncoding: { type: "spki", format: "pem" } },
        privateKeyEncoding: { type: "pkcs8", format: "pem" },
      });
      // Of the same form, for the same place, but of another authority.
      const planted = { cert: await issue(other.ca, "box", keys.publicKey, Date.now()), key: keys.privateKey };
      for (const shown of [{}, other.server, planted])
        for (const words of WORDS) expect(await bytesFor(link, shown, words)).toEqual([]);
      // Also who says nothing, and gives up.
      expect(await bytesFor(link, {}, null)).toEqual([]);
      expect(server.arrived).toEqual(["box"]);
      expect(await bytesFor(link, { cert, key }, record(99, ""))).toEqual(ALIVE);
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "a revoked certificate gets no byte from then on, and one that has ended gets none; the place says why",
    async () => {
      await using at = await machine();
      await using server = await Switchboard.open();
      const { link, cert, key } = await joined(server, at);
      server.laterMs = 11 * YEAR_MS;
      expect(await bytesFor(link, { cert, key }, record(99, ""))).toEqual([]);
      expect(server.refused.at(-1)).toContain("because its certificate has ended, or a clock is wrong: to let it in");
      await using late = new RunnerProcess(at, "--dial");
      await late.says(
        "does not let this machine in as box, because its certificate was revoked or replaced, or a clock",
      );
      server.laterMs = 0;
      await server.next(2);
      server.dialIns.revoke("box");
      expect(await late.ended()).toBe(1);
      expect(late.said).toContain("The server has revoked this runner: to join again as box, make a link there with");
      expect(await bytesFor(link, { cert, key }, record(99, ""))).toEqual([]);
      expect(server.refused.at(-1)).toContain(
        "because its certificate was revoked: to let it in, make a new link with",
      );
      // A start of the server later, too.
      server.dialIns.end();
      await server.start();
      expect(await bytesFor(link, { cert, key }, record(99, ""))).toEqual([]);
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "a link works once, for a quarter of an hour and for one start of the server; both sides say what is wrong",
    async () => {
      await using at = await machine();
      await using second = await machine();
      await using server = await Switchboard.open();
      const { text } = await joined(server, at);
      const inVain = async (used: string) => {
        await using runner = new RunnerProcess(second, "--join", used);
        expect(await runner.ended()).toBe(1);
        expect(runner.said).toContain(
          "The server does not take this link: one works once, for 15 minutes, and not after",
        );
      };
      await inVain(text);
      expect(server.refused.at(-1)).toContain("was refused as box, because its link was used before: to let it in");
      const { text: old } = await server.invite();
      server.laterMs = JOIN_TTL_MINUTES * 60_000;
      await inVain(old);
      expect(server.refused.at(-1)).toContain("was refused as box, because its link was too old: to let it in");
      const { text: lost } = await server.invite();
      server.dialIns.end();
      await server.start();
      await inVain(lost);
      expect(server.wrongCodes).toBe(3);
      expect(server.arrived).toEqual(["box"]);
      const { text: dropped } = await server.invite();
      server.dialIns.revoke("box");
      await inVain(dropped);
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "another server than that of the link gets neither the code nor a runner",
    async () => {
      await using at = await machine();
      await using server = await Switchboard.open();
      await using other = await Switchboard.open();
      const { text, link } = await server.invite();
      const elsewhere = (await other.invite()).link;
      await using runner = new RunnerProcess(at, "--join", text.replace(`:${link.port}/`, `:${elsewhere.port}/`));
      expect(await runner.ended()).toBe(1);
      expect(runner.said).toContain(`At 127.0.0.1:${elsewhere.port} answers another server than the one of the link`);
      expect(other.wrongCodes).toBe(0);
      await using joining = new RunnerProcess(at, "--join", text);
      await joining.says("Joined ");
      await server.next(1);
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "keys are for their user alone, on both machines, and the key of a runner never leaves it",
    async () => {
      await using at = await machine();
      await using server = await Switchboard.open();
      const { key } = await joined(server, at);
      const there = join(at.home, ".liminal-runner/dial");
      for (const dir of [server.dir, there]) {
        expect(statSync(dir).mode & 0o777).toBe(0o700);
        for (const name of readdirSync(dir)) expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600);
      }
      const secret = key.split("\n")[1] ?? "";
      expect(secret.length).toBeGreaterThan(40);
      for (const name of readdirSync(server.dir))
        expect(readFileSync(join(server.dir, name), "utf8")).not.toContain(secret);
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "clocks an hour apart change nothing",
    async () => {
      await using at = await machine();
      await using server = await Switchboard.open();
      server.laterMs = -HOUR_MS;
      await joined(server, at);
      server.laterMs = HOUR_MS;
      await using runner = new RunnerProcess(at, "--dial", "box");
      await server.next(2);
      expect(runner.said).not.toContain("does not let");
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "of two runners with one certificate the newer one stays, and the older one ends with a reason",
    async () => {
      await using at = await machine();
      await using copy = await machine();
      await using server = await Switchboard.open();
      const link = server.place(at);
      await joined(server, at);
      await using first = new RunnerProcess(at, "--dial");
      await first.says("Connected to ");
      cpSync(join(at.home, ".liminal-runner/dial"), join(copy.home, ".liminal-runner/dial"), { recursive: true });
      await using second = new RunnerProcess(copy, "--dial");
      expect(await first.ended()).toBe(1);
      expect(first.said).toContain(
        "Another runner has dialled in as box with the same certificate, so this one has ended",
      );
      await second.says("Connected to ");
      expect(await link.check()).toMatchObject({ home: copy.home });
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "a place that is taken out of the settings is cut at once and not let in again, unless a mistake hides it",
    async () => {
      await using at = await machine();
      await using server = await Switchboard.open();
      const link = server.place(at);
      const { cert, key, link: join } = await joined(server, at);
      await using runner = new RunnerProcess(at, "--dial");
      await runner.says("Connected to ");
      server.places = null;
      server.dialIns.look();
      expect(link.isConnected).toBe(true);
      server.places = [];
      expect(await runner.ended()).toBe(1);
      await waitFor(
        () => link.isConnected,
        (isConnected) => !isConnected,
        "the connection to be cut",
      );
      server.places = ["box"];
      server.dialIns.look();
      expect(await bytesFor(join, { cert, key }, record(99, ""))).toEqual([]);
    },
    COMMANDS_TIMEOUT_MS,
  );
});
