import { describe, expect, it } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { anotherTalk, type Talk } from "../integration/talk.ts";
import { watchProcesses } from "../support/leftover-processes.ts";
import { roundsOf } from "../support/seeded-random.ts";
import { tempDir } from "../support/temp-dir.ts";
import { START, startTestServer } from "../support/test-server.ts";
import { CAN_SSH, Sshd, WHERE_SSH } from "./sshd.ts";

/** With `--rounds 20`; a tenth of them in `npm test`, since each is a process with a holder. */
const AGENTS = roundsOf(100);
/** A hundred programs that start in the same moment would only wait for each other. */
const STARTS_AT_ONCE = 10;
const WORDS = 100;
const STREAMED = Array.from({ length: WORDS }, (_, index) => `w${index + 1}`).join(" ");

const LEFT_MS = 30_000;

const Status = z.object({ sessions: z.array(z.object({ pid: z.nullable(z.int()) })) });

describe.skipIf(!CAN_SSH)(`[SC-31] ${AGENTS} sessions with agents of their own ${WHERE_SSH}`, () => {
  it("use one connection, also after it was cut while all of them answer; nothing is lost or doubled", async () => {
    await using dir = await tempDir();
    using there = watchProcesses();
    const program = dir.join("installed");
    writeFileSync(program, `#!/bin/sh\nexec ${START.join(" ")} "$@"\n`);
    chmodSync(program, 0o755);
    await using sshd = await Sshd.start({ HOME: dir.path, PATH: process.env["PATH"] ?? "", ...there.env });
    const pool = { processesMax: AGENTS };
    const box = { kind: "ssh", host: "box", program };
    await using server = await startTestServer({
      env: { PATH: `${sshd.bin}:${process.env["PATH"]}` },
      prepare: (dataDir) => writeFileSync(join(dataDir, "config.json"), JSON.stringify({ places: { box }, pool })),
    });
    /** The programs of this server that lead there. */
    const clients = () => server.processes.alive().filter(({ commandLine }) => / -- box /.test(commandLine));
    const before = sshd.logins;

    const client = await server.connect();
    const { project } = await client.ask("project:added", { type: "project:add", path: "box:~" });
    const talks: Talk[] = [];
    while (talks.length < AGENTS) {
      const some = Math.min(STARTS_AT_ONCE, AGENTS - talks.length);
      talks.push(...(await Promise.all(Array.from({ length: some }, () => anotherTalk(client, project.id)))));
    }
    const sent = await Promise.all(talks.map((talk) => talk.send(`stream ${WORDS} words at 20/s`)));
    await Promise.all(talks.map((talk) => talk.untilAnswer("w5")));
    const { sessions } = Status.parse(await (await server.fetch("/api/status")).json());
    expect(new Set(sessions.map(({ pid }) => pid)).size).toBe(AGENTS);
    const [first, ...more] = clients();
    expect(more).toEqual([]);
    expect(sshd.logins).toBe(before + 1);

    process.kill(first?.pid ?? 0, "SIGKILL");
    await Promise.all(talks.map((talk, index) => talk.untilIdle(sent[index])));
    expect(talks.map(({ answer }) => answer)).toEqual(talks.map(() => STREAMED));
    expect(clients()).toHaveLength(1);
    expect(sshd.logins).toBe(before + 2);
    await server.stop();
    expect(await there.leftAfter(LEFT_MS)).toEqual([]);
  });
});
