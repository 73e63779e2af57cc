import { z } from "zod";
import type { CommandLine } from "./command-line.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { print } from "./print.ts";
import { bodyOf } from "./running-server.ts";
import { connect } from "./server-link.ts";
import { type Column, CUT, Styled, table } from "./terminal.ts";

const Report = z.looseObject({
  agents: z.array(
    z.looseObject({
      id: z.string(),
      status: z.string(),
      busy: z.boolean(),
      pid: z.number().nullable(),
      memoryBytes: z.number().nullable(),
      restarts: z.number(),
    }),
  ),
  sessions: z.array(z.looseObject({ id: z.string(), turn: z.string() })),
  data: z.looseObject({ path: z.string(), databaseBytes: z.number() }),
  storage: z.looseObject({ writable: z.boolean() }),
  counters: z.record(z.string(), z.number()),
});
const COLUMNS: readonly Column[] = [
  { title: "AGENT", style: "cyan" },
  { title: "STATE" },
  { title: "PROCESS", style: "dim" },
  { title: "MEMORY", style: "dim" },
  { title: "RESTARTS", ...CUT },
];
const MEGABYTE = 1024 * 1024;

/** `status`: what the server does now. */
export async function status(line: CommandLine): Promise<ExitCode> {
  using link = await connect(line.env, "fail");
  const report = Report.parse(await (await bodyOf(await link.server.get("/api/status"))).json());
  const { agents, data, storage, counters } = report;
  const count = (name: string) => (counters[name] ?? 0).toLocaleString("en-US");
  const lines = [
    `Server ${link.server.origin}, version ${link.hello.version}`,
    `Turns: ${count("turnsRunning")} running, ${count("turnsWaiting")} waiting for you; ${count("requestsWaiting")} open requests, ${count("messagesQueued")} queued messages`,
    `Sessions: ${count("sessionsStored")} stored, ${count("sessionsLoaded")} in memory. Tokens: ${count("tokensUsed")}. Cost: ${(counters["costUsd"] ?? 0).toFixed(2)} USD`,
    `Data: ${data.path}, ${Math.round(data.databaseBytes / MEGABYTE)} MB${storage.writable ? "" : ", NOT WRITABLE"}`,
  ];
  const running = agents.filter(({ pid, status: state }) => pid !== null || state !== "idle");
  const rows = running.map(({ id, status: state, busy, pid, memoryBytes, restarts }) => [
    id,
    busy ? `${state}, working` : state,
    pid === null ? "" : String(pid),
    memoryBytes === null ? "" : `${Math.round(memoryBytes / MEGABYTE)} MB`,
    String(restarts),
  ]);
  print(line, report, Styled.join([...lines, ...(rows.length > 0 ? [table(COLUMNS, rows, line.screen)] : [])], "\n"));
  return EXIT.done;
}
