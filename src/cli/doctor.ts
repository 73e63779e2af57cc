import { examine } from "../operations/doctor/examine.ts";
import type { Finding } from "../operations/doctor/finding.ts";
import type { CommandLine } from "./command-line.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { print } from "./print.ts";
import { paint, type Screen, Styled, styled, wrap } from "./terminal.ts";

const MARKS: Readonly<Record<Finding["status"], Styled>> = {
  ok: paint("green", "ok     "),
  note: paint("yellow", "note   "),
  problem: paint("red", "PROBLEM"),
};
const INDENT = " ".repeat("PROBLEM  ".length);

export async function doctor(line: CommandLine): Promise<ExitCode> {
  const checks = await examine({ env: line.env, agents: line.has("no-agents") ? false : (line.text("agent") ?? true) });
  const problems = checks.filter(({ status }) => status === "problem").length;
  const verdict = problems === 0 ? "No problems found." : `${problems} problem${problems === 1 ? "" : "s"} found.`;
  const described = checks.map((check) => describe(check, line.screen));
  const text = styled`${Styled.join(described)}\n${paint(problems === 0 ? "green" : "red", verdict)}`;
  print(line, { ok: problems === 0, checks }, text);
  return problems === 0 ? EXIT.done : EXIT.failed;
}

function describe({ id, status, message, fix }: Finding, { columns }: Screen): Styled {
  const first = styled`${MARKS[status]}  ${wrap(`${id}: ${message}`, columns, INDENT)}\n`;
  return fix === undefined ? first : styled`${first}${INDENT}${wrap(`→ ${fix}`, columns, `${INDENT}  `)}\n`;
}
