import { agentBurst, agentFork, agentHugeLine, agentLie, agentStall } from "./agent-conduct.ts";
import { agentKill } from "./agent-kill.ts";
import { agentStop } from "./agent-stop.ts";
import { browserKill } from "./browser-kill.ts";
import { clientLossy, clientSlow, clientStalled } from "./clients.ts";
import { clockJump } from "./clock-jump.ts";
import { databaseCorrupt, walCorrupt, walTorn } from "./database-damage.ts";
import { diskFull } from "./disk-full.ts";
import { channelCut, clockSkew, runnerKill } from "./far-faults.ts";
import type { Fault } from "./fault.ts";
import { holderKill } from "./holder-kill.ts";
import { holderStop } from "./holder-stop.ts";
import { journalCorrupt, journalCorruptLive, journalTorn } from "./journal-damage.ts";
import { indexLock, mergeKill } from "./merge-faults.ts";
import { portTaken } from "./port-taken.ts";
import { projectCommandKill } from "./project-command-kills.ts";
import { readOnly } from "./read-only.ts";
import { repositoryRewrite } from "./repository-rewrite.ts";
import { restoreKill } from "./restore-kill.ts";
import { serverDetach } from "./server-detach.ts";
import { serverKill } from "./server-kill.ts";
import { serverStop } from "./server-stop.ts";
import { sessionMoveKill } from "./session-move-kill.ts";
import { connectionFlood, frameFlood } from "./socket-flood.ts";
import { serviceKill, terminalFlood, terminalHolderKill, terminalServerKill } from "./terminal-faults.ts";
import { worktreeCreateKill, worktreePurgeKill, worktreeRemoveKill, worktreeReturnKill } from "./worktree-kills.ts";
import { worktreeDeleted, worktreeSwapped } from "./worktree-outside.ts";

/** Everything that can go wrong here. */
export const FAULTS: readonly Fault[] = [
  ...[serverKill, serverDetach, serverStop],
  ...[holderKill, holderStop, journalTorn, journalCorrupt, journalCorruptLive],
  ...[agentKill, agentStop, agentBurst, agentStall, agentLie, agentFork, agentHugeLine],
  ...[diskFull, readOnly, databaseCorrupt, walCorrupt, walTorn],
  ...[clockJump, portTaken],
  ...[channelCut, runnerKill, clockSkew],
  ...[clientSlow, clientStalled, clientLossy, frameFlood, connectionFlood, browserKill],
  ...[worktreeCreateKill, worktreeRemoveKill, worktreeReturnKill, worktreePurgeKill, sessionMoveKill],
  ...[mergeKill, restoreKill, indexLock, worktreeDeleted, worktreeSwapped, repositoryRewrite],
  ...[terminalServerKill, terminalHolderKill, terminalFlood, serviceKill, projectCommandKill],
];
