import { z } from "zod";
import { ShownDevice } from "../protocol/devices.ts";
import { type CommandLine, wrongSubcommand } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { print } from "./print.ts";
import { bodyOf, type RunningServer } from "./running-server.ts";
import { connect } from "./server-link.ts";
import { type Column, CUT, type Screen, type Styled, table } from "./terminal.ts";

const Listed = z.object({ devices: z.array(ShownDevice) });
const Revoked = z.object({ revoked: z.array(z.string()) });
const COLUMNS: readonly Column[] = [
  { title: "ID", style: "cyan" },
  { title: "LAST SEEN (UTC)", style: (seen) => (seen === "now" ? "green" : "dim") },
  { title: "SIGNED IN (UTC)", style: "dim" },
  { title: "NAME", ...CUT },
];
const MINUTE_CHARS = "2000-01-01T00:00".length;

export async function devices(line: CommandLine): Promise<ExitCode> {
  const [verb = "list", wanted] = line.args;
  const isAll = line.has("all");
  const isRevoke = verb === "revoke" && isAll === (wanted === undefined);
  if (!isRevoke && (verb !== "list" || wanted !== undefined || isAll)) throw wrongSubcommand(line, ["list", "revoke"]);
  using link = await connect(line.env, "fail");
  const known = await listDevices(link.server);
  if (isRevoke) await revoke(line, link.server, isAll ? { others: true } : { id: idOf(known, wanted ?? "") });
  else
    print(
      line,
      { devices: known },
      known.length > 0
        ? listed(known, line.screen)
        : "No devices are signed in. Sign one in with: liminal open, or liminal pair",
    );
  return EXIT.done;
}

export async function listDevices(server: RunningServer): Promise<readonly ShownDevice[]> {
  return Listed.parse(await (await bodyOf(await server.get("/api/devices"))).json()).devices;
}

async function revoke(line: CommandLine, server: RunningServer, wish: object): Promise<void> {
  const { revoked } = Revoked.parse(await (await bodyOf(await server.post("/api/devices/revoke", wish))).json());
  const text = revoked.length === 0 ? "No devices were signed in." : `Revoked ${revoked.join(", ")}.`;
  print(line, { revoked }, text);
}

/** An id may be shortened, as long as it is unambiguous. */
function idOf(known: readonly ShownDevice[], wanted: string): string {
  const found = known.filter(({ id }) => id === wanted || id.startsWith(wanted));
  const [only] = found.filter(({ id }) => id === wanted).concat(found);
  if (only && (only.id === wanted || found.length === 1)) return only.id;
  const words =
    found.length > 1 ? `"${wanted}" matches ${found.length} devices. Type more of the id.` : `No device "${wanted}".`;
  throw new CliError(EXIT.failed, `${words} List devices with: liminal devices`, "DEVICE_NOT_FOUND");
}

function listed(known: readonly ShownDevice[], screen: Screen): Styled {
  const rows = known.map(({ id, name, createdAt, lastSeenAt, isConnected }) => [
    id,
    isConnected ? "now" : minuteOf(lastSeenAt),
    minuteOf(createdAt),
    name,
  ]);
  return table(COLUMNS, rows, screen);
}

function minuteOf(iso: string): string {
  return iso.slice(0, MINUTE_CHARS).replace("T", " ");
}
