import { examine } from "../server/doctor/examine.ts";
import type { Finding } from "../server/doctor/finding.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import type { CommandLine } from "./parse-command-line.ts";
import { plain, print } from "./print.ts";

const MARKS: Readonly<Record<Finding["status"], string>> = { ok: "ok     ", note: "note   ", problem: "PROBLEM" };

export async function doctor(line: CommandLine): Promise<ExitCode> {
  const checks = await examine({ env: line.env, agents: line.has("no-agents") ? false : (line.text("agent") ?? true) });
  const problems = checks.filter(({ status }) => status === "problem").length;
  const verdict = problems === 0 ? "No problems found." : `${problems} problem${problems === 1 ? "" : "s"} found.`;
  print(line, { ok: problems === 0, checks }, `${checks.map(described).join("")}\n${verdict}`);
  return problems === 0 ? EXIT.done : EXIT.failed;
}

function described({ id, status, message, fix }: Finding): string {
  const first = `${MARKS[status]}  ${id}: ${plain(message)}\n`;
  return fix === undefined ? first : `${first}         → ${plain(fix)}\n`;
}
