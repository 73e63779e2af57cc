import { z } from "zod";
import { NoServerError, RunningServer } from "./running-server.ts";

const Failure = z.object({ error: z.string() });

/** Prints the wire trace of a session's agent: what was said both ways, and what it complained about. */
export async function logs(args: readonly string[]): Promise<void> {
  const [sessionId, ...rest] = args;
  if (sessionId === undefined || rest.length > 0) {
    process.stderr.write("Usage: liminal logs <session id>\n");
    process.exitCode = 1;
    return;
  }
  try {
    const server = new RunningServer(process.env);
    const response = await server.get(`/api/trace?sessionId=${encodeURIComponent(sessionId)}`);
    if (response.ok) process.stdout.write(await response.text());
    else fail(Failure.parse(await response.json()).error);
  } catch (error) {
    if (!(error instanceof NoServerError) && !(error instanceof Error && "code" in error)) throw error;
    fail(error.message);
  }
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
