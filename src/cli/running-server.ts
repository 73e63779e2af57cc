import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";

const Note = z.object({ pid: z.int(), port: z.int() });

type Environment = Readonly<Record<string, string | undefined>>;

/** Says what to do when there is no server to talk to. */
export class NoServerError extends Error {
  override readonly name = "NoServerError";
}

/** The server that works with this user's data directory, as it announced itself there. */
export class RunningServer {
  readonly #origin: string;
  readonly #token: string;

  /** `token`: instead of the app's own. */
  constructor(env: Environment, token?: string) {
    const dataDir = env["LIMINAL_DATA_DIR"] || join(env["HOME"] || homedir(), ".liminal-builder");
    const notePath = join(dataDir, "server.json");
    if (!existsSync(notePath))
      throw new NoServerError(`No Liminal Builder is running for ${dataDir}. Start one with: liminal serve`);
    const { port } = Note.parse(JSON.parse(readFileSync(notePath, "utf8")));
    this.#origin = `http://127.0.0.1:${port}`;
    this.#token = token || env["LIMINAL_TOKEN"] || readFileSync(join(dataDir, "token"), "utf8").trim();
  }

  get(path: string): Promise<Response> {
    return fetch(this.#origin + path, { headers: this.#headers });
  }

  post(path: string, body: object, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response> {
    const all = { ...this.#headers, "Content-Type": "application/json", ...headers };
    return fetch(this.#origin + path, { method: "POST", headers: all, body: JSON.stringify(body), signal });
  }

  get #headers(): Record<string, string> {
    return { Authorization: `Bearer ${this.#token}` };
  }
}
