import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runTool } from "./run-tool.ts";
import type { UserSystemd } from "./user-systemd.ts";

/** The steps that every installed program has to pass, in this order. */
export const STEPS = ["start", "prompt", "client", "kill -9 and go on", "doctor", "uninstall"] as const;
export type Step = (typeof STEPS)[number];

const WORDS = 400;
const LOOK_MS = 100;
const LOOKS_MAX = 600;

/** Uses the package's client against a server, as a program of the user would. */
export type UseClient = (server: { readonly origin: string; readonly token: string }) => Promise<void>;

/** A user with a home of their own and an installed program. */
export class Journey implements AsyncDisposable {
  readonly #command: string;
  readonly #work: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #dataDir: string;
  readonly #useClient: UseClient;
  /** Starts the server as a service; null: the journey starts it itself. */
  readonly #systemd: UserSystemd | null;
  #server = { origin: "", token: "" };
  readonly #started: Bun.Subprocess<"ignore", "pipe", "inherit">[] = [];

  constructor(command: string, folder: string, useClient: UseClient, systemd: UserSystemd | null = null) {
    this.#command = command;
    this.#useClient = useClient;
    this.#systemd = systemd;
    this.#work = join(folder, "work");
    // Short: the path of a socket is below it.
    this.#dataDir = join(folder, "data");
    mkdirSync(this.#work, { recursive: true });
    this.#env = {
      HOME: join(folder, "home"),
      LIMINAL_DATA_DIR: this.#dataDir,
      LIMINAL_PORT: "0",
      LIMINAL_NO_OPEN: "1",
      LIMINAL_REGISTRY_URL: "off",
      ...systemd?.env,
    };
    mkdirSync(join(folder, "home"), { recursive: true });
  }

  async walk(step: Step): Promise<void> {
    switch (step) {
      case "start":
        return this.#systemd ? this.#installService() : this.#serve();
      case "prompt":
        return this.#expect(await this.#run("run", "--wait", "stream 3 words"), "w1 w2 w3");
      case "client":
        return this.#useClient(this.#server);
      case "kill -9 and go on":
        return this.#killAndGoOn();
      case "doctor":
        return this.#expect(await this.#run("doctor", "--json"), '"ok":true');
      case "uninstall":
        await this.#run("uninstall", "--yes");
        if (this.#systemd && this.#noteOfServer() !== "") throw new Error("the server still runs without its service");
        if (!existsSync(join(this.#dataDir, "token"))) throw new Error("the data is gone, which nobody asked for");
        return;
      default:
        return step satisfies never;
    }
  }

  /** Ends the server it started, if it is still running. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#started) child.kill("SIGTERM");
    await Promise.all(this.#started.map(({ exited }) => exited));
  }

  async #serve(): Promise<void> {
    const child = Bun.spawn([this.#command, "serve", "--json"], {
      cwd: this.#work,
      env: { ...process.env, ...this.#env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#started.push(child);
    const { value, done } = await child.stdout.getReader().read();
    if (done) throw new Error(`the server ended with ${await child.exited} instead of starting`);
    const { url, pid } = JSON.parse(new TextDecoder().decode(value));
    if (pid !== child.pid)
      throw new Error(`a launcher (process ${child.pid}) stays beside the server (process ${pid})`);
    const { origin, searchParams } = new URL(url);
    const token = searchParams.get("token") ?? "";
    this.#server = { origin, token };
    const page = await fetch(origin, { headers: { Authorization: `Bearer ${token}` } });
    const [, script = ""] = /src="(\/assets\/[^"]+)"/.exec(await page.text()) ?? [];
    const { status } = await fetch(origin + script);
    if (page.status !== 200 || status !== 200) throw new Error(`the page answers ${page.status}, its script ${status}`);
  }

  /** Starts at once, and is registered for the next login. */
  async #installService(): Promise<void> {
    await this.#run("service", "install", "--json");
    await this.#otherServerThan("");
    this.#expect(await this.#run("service", "status", "--json"), '"running":true');
  }

  async #otherServerThan(known: string): Promise<void> {
    for (let look = 0; look < LOOKS_MAX; look += 1) {
      const note = this.#noteOfServer();
      if (note !== "" && note !== known) {
        const token = readFileSync(join(this.#dataDir, "token"), "utf8").trim();
        this.#server = { origin: JSON.parse(note).origin, token };
        return;
      }
      await Bun.sleep(LOOK_MS);
    }
    throw new Error("the system did not start the server");
  }

  /** What a running server writes about itself. */
  #noteOfServer(): string {
    const file = join(this.#dataDir, "server.json");
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }

  /** The agent continues without a server; the next one has all of its output. */
  async #killAndGoOn(): Promise<void> {
    const { sessionId } = JSON.parse(await this.#run("run", "--json", `stream ${WORDS} words`));
    if (this.#systemd) {
      const note = this.#noteOfServer();
      await runTool(this.#systemd.inside("kill", "-9", String(JSON.parse(note).pid)), { cwd: this.#work, env: {} });
      // Only the system starts it.
      await this.#otherServerThan(note);
    } else {
      const server = this.#started.at(-1);
      server?.kill("SIGKILL");
      await server?.exited;
      await this.#serve();
    }
    const words = await this.#run("attach", sessionId, "--until-idle");
    this.#expect(words, Array.from({ length: WORDS }, (_, index) => `w${index + 1}`).join(" "));
  }

  async #run(...words: string[]): Promise<string> {
    const command = [this.#command, ...words];
    const { code, stdout, output } = await runTool(this.#systemd?.inside(...command) ?? command, {
      cwd: this.#work,
      env: this.#env,
    });
    if (code !== 0) throw new Error(`liminal ${words.join(" ")} ended with ${code}: ${output.slice(-2_000)}`);
    return stdout;
  }

  #expect(text: string, part: string): void {
    if (!text.includes(part)) throw new Error(`expected ${part.slice(0, 200)} in: ${text.slice(-1_000)}`);
  }
}
