import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

const LISTENING = "0A";
const ADDRESS_COLUMN = 1;
const STATE_COLUMN = 3;
const INODE_COLUMN = 9;

/** Who listens on a port, as far as this user may see; null where that cannot be told. */
export function holderOfPort(port: number): string | null {
  const sockets = new Set(["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) => listeningInodes(table, port)));
  if (sockets.size === 0) return null;
  const pid = readdirSync("/proc").find((name) => /^\d+$/.test(name) && holdsOneOf(name, sockets));
  if (pid === undefined) return null;
  const command = tolerant(() => readFileSync(`/proc/${pid}/comm`, "utf8").trim(), "unknown");
  return `${command} (process ${pid})`;
}

function listeningInodes(table: string, port: number): string[] {
  if (!existsSync(table)) return [];
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return readFileSync(table, "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter((columns) => columns[ADDRESS_COLUMN]?.endsWith(wanted) && columns[STATE_COLUMN] === LISTENING)
    .map((columns) => `socket:[${columns[INODE_COLUMN]}]`);
}

function holdsOneOf(pid: string, sockets: ReadonlySet<string>): boolean {
  const names = tolerant(() => readdirSync(`/proc/${pid}/fd`), []);
  return names.some((name) => sockets.has(tolerant(() => readlinkSync(`/proc/${pid}/fd/${name}`), "")));
}

/** Processes end while we look, and others' are not for us to see. */
function tolerant<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && "code" in error) return otherwise;
    throw error;
  }
}
