import { open } from "node:fs/promises";
import { asPlainJson } from "../lib/harmless-text.ts";
import type { CommandLine } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { findSession } from "./find-session.ts";
import { pour, print } from "./print.ts";
import { bodyOf } from "./running-server.ts";
import { connect } from "./server-link.ts";
import { plain } from "./terminal.ts";

export async function exportSession(line: CommandLine): Promise<ExitCode> {
  const file = line.text("output");
  const format = line.text("format") ?? (line.json && file === undefined ? "json" : "md");
  using link = await connect(line.env);
  const sessionId = await findSession(link, line.args[0] ?? "");
  const body = await bodyOf(await link.server.get(`/api/export?${new URLSearchParams({ sessionId, format })}`));
  if (file === undefined) await pour(body, format === "json" ? asPlainJson : plain);
  else {
    const bytes = await writeNew(file, body);
    print(line, { sessionId, format, file, bytes }, `Written to ${file}.`);
  }
  return EXIT.done;
}

async function writeNew(file: string, body: Response): Promise<number> {
  try {
    await using target = await open(file, "wx");
    let bytes = 0;
    if (body.body) for await (const piece of body.body) bytes += (await target.write(piece)).bytesWritten;
    return bytes;
  } catch (error) {
    const code = error instanceof Error ? Reflect.get(error, "code") : undefined;
    if (code === "EEXIST")
      throw new CliError(
        EXIT.failed,
        `${file} already exists and was not changed. Choose another name.`,
        "FILE_EXISTS",
      );
    if (error instanceof Error && code !== undefined)
      throw new CliError(EXIT.failed, `Cannot write ${file}: ${error.message}`, "FILE_ERROR");
    throw error;
  }
}
