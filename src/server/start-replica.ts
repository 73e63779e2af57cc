import { randomUUID } from "node:crypto";
import { OwnHosts } from "../bridge/own-hosts.ts";
import { StandbyServer } from "../bridge/standby-server.ts";
import { ignore } from "../lib/ignore.ts";
import { LOG_PATH } from "../lib/server-log-place.ts";
import { isLoopback, type ServerConfig } from "../operations/config.ts";
import { DataDir } from "../operations/data-dir.ts";
import { InstanceLock } from "../operations/instance-lock.ts";
import { databaseUserName, openDatabase } from "../operations/open-postgres-stores.ts";
import type { ServerLog } from "../operations/server-log.ts";
import { localOrigin, machineNames, prepareTls } from "../operations/tls/prepare-tls.ts";
import { VERSION } from "../operations/version.ts";
import type { Ownership } from "../store/postgres/ownership.ts";
import { Replica } from "../store/postgres/replica.ts";
import { type RunningServer, startServer, unlessTaken } from "./start-server.ts";

/** A beat that takes longer counts as missed. */
const BEAT_DEADLINE_MS = 2_000;

/**
 * One server of a team on one database. It stands by while another one is active: then it forwards the requests of its
 * clients. When the active one dies or hands over, this one becomes active, and continues the agents at all places.
 * After another server has taken over, it stands by again.
 */
export async function startReplica(config: ServerConfig, logger: ServerLog): Promise<RunningServer> {
  const { databaseUrl, replicaHost, token } = config;
  if (databaseUrl === null || replicaHost === null || token === null)
    throw new Error("a replica has a database, a name and a token");
  const dataDir = new DataDir(config.dataDir);
  logger.keepIn(dataDir.file(LOG_PATH));
  for (const secret of [token, databaseUrl]) logger.hide(secret);
  const certificate = await prepareTls(config, dataDir, Date.now());
  const db = await openDatabase(
    databaseUrl,
    { connectionsMax: 1, deadlineMs: BEAT_DEADLINE_MS },
    async (opened) => opened,
  );

  const standBy = (port: number) =>
    new StandbyServer({
      host: config.host,
      port,
      version: VERSION,
      tls: certificate && { cert: certificate.cert, key: certificate.key },
      hosts: (actual) =>
        new OwnHosts({
          host: config.host,
          port: actual,
          isTls: certificate !== null,
          names: isLoopback(config.host) ? [] : machineNames().names,
          allowed: [...config.allowedHosts, replicaHost],
        }),
      works: () => replica.works,
    });
  const lockDirectory = (port: number) => {
    const lock = new InstanceLock(dataDir);
    const origin = localOrigin(config, port);
    lock.announce({ pid: process.pid, port, origin, startedAt: new Date().toISOString(), version: VERSION });
    return lock;
  };
  // Open pages reconnect to the port that it had.
  const lastPort = config.port === 0 ? dataDir.lastPort() : null;
  let standby: StandbyServer | null =
    (lastPort !== null && unlessTaken(() => standBy(lastPort))) || standBy(config.port);
  const { port } = standby;
  dataDir.keepPort(port);
  let lock: InstanceLock | null = lockDirectory(port);
  const replica = new Replica({
    db,
    id: randomUUID(),
    name: databaseUserName(),
    origin: `${certificate === null ? "http" : "https"}://${replicaHost}:${port}`,
    certificate: certificate?.leaf ?? null,
    version: VERSION,
    onWorks: () => standby?.moved(),
  });
  const teamId = await replica.teamId();

  const stopping = Promise.withResolvers<void>();
  const firstWork = Promise.withResolvers<void>();
  let isStopping = false;
  const leaveStandby = async () => {
    await standby?.stop();
    standby = null;
    lock?.[Symbol.dispose]();
    lock = null;
  };
  const work = async (ownership: Ownership) => {
    lock?.[Symbol.dispose]();
    lock = null;
    const server = await startServer({ ...config, port, freePort: false }, logger, {
      ownership,
      teamId,
      certificate,
      beforeListen: leaveStandby,
    });
    logger.info("This server is now the active one of its team.");
    firstWork.resolve();
    await Promise.race([server.lost, stopping.promise]);
    await server.detach();
  };
  const first = replica.succeed();
  await replica.start();
  const run = async () => {
    for (let ownership = await first; ownership !== null; ownership = await replica.succeed()) {
      await work(ownership);
      if (isStopping) break;
      standby = standBy(port);
      lock = lockDirectory(port);
    }
    await leaveStandby();
  };
  const running = run();
  await Promise.race([replica.otherWorks, firstWork.promise, running]);

  const handOver = async () => {
    isStopping = true;
    stopping.resolve();
    const [left, ran] = await Promise.allSettled([replica.stop(), running]);
    if (left.status === "rejected") logger.warn(`Could not remove this server from the team: ${left.reason}`);
    if (ran.status === "rejected") logger.error(`Could not hand over to another server cleanly: ${ran.reason}`);
    await db.close();
  };
  return {
    url: `${localOrigin(config, port)}/?token=${encodeURIComponent(token)}`,
    port,
    fingerprint: certificate?.fingerprint ?? null,
    dataDir: dataDir.path,
    holdsAgents: true,
    // A loop that ends by itself is an error, which ends the process: the others take over.
    lost: running.then(() => new Promise<void>(ignore("it ends when it is told to"))),
    stop: handOver,
    detach: handOver,
  };
}
