import { z } from "zod";
import type { Hub } from "../../fanout/hub.ts";
import { TaskQueue } from "../../lib/task-queue.ts";
import type { ChildInfo } from "../../protocol/delegation.ts";
import { cliTypeOf } from "../../protocol/ids.ts";
import { InfoOutput, isSettled, lastMessage, shorten } from "../child-info.ts";
import { OverlapsOutput, overlapsIn } from "../overlaps.ts";
import { AgentIdInput, armWait, defineTool, refuseWake, type ToolContext } from "../tool.ts";
import { accepted, ToolError } from "../tool-error.ts";

const WAIT_MS_DEFAULT = 50_000;
const WAIT_MS_MAX = 600_000;
/** Their calls end after 60 s, whatever progress is reported. */
const IMPATIENT: ReadonlySet<string> = new Set(["codex"]);
const AGENTS_MAX = 50;
const TEXT_CHARS_MAX = 4_000;
const TEXT_ENTRIES = 50;

type Reason = "done" | "blocked" | "failed" | "limit" | "aborted" | "timeout" | "armed";

export const waitForAgents = defineTool({
  name: "wait_for_agents",
  title: "Wait for agents",
  needs: "look",
  description:
    "Waits until any or all of your agents have finished, or one needs an answer, and returns the reason: done, " +
    "blocked (with the question; ignoreBlocked keeps waiting), failed, limit (stopped by a budget), aborted (cancelled or " +
    "killed), or timeout (call it again to keep waiting). With wake it returns immediately: end your turn, and " +
    "this session is woken with a digest when the agents have finished. overlaps names files that work elsewhere " +
    "changed, too, as in get_agent_changes.",
  input: {
    agentIds: z.array(AgentIdInput).max(AGENTS_MAX).optional().describe("Default: all that were not killed."),
    until: z.enum(["any", "all"]).optional().describe("Default: all."),
    timeoutMs: z.int().min(0).max(WAIT_MS_MAX).optional().describe(`Default: ${WAIT_MS_DEFAULT}.`),
    ignoreBlocked: z.boolean().optional().describe("Keep waiting while an agent waits for the user's answer."),
    wake: z.boolean().optional().describe("Return immediately and wake this session later."),
  },
  output: {
    reason: z.string(),
    agents: z.array(InfoOutput.extend({ text: z.string(), overlaps: OverlapsOutput })),
    pending: z.array(z.string()),
    waitId: z.string().optional(),
    hint: z.string().optional(),
  },
  progress: async ({ children }, { agentIds }) => {
    const infos = await (agentIds ? Promise.all(agentIds.map((id) => children.info(id))) : living(children));
    const busy = infos.filter((info) => !isSettled(info));
    return `Waiting for ${busy.length} of ${infos.length} agents`;
  },
  run: async (context, given) => {
    const { children, hub, signal, silentWaitMs } = context;
    const { until = "all", timeoutMs: wantedMs = WAIT_MS_DEFAULT, ignoreBlocked = false, wake = false } = given;
    refuseWake(context.caller, wake);
    const timeoutMs = context.wantsProgress && !isImpatient(context) ? wantedMs : Math.min(wantedMs, silentWaitMs);
    const ids = given.agentIds ?? (await living(children)).map(({ agentId }) => agentId);
    if (ids.length === 0) throw new ToolError("No agents to wait for. Create one with create_coding_agent.");
    const look = () => Promise.all(ids.map((id) => children.info(id)));
    const isReady = (info: ChildInfo) => isSettled(info) || (info.status === "waiting" && !ignoreBlocked);
    const isOver = (infos: readonly ChildInfo[]) => (until === "any" ? infos.some(isReady) : infos.every(isReady));
    const before = await look();
    if (wake && !isOver(before)) {
      const agentIds = before.map(({ agentId }) => agentId);
      const waitId = await armWait(context, agentIds, until);
      return { ...(await report(context, await look(), "armed")), waitId };
    }
    // Reported at once, whatever the others do: the caller may be the only one who can answer.
    const isBlocked = (infos: readonly ChildInfo[]) =>
      !ignoreBlocked && infos.some(({ status }) => status === "waiting");
    const isMet = async () => {
      const infos = await look();
      return isOver(infos) || isBlocked(infos);
    };
    const end = await awaitAgents({ hub, isMet, timeoutMs, signal });
    const infos = await look();
    if (end === "met") await forgetWaits(context, infos);
    if (end === "met") return report(context, infos, reasonOf(infos.filter(isReady)));
    const why =
      timeoutMs < wantedMs ? ` This client limits calls to about a minute, so it waited ${timeoutMs} ms.` : "";
    return {
      ...(await report(context, infos, "timeout")),
      hint: `They are still working. Call wait_for_agents again.${why}`,
    };
  },
});

/** The default if no agents are named. */
async function living(children: ToolContext["children"]): Promise<readonly ChildInfo[]> {
  return (await children.list()).filter(({ status }) => status !== "killed");
}

function reasonOf(ready: readonly ChildInfo[]): Reason {
  if (ready.some(({ status }) => status === "waiting")) return "blocked";
  if (ready.some(({ status }) => status === "failed")) return "failed";
  if (ready.some(({ outcome }) => outcome === "limit")) return "limit";
  return ready.some(({ outcome }) => outcome === "cancelled" || outcome === "killed") ? "aborted" : "done";
}

function isImpatient({ caller }: ToolContext): boolean {
  return caller !== null && IMPATIENT.has(cliTypeOf(caller));
}

async function report({ sessions, worktrees }: ToolContext, infos: readonly ChildInfo[], reason: Reason) {
  const agents = await Promise.all(
    infos.map(async (info) => {
      const start = isSettled(info) ? await sessions.open(info.agentId, undefined, TEXT_ENTRIES) : null;
      const text = start?.type === "session:history" ? lastMessage(start.entries) : "";
      const radar = isSettled(info) ? await worktrees.freshRadarOf(info.agentId) : null;
      return { ...info, text: shorten(text, TEXT_CHARS_MAX), ...overlapsIn(radar) };
    }),
  );
  return { reason, agents, pending: infos.filter((info) => !isSettled(info)).map(({ agentId }) => agentId) };
}

/** The caller has the result now: waking it would report the same twice. */
async function forgetWaits({ caller, sessions }: ToolContext, infos: readonly ChildInfo[]): Promise<void> {
  if (caller === null) return;
  const known = new Set(infos.filter(isSettled).map(({ agentId }) => agentId));
  const waits = (await sessions.view(caller))?.state.waits ?? [];
  const waitIds = waits.filter(({ agentIds }) => agentIds.every((id) => known.has(id))).map(({ waitId }) => waitId);
  if (waitIds.length > 0) accepted(await sessions.execute({ type: "session:waits-met", sessionId: caller, waitIds }));
}

interface AwaitOptions {
  readonly hub: Hub;
  /** Checked again whenever something has happened in any session. */
  readonly isMet: () => Promise<boolean>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Checks again with every published fact. Resolves with what ended the wait. */
function awaitAgents({ hub, isMet, timeoutMs, signal }: AwaitOptions): Promise<"met" | "timeout" | "aborted"> {
  return new Promise((resolve, reject) => {
    const checks = new TaskQueue();
    const end = (settle: () => void) => {
      clearTimeout(timer);
      listening[Symbol.dispose]();
      signal.removeEventListener("abort", onAbort);
      settle();
    };
    // One after another: what happens during one check is seen by the next.
    const check = () => {
      checks.run(isMet).then(
        (met) => {
          if (met) end(() => resolve("met"));
        },
        (error) => end(() => reject(error)),
      );
    };
    const onAbort = () => end(() => resolve("aborted"));
    const listening = hub.onBroadcast(check);
    const timer = setTimeout(() => end(() => resolve("timeout")), timeoutMs);
    signal.addEventListener("abort", onAbort);
    check();
  });
}
