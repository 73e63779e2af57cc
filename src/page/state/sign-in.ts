import type { CliType } from "../../protocol/ids.ts";
import type { Shell } from "./shell.ts";
import type { ShellDialog } from "./shell-dialog.ts";
import type { Tell } from "./trouble.ts";

export interface SignInWish {
  readonly cliType: CliType;
  readonly methodId: string;
  /** Where the page goes on after a login in a terminal, and when the user leaves that. */
  readonly done: ShellDialog;
  readonly back: ShellDialog;
}

/** Walks one of the agent's own methods. True when signed in; a login that needs a terminal is shown in one. */
export async function signIn(shell: Shell, wish: SignInWish, tell: Tell): Promise<boolean> {
  const { cliType, methodId, done, back } = wish;
  const answer = await shell.attempt({ type: "agent:authenticate", cliType, methodId }, tell);
  if (answer?.type === "terminal:opened") {
    const { terminalId, title } = answer;
    shell.dialog.value = { kind: "terminal", terminalId, title, cliType, methodId, done, back };
  }
  return answer?.type === "ok";
}
