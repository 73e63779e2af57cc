import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../support/free-port.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import { waitFor } from "../support/wait-for.ts";

const SSHD = ["/usr/sbin/sshd", "/usr/bin/sshd"].find(existsSync);
/** Whether there is a real SSH server here. */
export const CAN_SSH = SSHD !== undefined && Bun.which("ssh") !== null && Bun.which("ssh-keygen") !== null;
/** For the names of tests. */
export const WHERE_SSH = CAN_SSH
  ? "over a real sshd on loopback"
  : "over a real sshd (skipped: openssh-server is not installed)";

/** A real SSH server, and a `ssh` that knows its port, its key and the user's. */
export class Sshd implements AsyncDisposable {
  readonly #dir: TempDir;
  readonly #child: Bun.Subprocess<"ignore", "ignore", "ignore">;
  /** The directory of that `ssh`. */
  readonly bin: string;
  readonly port: number;

  private constructor(dir: TempDir, child: Bun.Subprocess<"ignore", "ignore", "ignore">, bin: string, port: number) {
    this.#dir = dir;
    this.#child = child;
    this.bin = bin;
    this.port = port;
  }

  /** Logins get this environment; the user's key may have options, as in `authorized_keys`. */
  static async start(env: Readonly<Record<string, string>>, keyOptions = ""): Promise<Sshd> {
    const dir = await tempDir();
    for (const name of ["host", "user"])
      Bun.spawnSync(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", dir.join(name)]);
    const line = `${keyOptions} ${readFileSync(dir.join("user.pub"), "utf8")}`.trimStart();
    writeFileSync(dir.join("authorized"), line, { mode: 0o600 });
    // It refuses to start as root without it.
    if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true });
    const port = await freePort();
    const settings = [
      `ListenAddress 127.0.0.1:${port}`,
      `HostKey ${dir.join("host")}`,
      `AuthorizedKeysFile ${dir.join("authorized")}`,
      ...["StrictModes no", "UsePAM no", "PasswordAuthentication no", "PidFile none", "PermitRootLogin yes"],
      ...["MaxStartups 100", "Subsystem sftp internal-sftp"],
      `SetEnv ${Object.entries(env)
        .map(([name, value]) => `${name}="${value}"`)
        .join(" ")}`,
    ];
    writeFileSync(dir.join("sshd_config"), `${settings.join("\n")}\n`);
    const child = Bun.spawn([SSHD ?? "", "-D", "-E", dir.join("log"), "-f", dir.join("sshd_config")], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    });
    const [kind, key] = readFileSync(dir.join("host.pub"), "utf8").split(" ");
    writeFileSync(dir.join("known"), `box ${kind} ${key}\n`);
    const client = [
      `Host box\n  HostName 127.0.0.1\n  HostKeyAlias box\n  Port ${port}`,
      `  IdentityFile ${dir.join("user")}\n  IdentitiesOnly yes\n  UserKnownHostsFile ${dir.join("known")}`,
      `Host stranger\n  HostName 127.0.0.1\n  Port ${port}\n  UserKnownHostsFile /dev/null\n  StrictHostKeyChecking yes`,
    ];
    writeFileSync(dir.join("config"), `${client.join("\n")}\n`);
    const bin = dir.join("bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "ssh"), `#!/bin/sh\nexec ${Bun.which("ssh")} -F ${dir.join("config")} "$@"\n`, {
      mode: 0o755,
    });
    await waitFor(
      () =>
        Bun.spawn([join(bin, "ssh"), "-o", "BatchMode=yes", "-o", "ConnectTimeout=5", "box", "true"], {
          stdio: ["ignore", "ignore", "ignore"],
        }).exited,
      (code) => code === 0,
      "the SSH server to take a login",
    );
    return new Sshd(dir, child, bin, port);
  }

  /** How many there were so far. */
  get logins(): number {
    return readFileSync(this.#dir.join("log"), "utf8").split("Accepted publickey").length - 1;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill();
    await this.#child.exited;
    await this.#dir[Symbol.asyncDispose]();
  }
}
