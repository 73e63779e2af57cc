import { expect, it } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { killMarked } from "../../scripts/test/marked-processes.ts";
import { encodeRecord, KIND } from "../../src/agents/holder/journal-record.ts";
import { serverAt } from "../../src/places/place-links.ts";
import type { SessionId } from "../../src/protocol/ids.ts";
import { COMMANDS_TIMEOUT_MS } from "../cli/liminal.ts";
import { anotherTalk, reopen } from "../integration/talk.ts";
import { tempDir } from "../support/temp-dir.ts";
import { START, startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";

const LEFT_MS = 20_000;

/** What a place may say of an agent of ours. None of it is true. */
const FORGED: readonly ((label: { readonly sessionId: SessionId; readonly cwd: string }) => object)[] = [
  () => ({ sessionId: null, cwd: "/" }),
  ({ cwd }) => ({ sessionId: null, cwd }),
  ({ sessionId }) => ({ sessionId, cwd: "/" }),
  ({ sessionId }) => ({ sessionId, cwd: "other:/" }),
];

/** A server with the place `box`, and where it keeps its agents there. */
async function scene(there: string) {
  mkdirSync(join(there, "app"), { recursive: true });
  const command = ["/usr/bin/env", `HOME=${there}`, ...START, "runner"];
  const server = await startTestServer({
    prepare: (dataDir) =>
      writeFileSync(join(dataDir, "config.json"), JSON.stringify({ places: { box: { kind: "command", command } } })),
  });
  const { project } = await (await server.connect()).ask("project:added", { type: "project:add", path: "box:~/app" });
  const identity = z.object({ server: z.string() });
  const { server: id } = identity.parse(JSON.parse(readFileSync(join(server.dataDir, "places.json"), "utf8")));
  return { server, project, held: join(there, ".liminal-runner", serverAt(id, "box"), "h") };
}

it(
  "[SC-29] [SC-49] an agent at a place never becomes one of this machine, whatever its place says of it",
  async () => {
    await using dir = await tempDir();
    const { server: started, project, held } = await scene(dir.join("there"));
    await using server = started;
    for (const forged of FORGED) {
      let talk = await anotherTalk(await server.connect(), project.id);
      await talk.say("help");
      const [name = "", ...others] = readdirSync(held);
      expect(others).toEqual([]);
      await server.kill();
      const label = join(held, name, "label");
      const { cliType, ...truth } = z
        .object({ cliType: z.string(), sessionId: z.custom<SessionId>(), cwd: z.string() })
        .parse(JSON.parse(readFileSync(label, "utf8")));
      expect(truth).toEqual({ sessionId: talk.sessionId, cwd: project.path });
      writeFileSync(label, JSON.stringify({ cliType, ...forged(truth) }));
      await server.start();
      await waitFor(
        () => readdirSync(held),
        (left) => !left.includes(name),
        "its agent to be ended",
      );
      talk = await reopen(await server.connect(), talk);
      await talk.say("help");
      expect(talk.state.turn.stopReason).toBe("end_turn");
      await talk.client.ask("session:archived", { type: "session:archive", sessionId: talk.sessionId });
      await waitFor(
        () => readdirSync(held),
        (left) => left.length === 0,
        "no agent to be left",
      );
    }
  },
  COMMANDS_TIMEOUT_MS,
);

it(
  "[SC-29] a note that cannot be read does not keep the server from starting: the turn is interrupted",
  async () => {
    await using dir = await tempDir();
    const { server: started, project, held } = await scene(dir.join("there"));
    await using server = started;
    let talk = await anotherTalk(await server.connect(), project.id);
    const seq = await talk.send("stream 400 words at 100/s");
    await talk.until("the first words", () => talk.answer.includes("w20"));
    const [name = ""] = readdirSync(held);
    await server.kill();
    killMarked(server.processes.alive());
    expect(await server.processes.leftAfter(LEFT_MS)).toEqual([]);
    // Without a holder, a runner passes on what it finds.
    for (const file of readdirSync(join(held, name))) if (file !== "label") rmSync(join(held, name, file));
    const note = encodeRecord({ kind: KIND.note, offset: 1, text: "0\n{" });
    writeFileSync(join(held, name, "journal-000000001"), note);
    await server.start();
    talk = await reopen(await server.connect(), talk);
    await talk.untilIdle(seq);
    expect(talk.answer).toContain("w20");
    await talk.say("help");
    expect(talk.state.turn.stopReason).toBe("end_turn");
    await waitFor(
      () => readdirSync(held),
      (left) => !left.includes(name),
      "what was left of its agent to be gone",
    );
  },
  COMMANDS_TIMEOUT_MS,
);
