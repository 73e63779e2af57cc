import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { PageFiles } from "../bridge/page-files.ts";
import { LOG_PATH } from "../lib/server-log-place.ts";
import { isoTime, type World } from "../ports/world.ts";
import type { ServerConfig } from "./config.ts";
import { tellOfLastRun } from "./crash/last-run.ts";
import { createAccess } from "./create-access.ts";
import { DataDir } from "./data-dir.ts";
import { InstanceLock } from "./instance-lock.ts";
import { joinParts } from "./join-parts.ts";
import { listen } from "./listen.ts";
import type { ServerLog } from "./logging/server-log.ts";
import { metricsText } from "./metrics-text.ts";
import { openFoundation } from "./open-foundation.ts";
import { statusReport } from "./status-report.ts";
import { faultReporter } from "./storage-guard.ts";
import { localOrigin, prepareTls, tellReach } from "./tls/prepare-tls.ts";
import { traceText } from "./trace-text.ts";
import { PROGRAM_DIR, VERSION } from "./version.ts";

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
