import { StderrTail } from "../agents/process/agent-process.ts";
import { type Place, placeFailure, sshCommand } from "../places/place.ts";
import { PlaceError } from "../places/place-error.ts";

/** The path of a copied program at a place. */
export const COPIED_PROGRAM = "~/.liminal-runner/bin/liminal";

const COPY = [
  "mkdir -p ~/.liminal-runner/bin",
  `cat > ${COPIED_PROGRAM}.new`,
  `chmod 755 ${COPIED_PROGRAM}.new`,
  `mv ${COPIED_PROGRAM}.new ${COPIED_PROGRAM}`,
].join(" && ");

/** Copies an executable to a machine over SSH, whole or not at all. */
export async function copyProgram(
  place: Extract<Place, { kind: "ssh" }>,
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  if (!(await Bun.file(file).exists()))
    throw new PlaceError(`${file} does not exist: pass an executable of Liminal Builder for the other machine.`);
  const child = Bun.spawn([...sshCommand(place.host, COPY)], {
    env,
    stdin: Bun.file(file),
    stdout: "ignore",
    stderr: "pipe",
  });
  const tail = new StderrTail();
  const decoder = new TextDecoder();
  for await (const chunk of child.stderr) tail.push(decoder.decode(chunk, { stream: true }));
  const code = await child.exited;
  if (code !== 0) throw placeFailure(place, { code, stderr: tail.lastLines() });
}
