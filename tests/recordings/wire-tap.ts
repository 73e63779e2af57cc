// Stands between the server and an agent and writes down what they say: bun wire-tap.ts <file> <command> [arguments].
import { appendFileSync } from "node:fs";

/** Started in an agent's place, with the file to write and the agent's own command. */
export const WIRE_TAP = import.meta.path;

async function tap(file: string, command: readonly string[]): Promise<number> {
  const child = Bun.spawn([...command], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const toAgent = passOn(Bun.stdin.stream(), "in", file, async (bytes) => {
    child.stdin.write(bytes);
    await child.stdin.flush();
  }).then(() => child.stdin.end());
  const fromAgent = passOn(child.stdout, "out", file, async (bytes) => {
    await Bun.write(Bun.stdout, bytes);
  });
  await Promise.race([Promise.all([toAgent, fromAgent]), child.exited]);
  return child.exited;
}

/** Lines are written down before they are passed on, so that the file has them in the order in which they mattered. */
async function passOn(
  stream: ReadableStream<Uint8Array>,
  direction: "in" | "out",
  file: string,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") appendFileSync(file, `{"${direction}":${line}}\n`);
    await write(bytes);
  }
}

if (import.meta.main) {
  const [file, ...command] = process.argv.slice(2);
  if (file === undefined || command.length === 0) throw new Error("wire-tap.ts <file> <command> [arguments]");
  process.exit(await tap(file, command));
}
