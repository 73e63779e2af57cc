import { agentBurst, agentFork, agentHugeLine, agentLie, agentStall } from "./agent-conduct.ts";
import { agentKill } from "./agent-kill.ts";
import { agentStop } from "./agent-stop.ts";
import { browserKill } from "./browser-kill.ts";
import { clientLossy, clientSlow, clientStalled } from "./clients.ts";
import { clockJump } from "./clock-jump.ts";
import { databaseCorrupt, walCorrupt, walTorn } from "./database-damage.ts";
import { diskFull } from "./disk-full.ts";
import type { Fault } from "./fault.ts";
import { holderKill } from "./holder-kill.ts";
import { holderStop } from "./holder-stop.ts";
import { journalCorrupt, journalCorruptLive, journalTorn } from "./journal-damage.ts";
import { portTaken } from "./port-taken.ts";
import { readOnly } from "./read-only.ts";
import { serverDetach } from "./server-detach.ts";
import { serverKill } from "./server-kill.ts";
import { serverStop } from "./server-stop.ts";
import { connectionFlood, frameFlood } from "./socket-flood.ts";

/** Everything that can go wrong here. */
export const FAULTS: readonly Fault[] = [
  ...[serverKill, serverDetach, serverStop],
  ...[holderKill, holderStop, journalTorn, journalCorrupt, journalCorruptLive],
  ...[agentKill, agentStop, agentBurst, agentStall, agentLie, agentFork, agentHugeLine],
  ...[diskFull, readOnly, databaseCorrupt, walCorrupt, walTorn],
  ...[clockJump, portTaken],
  ...[clientSlow, clientStalled, clientLossy, frameFlood, connectionFlood, browserKill],
];
