import { readdirSync, readFileSync } from "node:fs";
import type { Workshop } from "../scene/workshop.ts";
import type { FaultWorld } from "./fault.ts";

const BEGINS_MS_MAX = 3_000;
const WITH_GIT_SHARE = 0.5;

export interface CutOffStep<Answer> {
  /** Gives the answer, which may come from the next server. */
  readonly run: () => Promise<Answer>;
  /** Whether the part has begun that must not be cut in half. */
  readonly hasBegun: () => boolean;
  /** How long that part takes, about. */
  readonly stepMs: number;
}

/** `kill -9` of the server in the middle of a step, alone or together with its Git; the next one answers. */
export async function cutOff<Answer>(
  { scene, random }: FaultWorld,
  { steps }: Workshop,
  { run, hasBegun, stepMs }: CutOffStep<Answer>,
): Promise<Answer> {
  const { server } = scene;
  let isAnswered = false;
  const answer = run();
  const answered = answer.then(
    () => {
      isAnswered = true;
    },
    () => {
      isAnswered = true;
    },
  );
  await scene.until(() => (hasBegun() || isAnswered ? null : "it has not begun"), BEGINS_MS_MAX, 0);
  await Promise.race([answered, Bun.sleep(random.between(0, stepMs))]);
  // With its Git, as a machine that goes down; or alone, as the kernel does when memory is short.
  const gits = random.fraction() < WITH_GIT_SHARE ? gitsBelow(server.pid) : [];
  steps[isAnswered ? "over" : "cutOff"] += 1;
  await server.kill();
  for (const pid of gits) killQuietly(pid);
  await server.start();
  return answer;
}

/** Git and what it runs. Holders are children of the server, too, and are left alone. */
function gitsBelow(pid: number): readonly number[] {
  const all = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [processOf(Number(name))] : []));
  const found = all.filter(({ parent, name }) => parent === pid && name.startsWith("git"));
  for (const { pid: parent } of found) found.push(...all.filter((one) => one.parent === parent));
  return found.map((one) => one.pid);
}

function processOf(pid: number): { readonly pid: number; readonly parent: number; readonly name: string } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const end = stat.lastIndexOf(")");
    return { pid, name: stat.slice(stat.indexOf("(") + 1, end), parent: Number(stat.slice(end + 2).split(" ")[1]) };
  } catch (error) {
    if (error instanceof Error && "code" in error) return { pid, parent: 0, name: "" };
    throw error;
  }
}

export function killQuietly(pid: number): void {
  signalQuietly(pid, "SIGKILL");
}

/** A process that has ended needs none. */
export function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error) || Reflect.get(error, "code") !== "ESRCH") throw error;
  }
}
