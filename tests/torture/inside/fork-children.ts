import { spawn } from "node:child_process";

/** Half of them have a child of their own; none ends by itself for a long time. */
export function forkChildren(count: number): void {
  for (let index = 0; index < count; index++) {
    const command = index % 2 === 0 ? "sleep 3600" : "sleep 3600 & exec sleep 3600";
    spawn("sh", ["-c", command], { stdio: "ignore" });
  }
}
