import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { COMMANDS } from "../../src/cli/command-table.ts";
import { rawHttp, UPGRADE } from "../integration/raw-http.ts";
import { startTalk } from "../integration/talk.ts";
import { bytesIfThere, filesIn } from "../support/files-in-use.ts";
import { ROOT, startTestServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server[Symbol.asyncDispose]());

async function signIn(headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const answer = await rawHttp(server.port, { path: `/?token=${server.token}`, headers });
  return answer.headers.get("set-cookie") ?? "";
}

const statusWith = async (Cookie: string) =>
  (await rawHttp(server.port, { path: "/api/status", headers: { Cookie } })).status;

test("a signed-in browser's cookie is hidden from scripts, stays on this site, has no domain and a name per port", async () => {
  const [pair = "", ...attributes] = (await signIn()).split("; ");
  expect(pair).toMatch(new RegExp(`^(?:__Host-)?liminal-${server.port}=`));
  expect(attributes).toContain("HttpOnly");
  expect(attributes).toContain("SameSite=Strict");
  expect(attributes).toContain("Path=/");
  expect(attributes.filter((attribute) => /^domain/i.test(attribute))).toEqual([]);
  expect(pair).not.toContain(server.token);
  expect(await statusWith(pair)).toBe(200);
});

test("a session cannot be fixed: a cookie somebody planted opens nothing, and signing in always makes a new one", async () => {
  const [own = ""] = (await signIn()).split(";");
  const [name = ""] = own.split("=");
  const planted = `${name}=planted.by-somebody`;
  expect(await statusWith(planted)).toBe(401);
  const [afterPlanted = ""] = (await signIn({ Cookie: planted })).split(";");
  expect(afterPlanted).not.toContain("planted");
  expect(await statusWith(afterPlanted)).toBe(200);
  const [afterOwn = ""] = (await signIn({ Cookie: own })).split(";");
  expect(afterOwn).not.toBe(own);
  // Put before the true one, as a page of another port can do it, it lets nobody in; at worst the user signs in again.
  expect([200, 401]).toContain(await statusWith(`${planted}; ${own}`));
  expect(await statusWith(`${planted}; ${planted}`)).toBe(401);
});

test("the token is taken out of the address at once: one redirect, nothing of it in answer, log, trace or any file", async () => {
  const answer = await rawHttp(server.port, { path: `/?token=${server.token}` });
  expect({ status: answer.status, location: answer.headers.get("location") }).toEqual({ status: 302, location: "/" });
  expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(`${answer.body}${[...answer.headers.values()].join()}`).not.toContain(server.token);
  const across = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
  const fromFile = await rawHttp(server.port, { path: `/?token=${server.token}`, headers: across });
  expect(fromFile.status).toBe(200);
  expect(fromFile.body).not.toContain(server.token);
  const talk = await startTalk(server, "builtin");
  await talk.say("help");
  for (const path of [`/ws?token=${server.token}`, `/api/status?token=${server.token}`, `/none?token=${server.token}`])
    await rawHttp(server.port, { path, headers: path.startsWith("/ws") ? UPGRADE : {} });
  const trace = await (await server.fetch(`/api/trace?sessionId=${encodeURIComponent(talk.sessionId)}`)).text();
  expect(trace).toContain("session/new");
  expect(trace).not.toContain(server.token);
  expect(server.log).not.toContain(server.token);
  // The checkpoint of the turn may still be on its way into its repository.
  const holding = filesIn(server.dataDir).filter((path) => bytesIfThere(path)?.includes(server.token));
  expect(holding).toEqual([join(server.dataDir, "token")]);
});

test("[X-33] the sign-in page takes the token or the whole link, says what is wrong, and names commands that exist", async () => {
  const post = (token: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${server.origin}/sign-in`, {
      method: "POST",
      redirect: "manual",
      headers: { Accept: "text/html", ...headers },
      body: new URLSearchParams({ token }),
    });
  const page = await (await fetch(`${server.origin}/sign-in`)).text();
  expect(page).toContain('<label for="token">Link or token</label>');
  const named = [...page.matchAll(/<code>(?:npx )?liminal (\w+)<\/code>/g)].map(([, name = ""]) => name);
  expect(named).toContain("open");
  for (const name of named) expect(COMMANDS.some((command) => command.name === name)).toBe(true);
  for (const given of [server.token, ` ${server.origin}/?token=${encodeURIComponent(server.token)} `]) {
    const answer = await post(given);
    expect({ status: answer.status, to: answer.headers.get("location")?.replace(/=.*/, "") }).toEqual({
      status: 303,
      to: "/#key",
    });
    const [cookie = ""] = (answer.headers.get("set-cookie") ?? "").split(";");
    expect(cookie).not.toContain(server.token);
    expect(answer.headers.get("cache-control")).toBe("no-store");
  }
  const wrong = await post("nearly");
  expect(wrong.status).toBe(401);
  expect(await wrong.text()).toContain("That is not the token of this server.");
  expect((await post(server.token, { Origin: "http://evil.example" })).status).toBe(403);
});

test("secrets are compared in constant time: hashed to one length, then timingSafeEqual, and by no other way", () => {
  const files = [...new Glob("src/**/*.ts").scanSync({ cwd: ROOT })]
    .filter((path) => !path.endsWith(".test.ts"))
    .map((path) => ({ path, code: readFileSync(join(ROOT, path), "utf8") }));
  const comparing = files.filter(({ code }) => /timingSafeEqual\(digest\(\w+\), digest\(\w+\)\)/.test(code));
  expect(comparing).toHaveLength(1);
  expect(files.filter(({ code }) => code.includes("timingSafeEqual("))).toEqual(comparing);
  const access = files.find(({ path }) => path === "src/bridge/access-control.ts")?.code ?? "";
  expect(access).toMatch(
    /isToken\(candidate: string\): boolean \{[^}]*\}[^}]*return candidate !== "" && [^;]*isSameSecret\(candidate, one\)\);/,
  );
  expect(access.match(/[=!]==\s*(?:this\.#\w+\.)?(?:token|secret|signature)\b/g)).toBeNull();
  const sessions = files.find(({ path }) => path === "src/orchestration/session-tokens.ts")?.code ?? "";
  expect(sessions).toContain("isSameSecret(token, this.tokenOf(id))");
  expect(sessions.match(/token\b.*[=!]==/g)).toBeNull();
});
