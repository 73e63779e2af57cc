import { AlreadyRunningError } from "../operations/instance-lock.ts";
import { moveFromPostgres, moveProblem, moveToPostgres } from "../operations/move-data.ts";
import { type CommandLine, wrongUsage } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { print } from "./print.ts";
import { dataDirOf } from "./running-server.ts";

/** Instead of an address, which others on this machine can read while the command runs. */
const FROM_ENVIRONMENT = "env";

/** Copies all sessions from the data directory into a PostgreSQL database, or back. */
export async function move(line: CommandLine): Promise<ExitCode> {
  const [to, from] = [line.text("to"), line.text("from")];
  if ((to === undefined) === (from === undefined)) throw wrongUsage(line, "Give either --to <url> or --from <url>.");
  const dataDir = dataDirOf(line.env);
  const url = addressOf(to ?? from ?? "", line);
  const moved = await explained(() => (to === undefined ? moveFromPostgres : moveToPostgres)({ dataDir, url }));
  const { projects, sessions, entries, receipts } = moved;
  const direction = to === undefined ? `the database to ${dataDir}` : `${dataDir} to the database`;
  print(
    line,
    { dataDir, projects, sessions, entries, receipts },
    `Copied ${projects} projects, ${sessions} sessions with ${entries} entries, and ${receipts} receipts from ${direction}. Every session was compared and is the same in both. The original was not changed.`,
  );
  return EXIT.done;
}

function addressOf(given: string, line: CommandLine): string {
  if (given !== FROM_ENVIRONMENT) return given;
  const url = line.env["LIMINAL_DATABASE_URL"];
  if (!url) throw wrongUsage(line, "LIMINAL_DATABASE_URL is not set.");
  return url;
}

async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const problem = moveProblem(error);
    if (problem !== null) throw new CliError(EXIT.failed, problem, "MOVE");
    if (error instanceof AlreadyRunningError)
      throw new CliError(EXIT.failed, `${error.message} Stop it with: liminal stop. Nothing was changed.`, "RUNNING");
    throw error;
  }
}
