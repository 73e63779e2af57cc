import { expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connect } from "node:tls";
import { generateCertificate } from "../../src/operations/tls/generate-certificate.ts";
import { keptCertificate, readKept } from "../../src/operations/tls/kept-certificate.ts";
import { readCertificate } from "../../src/operations/tls/read-certificate.ts";
import { COMMANDS_TIMEOUT_MS, liminal, liminalJson } from "../cli/liminal.ts";
import { rawHttp } from "../integration/raw-http.ts";
import { tempDir } from "../support/temp-dir.ts";
import { PROGRAM, startTestServer, TestServer } from "../support/test-server.ts";

const DAY_MS = 24 * 3_600_000;
const NOW = Date.UTC(2026, 5, 1);

/** The certificate that a server shows to a client which trusts `ca` alone. */
function certificateShown(port: number, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, ca }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.end();
    });
    socket.on("error", reject);
  });
}

test("X-16 an address that others can reach is served with TLS: the certificate shown is the one printed, kept over restarts", async () => {
  await using server = await startTestServer({ env: { LIMINAL_HOST: "0.0.0.0" } });
  expect(server.url).toStartWith("https://127.0.0.1:");
  const { fingerprint = "" } = server;
  expect(server.log).toContain(fingerprint);
  const folder = join(server.dataDir, "tls");
  const ca = await readFile(join(folder, "generated-cert.pem"), "utf8");
  expect(await certificateShown(server.port, ca)).toBe(fingerprint);
  expect(new X509Certificate(ca).fingerprint256).toBe(fingerprint);
  const modes = await Promise.all(
    ["", "generated-key.pem", "generated-cert.pem"].map((name) => stat(join(folder, name))),
  );
  expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o600, 0o600]);

  const { cert: stranger } = await generateCertificate(["127.0.0.1"], Date.now());
  await expect(certificateShown(server.port, stranger)).rejects.toThrow();
  // Without TLS there is nothing: no page, no redirect, no cookie in the clear.
  const plain = await rawHttp(server.port, { path: `/?token=${server.token}` }).catch(() => ({ status: 0 }));
  expect(plain.status).toBe(0);

  const answer = await fetch(server.url, { redirect: "manual", tls: { ca } });
  expect(answer.status).toBe(302);
  expect(answer.headers.get("set-cookie")).toContain("; Secure");
  expect(answer.headers.get("strict-transport-security")).toBeNull();
  await server.stop();
  await server.start();
  expect(server.fingerprint).toBe(fingerprint);
});

test(
  "X-16 commands know the server by the certificate in the data directory, and talk to no other",
  async () => {
    await using server = await startTestServer({ env: { LIMINAL_TLS: "on" } });
    const path = await server.directory("shop");
    expect(await liminalJson(server, ["projects", "add", path])).toMatchObject({
      code: 0,
      value: { project: { path } },
    });
    expect(await liminal(server, ["run", "--wait", "-p", path, "stream 2 words"])).toMatchObject({
      code: 0,
      stdout: "w1 w2\n",
    });
    const { code, value } = await liminalJson(server, ["doctor", "--no-agents"], { env: { LIMINAL_TLS: "on" } });
    expect({ code, ok: value.ok }).toEqual({ code: 0, ok: true });
    const tls = value.checks.find(({ id }: { id: string }) => id === "tls");
    expect(tls.message).toContain(server.fingerprint);

    const served = join(server.dataDir, "tls/served-cert.pem");
    const right = await readFile(served, "utf8");
    const { cert: stranger } = await generateCertificate(["127.0.0.1", "localhost"], Date.now());
    await writeFile(served, stranger);
    const refused = await liminalJson(server, ["ls"]);
    expect(refused).toMatchObject({ code: 1, value: { error: { code: "STRANGE_SERVER" } } });
    await writeFile(served, right);
  },
  COMMANDS_TIMEOUT_MS,
);

test("X-16 with TLS agents get our tools from a program that trusts the certificate, and they work", async () => {
  await using server = await startTestServer({ env: { LIMINAL_TLS: "on" } });
  const env = { ...process.env, LIMINAL_DATA_DIR: server.dataDir, HOME: server.home };
  const child = Bun.spawn([process.execPath, PROGRAM, "mcp"], {
    env,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const say = (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "test", version: "1" };
  say({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } });
  say({ method: "notifications/initialized" });
  say({ id: 2, method: "tools/list", params: {} });
  let text = "";
  for await (const bytes of child.stdout) {
    text += Buffer.from(bytes).toString();
    if (text.includes('"id":2')) break;
  }
  expect(text).toContain('"tools":[{');
  child.stdin.end();
  await child.exited;
});

test("X-16 a certificate of the user's is held to what makes it usable, in words that name the variable", async () => {
  await using dir = await tempDir();
  const put = async (name: string, text: string) => {
    await writeFile(dir.join(name), text);
    return dir.join(name);
  };
  const good = await generateCertificate(["build.example"], NOW);
  const other = await generateCertificate(["build.example"], NOW);
  const old = await generateCertificate(["build.example"], NOW - 500 * DAY_MS);
  const future = await generateCertificate(["build.example"], NOW + 10 * DAY_MS);
  const cert = await put("cert.pem", good.cert);
  const key = await put("key.pem", good.key);
  expect(readCertificate({ cert, key }, NOW).names).toEqual(["build.example"]);
  const cases: readonly (readonly [{ cert: string; key: string }, RegExp])[] = [
    [{ cert: dir.join("none.pem"), key }, /LIMINAL_TLS_CERT: .*none\.pem does not exist/],
    [{ cert, key: dir.join("none.key") }, /LIMINAL_TLS_KEY: .*none\.key does not exist/],
    [{ cert: dir.path, key }, /LIMINAL_TLS_CERT: .* cannot be read \(EISDIR\)/],
    [{ cert: await put("junk.pem", "junk"), key }, /LIMINAL_TLS_CERT: .*junk\.pem contains no certificate/],
    [{ cert, key: await put("junk.key", "junk") }, /LIMINAL_TLS_KEY: .*junk\.key contains no readable private key/],
    [{ cert, key: await put("other.key", other.key) }, /LIMINAL_TLS_KEY: .* does not match the certificate/],
    [{ cert: await put("old.pem", old.cert), key: await put("old.key", old.key) }, /LIMINAL_TLS_CERT: .* expired on/],
    [{ cert: await put("new.pem", future.cert), key: await put("new.key", future.key) }, /not valid before/],
  ];
  for (const [files, words] of cases) expect(() => readCertificate(files, NOW)).toThrow(words);
  if (process.getuid?.() !== 0) {
    await chmod(key, 0);
    expect(() => readCertificate({ cert, key }, NOW)).toThrow(/LIMINAL_TLS_KEY: .* cannot be read by this user/);
  }
});

test("X-16 a server with the user's own certificate shows that one, and commands connect to it", async () => {
  await using dir = await tempDir();
  const { cert, key } = await generateCertificate(["build.example"], Date.now());
  const env = { LIMINAL_TLS_CERT: dir.join("cert.pem"), LIMINAL_TLS_KEY: dir.join("key.pem") };
  await writeFile(env.LIMINAL_TLS_CERT, cert);
  await writeFile(env.LIMINAL_TLS_KEY, key);
  await using server = await startTestServer({ env });
  expect(server.fingerprint).toBe(new X509Certificate(cert).fingerprint256);
  expect((await liminalJson(server, ["projects"])).value).toEqual({ projects: [] });
});

test("X-16 a generated certificate is renewed before it expires and when a name is missing, and else it stays", async () => {
  await using dir = await tempDir();
  const first = await keptCertificate(dir.path, ["box", "192.0.2.7"], NOW);
  expect(first.names).toEqual(expect.arrayContaining(["localhost", "127.0.0.1", "box", "192.0.2.7"]));
  const again = await keptCertificate(dir.path, ["box"], NOW + 300 * DAY_MS);
  expect(again.fingerprint).toBe(first.fingerprint);
  const moved = await keptCertificate(dir.path, ["box", "fd00::7"], NOW);
  expect(moved.fingerprint).not.toBe(first.fingerprint);
  expect(moved.names).toContain("192.0.2.7");
  expect((await keptCertificate(dir.path, ["box", "192.0.2.7", "fd00::7"], NOW)).fingerprint).toBe(moved.fingerprint);
  const renewed = await keptCertificate(dir.path, ["box"], NOW + 340 * DAY_MS);
  expect(renewed.fingerprint).not.toBe(moved.fingerprint);
  await writeFile(dir.join("tls/generated-key.pem"), "torn");
  expect(readKept(dir.path)).toBeNull();
  expect((await keptCertificate(dir.path, ["box"], NOW)).fingerprint).not.toBe(renewed.fingerprint);
});

test("X-16 without TLS on an open address the user is warned; names of a proxy in front are answered, others are not", async () => {
  await using server = await startTestServer({
    env: { LIMINAL_HOST: "0.0.0.0", LIMINAL_TLS: "off", LIMINAL_ALLOWED_HOSTS: "build.example" },
  });
  expect(server.url).toStartWith("http://127.0.0.1:");
  expect(server.log).toContain("TLS is off");
  const statusFor = async (host: string) => (await rawHttp(server.port, { path: "/healthz", host })).status;
  expect(await statusFor("build.example")).toBe(200);
  expect(await statusFor("evil.example")).toBe(403);
  const headers = { "X-Forwarded-Proto": "https" };
  const signedIn = await rawHttp(server.port, { path: `/?token=${server.token}`, host: "build.example", headers });
  expect(signedIn.headers.get("set-cookie")).toContain("; Secure");
});

test("X-16 a start with a certificate that does not fit its key ends with 1 and one clear line", async () => {
  await using dir = await tempDir();
  const [one, other] = await Promise.all([
    generateCertificate(["a"], Date.now()),
    generateCertificate(["a"], Date.now()),
  ]);
  const env = { LIMINAL_TLS_CERT: dir.join("cert.pem"), LIMINAL_TLS_KEY: dir.join("key.pem") };
  await writeFile(env.LIMINAL_TLS_CERT, one.cert);
  await writeFile(env.LIMINAL_TLS_KEY, other.key);
  await using server = await TestServer.prepare({ env });
  const { code, stdout, stderr } = await server.startInVain();
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("does not match the certificate");
  expect(stderr).not.toMatch(/\bat .*\.ts:\d+/);
});
