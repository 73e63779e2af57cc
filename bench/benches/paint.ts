import { tempDir } from "../../tests/support/temp-dir.ts";
import { alternate } from "../measure/alternate.ts";
import type { Bench } from "../measure/bench.ts";
import { median } from "../measure/percentile.ts";
import { reportLatency } from "../measure/report-latency.ts";
import { openBarePipe } from "../scene/bare-pipe.ts";
import { FollowedSession } from "../scene/followed-session.ts";
import { createSession, openClient } from "../scene/open-client.ts";
import { ProbedPage } from "../scene/probed-page.ts";
import { PACED } from "../scene/stamps.ts";
import { STAMPING_AGENT, STAMPING_AGENT_COMMAND, startServer } from "../scene/start-server.ts";

/** Not a multiple of a frame, so that chunks arrive at every phase. */
const CHUNK_EVERY_MS = 43;
const CHUNKS_PER_ROUND = 50;
const TURNS_PER_ROUND = 10;
const ROUNDS = 5;
const ROUNDS_QUICK = 1;
const FRAMES_TARGET = 2;
const FIRST_TOKEN_MS_TARGET = 250;

/** Prompts the agent, and returns how long each of its chunks took to the screen. */
type Say = (prompt: string, chunks: number) => Promise<readonly number[]>;

interface Painted {
  readonly frameMs: number;
  readonly first: readonly number[];
  readonly single: readonly number[];
}

/** NFR-2: from the agent's write to the frame that shows it. */
export const paint: Bench = {
  name: "paint",
  asks: "agent chunk to the screen, against a bare page that appends what a bare pipe sends",
  async run({ quick, report }) {
    const rounds = await alternate(quick ? ROUNDS_QUICK : ROUNDS, { bare: onBarePage, ours: onOurPage });
    for (const [name, kind] of [
      ["first chunk of a turn on the screen", "first"],
      ["single chunks on the screen", "single"],
    ] as const) {
      const inMs = (side: readonly Painted[]) => side.flatMap((round) => round[kind]);
      const inFrames = (side: readonly Painted[]) =>
        side.flatMap((round) => round[kind].map((time) => time / round.frameMs));
      reportLatency(report, name, inMs(rounds.ours), inMs(rounds.bare), FIRST_TOKEN_MS_TARGET);
      reportLatency(report, name, inFrames(rounds.ours), inFrames(rounds.bare), FRAMES_TARGET, "frames");
    }
  },
};

async function measure(page: ProbedPage, say: Say): Promise<Painted> {
  const frameMs = median(await page.frameIntervals());
  const first = await firstOfTurns(say, TURNS_PER_ROUND);
  // Without the first of the turn, which is a case of its own.
  const single = (await say(PACED(CHUNKS_PER_ROUND, CHUNK_EVERY_MS), CHUNKS_PER_ROUND)).slice(1);
  return { frameMs, first, single };
}

async function firstOfTurns(say: Say, turns: number): Promise<readonly number[]> {
  const first: number[] = [];
  // Two chunks each: the end of the turn, which hurries everything before it, must not help the first.
  for (let turn = 0; turn < turns; turn++) first.push(...(await say(PACED(2, CHUNK_EVERY_MS), 2)).slice(0, 1));
  return first;
}

async function onOurPage(): Promise<Painted> {
  await using dir = await tempDir();
  await using server = await startServer(dir.path);
  using client = openClient(server);
  const sessionId = await createSession(client, dir.path, STAMPING_AGENT);
  using session = new FollowedSession(client, sessionId);
  const rename = { type: "session:rename", sessionId, title: "paint" } as const;
  await client.ask(rename, "session:title-updated");
  await using page = await ProbedPage.open(server.url);
  await page.openEmptySession("paint", sessionId);
  await page.watchStamps(sessionId);
  const say: Say = async (content, chunks) => {
    await session.until("the turn before to end", ({ turn }) => turn.state === "idle");
    await client.ask({ type: "session:send", sessionId, content }, "ok");
    return page.takeStamps(chunks);
  };
  return await measure(page, say);
}

async function onBarePage(): Promise<Painted> {
  await using pipe = await openBarePipe(STAMPING_AGENT_COMMAND);
  await using page = await ProbedPage.open(pipe.pageUrl);
  using reader = await pipe.openReader();
  await page.watchStamps(null);
  const say: Say = (prompt, chunks) => {
    reader.send(pipe.promptFrame(prompt));
    return page.takeStamps(chunks);
  };
  return await measure(page, say);
}
