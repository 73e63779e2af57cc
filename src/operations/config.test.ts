import { describe, expect, it } from "bun:test";
import { join, resolve } from "node:path";
import { ConfigError, readConfig } from "./config.ts";

const HOME = "/home/me";

function read(env: Readonly<Record<string, string>>, ...args: string[]) {
  return readConfig({ HOME, ...env }, args);
}

describe("readConfig", () => {
  it("needs no settings: the documented defaults apply", () => {
    expect(read({})).toEqual({
      host: "127.0.0.1",
      port: 3000,
      freePort: false,
      dataDir: join(HOME, ".liminal-builder"),
      databaseUrl: null,
      replicaHost: null,
      home: HOME,
      token: null,
      openBrowser: true,
      tls: { kind: "none" },
      allowedHosts: [],
      json: false,
      quiet: false,
      startTimeoutMs: 60_000,
      holdMs: 600_000,
      programIdleMs: 86_400_000,
      logLevel: "info",
      checkpointBytes: 4_194_304,
      stallMs: 30_000,
      limitCheckMs: 15_000,
      questionUnwatchedMs: 600_000,
      env: { HOME },
    });
  });

  it("reads every setting from its variable", () => {
    const env = {
      LIMINAL_PORT: "0",
      LIMINAL_HOST: "localhost",
      LIMINAL_DATA_DIR: "relative/dir",
      LIMINAL_TOKEN: "secret",
      LIMINAL_NO_OPEN: "",
      ACP_START_TIMEOUT_MS: "100",
      ACP_PROMPT_TIMEOUT_MS: "250",
    };
    expect(read(env, "--json", "--insecure")).toMatchObject({
      port: 0,
      host: "localhost",
      dataDir: resolve("relative/dir"),
      token: "secret",
      openBrowser: false,
      json: true,
      tls: { kind: "none" },
      startTimeoutMs: 100,
      stallMs: 250,
      limitCheckMs: 15_000,
    });
  });

  it("an empty variable counts as unset", () => {
    const env = { LIMINAL_PORT: "", LIMINAL_HOST: "", LIMINAL_DATA_DIR: "", LIMINAL_TOKEN: "" };
    expect(read(env)).toMatchObject({ port: 3000, host: "127.0.0.1", token: null });
  });

  it.each([
    ["LIMINAL_PORT", "http"],
    ["LIMINAL_PORT", "-1"],
    ["LIMINAL_PORT", "65536"],
    ["LIMINAL_PORT", "80.5"],
    ["ACP_START_TIMEOUT_MS", "soon"],
    ["ACP_START_TIMEOUT_MS", "0"],
    ["ACP_PROMPT_TIMEOUT_MS", "99999999"],
  ])("%s=%s is refused with its name and value", (name, value) => {
    expect(() => read({ [name]: value })).toThrow(ConfigError);
    expect(() => read({ [name]: value })).toThrow(`Invalid ${name} "${value}"`);
  });

  it("an unknown option is refused: a misspelled one must not pass", () => {
    expect(() => read({}, "--jsno")).toThrow("Unknown option --jsno. Did you mean --json?");
  });

  it("X-14 it can be quiet, like every command (E4)", () => {
    expect([read({}, "-q").quiet, read({}, "--quiet").quiet]).toEqual([true, true]);
  });

  const OUTSIDE = ["0.0.0.0", "::", "192.168.1.2", "build.example"];

  it.each(OUTSIDE)(
    "X-16 %s is reachable by others: only with TLS, unless the user says that a proxy adds it",
    (host) => {
      expect(read({ LIMINAL_HOST: host })).toMatchObject({ host, tls: { kind: "generated" } });
      expect(read({}, "--host", host)).toMatchObject({ host, tls: { kind: "generated" } });
      expect(read({ LIMINAL_HOST: "127.0.0.1" }, `--host=${host}`).tls).toEqual({ kind: "generated" });
      expect(read({ LIMINAL_HOST: host }, "--insecure").tls).toEqual({ kind: "none" });
      expect(read({ LIMINAL_HOST: host, LIMINAL_TLS: "off" }).tls).toEqual({ kind: "none" });
    },
  );

  it("X-16 a certificate of one's own needs its key, and is used on any address", () => {
    const env = { LIMINAL_TLS_CERT: "/etc/me.pem", LIMINAL_TLS_KEY: "/etc/me.key" };
    expect(read(env).tls).toEqual({ kind: "own", cert: "/etc/me.pem", key: "/etc/me.key" });
    expect(read({ ...env, LIMINAL_TLS: "off" }).tls).toEqual({ kind: "none" });
    expect(read({ LIMINAL_TLS: "on" }).tls).toEqual({ kind: "generated" });
    expect(() => read({ LIMINAL_TLS_CERT: "/etc/me.pem" })).toThrow("LIMINAL_TLS_KEY is not");
    expect(() => read({ LIMINAL_TLS_KEY: "/etc/me.key" })).toThrow("LIMINAL_TLS_CERT is not");
    expect(() => read({ LIMINAL_TLS: "yes" })).toThrow('Invalid LIMINAL_TLS "yes"');
  });

  it("X-16 additional names are listed; invalid ones are refused", () => {
    expect(read({ LIMINAL_ALLOWED_HOSTS: "Build.example, box:8443  [fd00::1]" }).allowedHosts).toEqual([
      "build.example",
      "box:8443",
      "[fd00::1]",
    ]);
    for (const wrong of ["https://build.example", "*", "a b/c", "*.example", "user@host"])
      expect(() => read({ LIMINAL_ALLOWED_HOSTS: wrong })).toThrow("in LIMINAL_ALLOWED_HOSTS");
  });

  it.each(["127.0.0.1", "127.1.2.3", "localhost", "::1"])("%s is loopback", (host) => {
    expect(read({ LIMINAL_HOST: host }).host).toBe(host);
  });
});
