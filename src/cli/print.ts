import { once } from "node:events";
import { asPlainJson } from "../lib/harmless-text.ts";
import type { CommandLine } from "./command-line.ts";
import { paint, Styled, screenOf, type Text } from "./terminal.ts";

/**
 * The result: an object for programs, or text for people. A pipe often ends in a terminal, so agent text is made
 * harmless.
 */
export function print(line: CommandLine, result: object, text: Text): void {
  const shown = (text instanceof Styled ? text : Styled.of(text)).render(line.screen);
  process.stdout.write(
    line.json
      ? `${asPlainJson(JSON.stringify(result))}\n`
      : shown === "" || shown.endsWith("\n")
        ? shown
        : `${shown}\n`,
  );
}

let isQuiet = false;

/** From now on only results and errors are printed. */
export function beQuiet(): void {
  isQuiet = true;
}

/** Everything but the result: progress, hints, questions. Never on stdout, where the result goes. */
export function printNote(text: Text): void {
  if (!isQuiet) writeBeside(text);
}

/** Why the command failed: the first line is the error, the others are advice. */
export function printError(message: string): void {
  const [first = "", ...more] = message.split("\n");
  writeBeside(Styled.join([paint("red", first), ...more], "\n"));
}

function writeBeside(text: Text): void {
  const shown = text instanceof Styled ? text : Styled.of(text);
  process.stderr.write(`${shown.render(screenOf(process.stderr, process.env))}\n`);
}

/** Streams a body to stdout without buffering it. `clean` removes terminal control sequences. */
export async function pour(body: Response, clean: (text: string) => string): Promise<void> {
  if (body.body === null) return;
  const decoder = new TextDecoder();
  for await (const bytes of body.body) {
    if (!process.stdout.write(clean(decoder.decode(bytes, { stream: true })))) await once(process.stdout, "drain");
  }
  process.stdout.write(clean(decoder.decode()));
}
