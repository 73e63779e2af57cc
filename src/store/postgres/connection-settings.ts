/** One server of PostgreSQL. */
export interface DatabaseHost {
  readonly hostname: string;
  readonly port: number;
  /** The folder of the server's Unix socket; null: over TCP. */
  readonly socketDir: string | null;
}

/** Where a PostgreSQL database is, and how it is reached. */
export interface ConnectionSettings {
  readonly username: string;
  readonly password: string;
  readonly database: string;
  /** The primary and its standbys; whichever takes changes is used. At least one. */
  readonly hosts: readonly DatabaseHost[];
  readonly tls: "disable" | "require" | "verify-ca" | "verify-full";
  /** A file with the certificates that may sign the server's; null: those of the system. */
  readonly rootCertificate: string | null;
}

/** The setting cannot be used as it is; the message says what to do. */
export class DatabaseUrlError extends Error {
  override readonly name = "DatabaseUrlError";
}

const FORM = "LIMINAL_DATABASE_URL must look like postgres://user:password@host:5432/database";
const PORT = 5432;
const MODES = ["disable", "require", "verify-ca", "verify-full"] as const;
/** Only a server that takes changes is of use: what libpq calls the other modes is refused. */
const TARGETS = ["primary", "read-write"];
/** Several hosts are no URL of the standard: `a:5432,b:5432`. */
const HOSTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*,[^/?#]*)/;
const HOST = /^(\[[^\]]*\]|[^:[\]]*)(?::(\d{1,5}))?$/;

/** Reads the URL of a database. Pure; throws a DatabaseUrlError. No message repeats the URL: it has a password. */
export function connectionSettings(text: string): ConnectionSettings {
  const several = HOSTS.exec(text);
  const url = URL.parse(several ? `${several[1]}several${text.slice(several[0].length)}` : text);
  if (!url || !["postgres:", "postgresql:"].includes(url.protocol)) throw new DatabaseUrlError(`${FORM}.`);
  const [username, password, database] = [url.username, url.password, url.pathname.slice(1)].map(decoded);
  const hosts = hostsOf(several?.[2] ?? url.host, url.searchParams.get("host"));
  if (!username || !database || hosts.some(({ hostname }) => hostname === ""))
    throw new DatabaseUrlError(`${FORM}: the user, host or database is missing.`);
  const target = url.searchParams.get("target_session_attrs");
  if (target !== null && !TARGETS.includes(target))
    throw new DatabaseUrlError(
      "LIMINAL_DATABASE_URL has target_session_attrs other than primary. Leave it out: of several hosts, the one that takes changes is used.",
    );
  const isNear = hosts.every(({ hostname, socketDir }) => socketDir !== null || isLoopback(hostname));
  const named = url.searchParams.get("sslmode");
  const tls = named === null ? (isNear ? "disable" : "verify-full") : MODES.find((mode) => mode === named);
  if (tls === undefined)
    throw new DatabaseUrlError(`LIMINAL_DATABASE_URL has an unknown sslmode. Use one of ${MODES.join(", ")}.`);
  if (tls === "disable" && !isNear)
    throw new DatabaseUrlError(
      "LIMINAL_DATABASE_URL asks for a connection without TLS to another machine. Remove sslmode=disable, or use sslmode=verify-full.",
    );
  const rootCertificate = url.searchParams.get("sslrootcert");
  return { username, password: password ?? "", database, hosts, tls, rootCertificate };
}

/** `names`: with ports, separated by commas. `socketDirs` names folders instead, as for libpq. */
function hostsOf(names: string, socketDirs: string | null): readonly DatabaseHost[] {
  const hosts = names.split(",").map((name): DatabaseHost => {
    const [, hostname = "", port] = HOST.exec(name) ?? [];
    return { hostname: decoded(hostname), port: Number(port ?? PORT), socketDir: null };
  });
  if (socketDirs === null) return hosts;
  const [first] = hosts;
  return socketDirs.split(",").map((socketDir, nth) => ({
    hostname: hosts[nth]?.hostname ?? first?.hostname ?? "",
    port: hosts[nth]?.port ?? first?.port ?? PORT,
    socketDir,
  }));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new DatabaseUrlError(`${FORM}: write special characters of the user and password as %-codes.`);
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
