import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { AgentPool } from "../agents/pool/agent-pool.ts";
import { HttpServer } from "../bridge/http-server.ts";
import { PageFiles } from "../bridge/page-files.ts";
import { asPlainJson } from "../lib/harmless-text.ts";
import { LOG_PATH } from "../lib/server-log-place.ts";
import type { ServerConfig } from "../operations/config.ts";
import { tellOfLastRun } from "../operations/crash-reports.ts";
import { DataDir } from "../operations/data-dir.ts";
import { InstanceLock } from "../operations/instance-lock.ts";
import type { ServerLog } from "../operations/server-log.ts";
import { metricsText, statusReport } from "../operations/status-report.ts";
import { faultReporter } from "../operations/storage-guard.ts";
import { localOrigin, prepareTls, tellReach } from "../operations/tls/prepare-tls.ts";
import { PROGRAM_DIR, VERSION } from "../operations/version.ts";
import { isoTime, type World } from "../ports/world.ts";
import { cliTypeOf, SessionId } from "../protocol/ids.ts";
import type { SessionService } from "../sessions/session-service.ts";
import { createAccess } from "./create-access.ts";
import { joinParts } from "./join-parts.ts";
import { openFoundation } from "./open-foundation.ts";

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  /** Agents can outlive this server. */
  readonly holdsAgents: boolean;
  /** Of the certificate it shows; null without TLS. */
  readonly fingerprint: string | null;
  /** Every agent and everything it started is gone, and all is on disk, when this returns. */
  stop(): Promise<void>;
  /** All is on disk when this returns; agents that are held go on, for the next server to find. */
  detach(): Promise<void>;
}

/** The composition root: makes the world, joins the parts, and knows the order in which they start and stop. */
export async function startServer(config: ServerConfig, logger: ServerLog): Promise<RunningServer> {
  const world: World = { now: Date.now, newId: () => randomUUID() };
  const dataDir = new DataDir(config.dataDir);
  const lock = new InstanceLock(dataDir);
  logger.keepIn(join(dataDir.path, LOG_PATH));
  dataDir.dropCommandToken();
  const token = config.token ?? dataDir.token((text) => logger.warn(text));
  logger.hide(token);
  const commandToken = config.token === null ? null : dataDir.commandToken();
  if (commandToken !== null) logger.hide(commandToken);
  const crashes = tellOfLastRun(dataDir, lock, logger);
  const certificate = await prepareTls(config, dataDir, world.now());
  const parts = await joinParts(openFoundation({ config, dataDir, world, logger, token }));
  const onUnstored = faultReporter(logger, "A device could not be stored");
  const access = createAccess({
    config,
    token,
    commandToken,
    world,
    certificate,
    store: parts.stores.devices,
    onUnstored,
  });
  const report = () => statusReport({ ...parts, logged: logger.counts, traffic: http.traffic });
  let ready = true;
  const http = listen(config, dataDir, (port) => ({
    host: config.host,
    port,
    version: VERSION,
    ...access,
    pages: new PageFiles(join(PROGRAM_DIR, "dist")),
    connection: parts.connection,
    status: report,
    metrics: () => metricsText(report()),
    crashes,
    trace: (sessionId) => traceText(sessionId, parts),
    ...parts.transfers,
    data: parts.data,
    mcp: parts.orchestration.door,
    isReady: () => ready,
  }));
  const origin = localOrigin(config, http.port);
  parts.orchestration.start(origin);
  lock.announce({ pid: process.pid, port: http.port, origin, startedAt: isoTime(world), version: VERSION });
  tellReach(config, http.port, certificate, logger);
  const end = async (endAgents: () => Promise<void>) => {
    ready = false;
    await endAgents();
    await http.stop();
    parts.close();
    dataDir.dropCommandToken();
    lock[Symbol.dispose]();
  };
  return {
    url: `${origin}/?token=${encodeURIComponent(token)}`,
    port: http.port,
    fingerprint: certificate?.fingerprint ?? null,
    dataDir: dataDir.path,
    holdsAgents: parts.holdsAgents,
    stop: () => end(parts.stopAgents),
    detach: () => end(parts.stopOwn),
  };
}

/** A session's wire trace for people and bug reports: a heading line, then one JSON object per message. */
function traceText(id: string, { pool, sessions }: { pool: AgentPool; sessions: SessionService }): string | null {
  const sessionId = SessionId.safeParse(id);
  if (!sessionId.success || !sessions.exists(sessionId.data)) return null;
  const cliType = cliTypeOf(sessionId.data);
  const heading = { liminalBuilder: VERSION, sessionId: sessionId.data, cliType };
  const lines = pool
    .trace(cliType, sessionId.data)
    .map(({ at, ...line }) => ({ at: new Date(at).toISOString(), ...line }));
  return [heading, ...lines].map((line) => asPlainJson(JSON.stringify(line))).join("\n");
}

type HttpOptions = ConstructorParameters<typeof HttpServer>[0];

/** The last run's port, when it may be chosen freely and is still free: pages and agents find us where we were. */
function listen(
  { port, freePort }: Pick<ServerConfig, "port" | "freePort">,
  dataDir: DataDir,
  options: (port: number) => HttpOptions,
): HttpServer {
  const first = port === 0 ? dataDir.lastPort() : freePort ? port : null;
  const http = (first !== null && tryListen(options(first))) || new HttpServer(options(freePort ? 0 : port));
  dataDir.keepPort(http.port);
  return http;
}

function tryListen(options: HttpOptions): HttpServer | null {
  try {
    return new HttpServer(options);
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, "code") === "EADDRINUSE") return null;
    throw error;
  }
}
