// Builds the image of the Dockerfile and walks through a container of it: node scripts/bun.mjs scripts/test-container.ts
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { agentCache } from "./agents/agent-packages.ts";
import { baseImageName, obtainBaseImage } from "./container/base-image.ts";
import { Buildah } from "./container/buildah.ts";
import { Container } from "./container/container.ts";
import { checkPlaceOf } from "./container/place.ts";
import { repeatFailures, reportLine, reportOutput, seconds } from "./test/report.ts";
import { inWords, ONE_FAILED, ONE_PASSED, sum, type Tally } from "./test/tally.ts";

const root = resolve(import.meta.dirname, "..");
const IMAGE = "localhost/liminal-builder";
const WORDS = 400;

/** Why no image can be built here; null if one can. */
function reasonAgainst(): string | null {
  if (process.platform !== "linux") return "Images are built on Linux only.";
  if (Bun.which("buildah") === null) return "buildah is not on PATH. Install it, or use: docker compose up --build";
  if (process.getuid?.() !== 0) return "Buildah needs root here, to make the root file system of the image.";
  return null;
}

async function main(): Promise<Tally> {
  const folder = await mkdtemp(join(tmpdir(), "lc-"));
  const buildah = new Buildah(folder);
  const tallies: Tally[] = [];
  const step = async (name: string, act: () => Promise<string | undefined>) => {
    const startedAt = performance.now();
    const note = await act().catch((error: unknown) => {
      reportLine("FAIL", name, seconds(startedAt));
      reportOutput(error instanceof Error ? error.message : String(error));
      tallies.push(ONE_FAILED);
      throw new StepFailed();
    });
    reportLine("ok", name, [seconds(startedAt), note].filter(Boolean).join(", "));
    tallies.push(ONE_PASSED);
  };
  try {
    await using container = new Container(buildah, IMAGE, folder);
    await walk(step, buildah, container);
    await step("a place", async () => checkPlaceOf(IMAGE, folder));
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
  } finally {
    await buildah.clear();
    await rm(folder, { recursive: true, force: true });
  }
  return sum(tallies);
}

/** Steps after a failed one would fail for the same reason. */
class StepFailed extends Error {}

type TakeStep = (name: string, act: () => Promise<string | undefined>) => Promise<void>;

async function walk(step: TakeStep, buildah: Buildah, container: Container): Promise<void> {
  let api = new Api("", "");
  let sessionId = "";
  await step("base image", async () => obtainBaseImage(buildah, await baseImageName(root), agentCache(process.env)));
  await step("build", async () => {
    const options = ["--pull-never", "--isolation", "chroot", "--network", "host"];
    await buildah.run("build", ...options, "--tag", IMAGE, root);
    return undefined;
  });
  await step("start", async () => {
    const { origin, token } = await container.start();
    api = new Api(origin, token);
    const { status } = await fetch(`${origin}/api/v1/projects`);
    if (status !== 401) throw new Error(`without the token it answers ${status}`);
    return `as ${container.isolation} isolates it`;
  });
  await step("prompt over HTTP", async () => {
    const { project } = await api.post("projects", { path: "/projects" });
    ({ sessionId } = await api.post("sessions", { projectId: project.id, cliType: "builtin" }));
    await api.expect(sessionId, "stream 3 words", "w1 w2 w3");
    return undefined;
  });
  await step("kill -9 and go on", async () => {
    await api.post(`sessions/${sessionId}/messages`, { content: `stream ${WORDS} words` });
    await container.killServer();
    const { origin, token } = await container.start();
    api = new Api(origin, token);
    await api.expect(sessionId, "stream 5 words", "w1 w2 w3 w4 w5");
    const all = await api.history(sessionId);
    for (const text of ["stream 3 words", "w1 w2 w3", `stream ${WORDS} words`])
      if (!all.includes(text)) throw new Error(`"${text}" is lost`);
    return undefined;
  });
  await step("stop", async () => {
    await container.stop();
    if (container.running > 0) throw new Error(`${container.running} processes are left`);
    return undefined;
  });
}

/** The HTTP API, as used by a program outside the container. */
class Api {
  readonly #origin: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(origin: string, token: string) {
    this.#origin = `${origin}/api/v1`;
    this.#headers = { Authorization: `Bearer ${token}` };
  }

  async post(path: string, body: object) {
    const request = { method: "POST", headers: this.#headers, body: JSON.stringify(body) };
    const response = await fetch(`${this.#origin}/${path}`, request);
    const text = await response.text();
    if (!response.ok) throw new Error(`POST ${path} answers ${response.status}: ${text}`);
    return JSON.parse(text);
  }

  /** Sends the message, and waits until the turn that it starts has this answer and ends. */
  async expect(sessionId: string, content: string, answer: string): Promise<void> {
    await this.post(`sessions/${sessionId}/messages`, { content });
    for await (const event of this.#events(sessionId)) {
      const isAtRest = event.includes('"state":"idle"');
      if (isAtRest && (await this.history(sessionId)).includes(answer)) return;
    }
    throw new Error(`the events ended without "${answer}"`);
  }

  /** The first event: the session so far. */
  async history(sessionId: string): Promise<string> {
    for await (const event of this.#events(sessionId)) return event;
    throw new Error("there are no events");
  }

  async *#events(sessionId: string): AsyncGenerator<string> {
    const { body } = await fetch(`${this.#origin}/sessions/${sessionId}/events`, { headers: this.#headers });
    let rest = "";
    for await (const part of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      const events = (rest + part).split("\n\n");
      rest = events.pop() ?? "";
      yield* events.filter((event) => event.includes("data:"));
    }
  }
}

const reason = reasonAgainst();
if (reason !== null) {
  console.log(`Left out: the image is not built, and no container is run. ${reason}`);
} else {
  const total = await main();
  repeatFailures();
  console.log(inWords(total));
  process.exitCode = total.failed === 0 ? 0 : 1;
}
