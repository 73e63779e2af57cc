import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { dirname, join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

const UNIT = "liminal-builder.service";
const LABEL = "builder.liminal";

/**
 * Settings that the service takes over from the environment of its installation. Secrets are excluded: they would be in
 * a file.
 */
const KEPT =
  /^(?:PATH|LIMINAL_(?:DATA_DIR|PORT|HOST|LOG_LEVEL|HOLD_MS|TLS_CERT|TLS_KEY)|XDG_DATA_HOME|XDG_CONFIG_HOME)$/;

/** A server that the system starts when the user logs in. */
export interface Service {
  /** The file that describes it to the system. */
  readonly path: string;
  readonly text: string;
  /** Commands that make the system start it now and at each login. */
  readonly start: readonly (readonly string[])[];
  readonly stop: readonly (readonly string[])[];
  /** Ends with 0 while it runs. */
  readonly isRunning: readonly string[];
}

/** The service for this system; null if it has neither systemd nor launchd. */
export function describeService(program: string, env: Environment, platform: NodeJS.Platform): Service | null {
  const home = env["HOME"] || homedir();
  const kept = Object.entries(env).filter((pair): pair is [string, string] => KEPT.test(pair[0]) && Boolean(pair[1]));
  const variables: readonly (readonly [string, string])[] = [...kept, ["LIMINAL_NO_OPEN", "1"]];
  if (platform === "linux")
    return systemdService(program, variables, join(env["XDG_CONFIG_HOME"] || join(home, ".config")));
  if (platform === "darwin") return launchdService(program, variables, home);
  return null;
}

type Variables = readonly (readonly [string, string])[];

function systemdService(program: string, variables: Variables, configFolder: string): Service {
  const user = ["systemctl", "--user"];
  const text = [
    "[Unit]",
    "Description=Liminal Builder",
    "",
    "[Service]",
    // Through env, which becomes the program: systemd itself takes no path with special characters.
    `ExecStart=/usr/bin/env ${systemdWord(program, "command")} serve`,
    ...variables.map(([name, value]) => `Environment=${systemdWord(`${name}=${value}`, "variable")}`),
    "# Agents outlive a server that crashes; the next one continues them.",
    "KillMode=process",
    "Restart=on-failure",
    "RestartSec=2",
    "",
    "[Install]",
    "WantedBy=default.target",
    "",
  ].join("\n");
  return {
    path: join(configFolder, "systemd/user", UNIT),
    text,
    start: [
      [...user, "daemon-reload"],
      [...user, "enable", "--now", UNIT],
    ],
    stop: [[...user, "disable", "--now", UNIT]],
    isRunning: [...user, "is-active", "--quiet", UNIT],
  };
}

/** In quotes; a percent sign begins a specifier, and in a command a dollar sign begins a variable. */
function systemdWord(text: string, kind: "command" | "variable"): string {
  const escaped = text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n").replaceAll("%", "%%");
  return `"${kind === "command" ? escaped.replaceAll("$", "$$$$") : escaped}"`;
}

function launchdService(program: string, variables: Variables, home: string): Service {
  const path = join(home, "Library/LaunchAgents", `${LABEL}.plist`);
  const domain = `gui/${userInfo().uid}`;
  const text = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    "<dict>",
    `  <key>Label</key><string>${LABEL}</string>`,
    `  <key>ProgramArguments</key><array><string>${xmlText(program)}</string><string>serve</string></array>`,
    "  <key>EnvironmentVariables</key>",
    "  <dict>",
    ...variables.map(([name, value]) => `    <key>${xmlText(name)}</key><string>${xmlText(value)}</string>`),
    "  </dict>",
    "  <key>RunAtLoad</key><true/>",
    "  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>",
    "  <key>AbandonProcessGroup</key><true/>",
    "</dict>",
    "</plist>",
    "",
  ].join("\n");
  return {
    path,
    text,
    start: [["launchctl", "bootstrap", domain, path]],
    stop: [["launchctl", "bootout", `${domain}/${LABEL}`]],
    isRunning: ["launchctl", "print", `${domain}/${LABEL}`],
  };
}

function xmlText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

export function isInstalled({ path }: Service): boolean {
  return existsSync(path);
}

export function writeService({ path, text }: Service): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

export function removeService({ path }: Service): void {
  rmSync(path, { force: true });
}

/** Runs the commands until one fails; the output of that one, else null. */
export async function runAll(commands: readonly (readonly string[])[], env: Environment): Promise<string | null> {
  for (const command of commands) {
    const problem = await run(command, env);
    if (problem !== null) return `${command.join(" ")}: ${problem}`;
  }
  return null;
}

export async function isRunning(service: Service, env: Environment): Promise<boolean> {
  return (await run(service.isRunning, env)) === null;
}

async function run([program = "", ...words]: readonly string[], env: Environment): Promise<string | null> {
  const path = Bun.which(program, { PATH: env["PATH"] ?? "" });
  if (path === null) return "it is not on PATH";
  const child = Bun.spawn([path, ...words], { env: { ...env }, stdio: ["ignore", "ignore", "pipe"] });
  const [errors, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  return code === 0 ? null : errors.trim() || `exit code ${code}`;
}
