import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { type AgentSetting, ROOT } from "../support/test-server.ts";

const LOGIN = "--login";
const LOGIN_FILE = "TEST_LOGIN_FILE";
const WRONG_EXIT_CODE = 3;

/** What the login asks for; anything else is refused. */
export const PASSWORD = "open sesame";
/** Too long for one row of any terminal, as such addresses are. */
export const LOGIN_PAGE = `https://login.example/authorize?client=test&state=${"0123456789".repeat(12)}`;

/** The guide behind a login of its own that runs in a terminal: signed in once `loginFile` exists. */
export function terminalLoginAgent(loginFile: string): AgentSetting {
  const env = { [LOGIN_FILE]: loginFile };
  return { name: "Gatekeeper", command: process.execPath, args: [import.meta.path], env, retryMs: [] };
}

const METHODS = [
  {
    id: "terminal-login",
    name: "Log in with a password",
    description: "Asks in a terminal.",
    type: "terminal",
    args: [LOGIN],
  },
  { id: "api-key", name: "GATEKEEPER_API_KEY", description: "A key from your account page.", type: "env_var" },
];

/** Asks for the password on the terminal it runs in. */
async function logIn(loginFile: string): Promise<number> {
  const { columns, rows } = process.stdout;
  process.stdout.write(`\x1b[32mWelcome\x1b[0m to ${columns} columns and ${rows} rows.\r\nVisit ${LOGIN_PAGE}\r\n`);
  process.stdout.write("Password: ");
  const [line] = await once(createInterface({ input: process.stdin }), "line");
  if (line !== PASSWORD) {
    process.stdout.write("\r\nThat is not the password.\r\n");
    return WRONG_EXIT_CODE;
  }
  writeFileSync(loginFile, "");
  return 0;
}

/** Forwards everything from the guide to us; only its messages about signing in are changed. */
async function serve(loginFile: string): Promise<number> {
  const flags = existsSync(loginFile) ? [] : ["--scenario", "auth-required"];
  const guide = spawn(process.execPath, [join(ROOT, "builtin-agent/main.ts"), ...flags], {
    stdio: ["inherit", "pipe", "inherit"],
  });
  const exited = once(guide, "exit");
  for await (const line of createInterface({ input: guide.stdout })) process.stdout.write(`${withMethods(line)}\n`);
  const [code] = await exited;
  return Number(code);
}

const Initialized = z.looseObject({ result: z.looseObject({ authMethods: z.array(z.unknown()) }) });

function withMethods(line: string): string {
  const answer = Initialized.safeParse(JSON.parse(line)).data;
  return answer ? JSON.stringify({ ...answer, result: { ...answer.result, authMethods: METHODS } }) : line;
}

if (import.meta.main) {
  const loginFile = process.env[LOGIN_FILE] ?? "";
  process.exit(await (process.argv.includes(LOGIN) ? logIn(loginFile) : serve(loginFile)));
}
