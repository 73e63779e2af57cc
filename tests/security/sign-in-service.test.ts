import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { rawHttp } from "../integration/raw-http.ts";
import { CompanyService, Visitor } from "../support/company-service.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";

const TRIES_MAX = 100;
const KEY_BITS = 2_048;

let service: CompanyService;
let server: TestServer;
beforeAll(async () => {
  service = await CompanyService.start({
    ann: { email: "ann@example.com", email_verified: true, name: "Ann" },
    mallory: { email: "boss@example.com", email_verified: false, name: "Boss" },
    silent: { email: "boss@example.com", name: "Boss" },
    script: { email: "<script>alert(1)</script>@elsewhere.example", email_verified: true, name: "<b>" },
  });
  const oidc = service.setting({ allow: ["@example.com"] });
  server = await startTestServer({
    prepare: (dataDir) => writeFileSync(join(dataDir, "config.json"), JSON.stringify({ oidc })),
  });
  service.serve(server.origin);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});
beforeEach(() => {
  service.asked.length = 0;
});

const names = async () => {
  const { people } = await (await server.fetch("/api/v1/people")).json();
  return people.map(({ name }: { name: string }) => name);
};

/** Where the service sends a browser back to, with its code and its state. */
async function returned(visitor: Visitor, login = "ann"): Promise<URL> {
  return new URL(await visitor.signIn(await visitor.toService(server.origin), login));
}

const isAsked = () => service.asked.includes("/token");

test("a way back from the sign-in service with a forged state, without its cookie or with another browser's is refused before the service is asked", async () => {
  const [visitor, other] = [new Visitor(), new Visitor()];
  const [back, others] = [await returned(visitor), await returned(other)];
  const forged = new URL(back);
  forged.searchParams.set("state", "A".repeat(43));
  const missing = new URL(back);
  missing.searchParams.delete("state");
  for (const [who, address] of [
    [visitor, forged],
    [new Visitor(), back],
    [other, back],
    [visitor, missing],
  ] as const) {
    const { status, headers, page } = await who.comeBack(address.href);
    expect({ status, headers }).toEqual({ status: 400, headers: null });
    expect(page).toContain("Start again.");
  }
  for (const Cookie of [`liminal-${server.port}-visit=`, `liminal-${server.port}-visit=${"A".repeat(400)}`])
    expect((await new Visitor().get(others.href, { Cookie })).status).toBe(400);
  expect(isAsked()).toBe(false);
  expect(await names()).toEqual(["Owner"]);
});

test("a way back from the sign-in service works once: with the same code and cookie nobody gets in again", async () => {
  const visitor = new Visitor();
  const begun = await visitor.get(`${server.origin}/sign-in/service`);
  const Cookie = begun.headers.get("set-cookie")?.split(";")[0] ?? "";
  const back = await visitor.signIn(begun.headers.get("location") ?? "", "ann");
  expect((await visitor.comeBack(back)).status).toBe(302);
  service.asked.length = 0;
  const again = await new Visitor().get(back, { Cookie });
  expect([again.status, await again.text()]).toEqual([400, expect.stringContaining("finished already")]);
  expect(isAsked()).toBe(false);
});

test("a token of the sign-in service for another client, by another issuer, for another visit, out of time or signed by another key lets nobody in", async () => {
  const before = await names();
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: KEY_BITS });
  const mia = { sub: "mia", email: "mia@example.com", email_verified: true, name: "Mia" };
  for (const forgery of [
    { claims: { ...mia, aud: "another-client" } },
    { claims: { ...mia, aud: ["liminal", "another-client"], azp: "another-client" } },
    { claims: { ...mia, iss: "https://elsewhere.example" } },
    { claims: { ...mia, nonce: "of-another-visit" } },
    { claims: { ...mia, iat: 1, exp: 2 } },
    { claims: mia, key: privateKey },
  ]) {
    const visitor = new Visitor();
    const back = await returned(visitor);
    service.forgery = forgery;
    const { status, headers } = await visitor.comeBack(back.href);
    expect({ forgery: Object.keys(forgery), status, headers }).toMatchObject({ status: 502, headers: null });
    expect(service.forgery).toBeNull();
  }
  expect(await names()).toEqual(before);
  // The same token with nothing forged in it is a good one.
  const visitor = new Visitor();
  const back = await returned(visitor);
  service.forgery = { claims: mia };
  expect((await visitor.comeBack(back.href)).status).toBe(302);
  expect(await names()).toContain("Mia");
});

test("an e-mail address that the sign-in service has not verified is nobody's, neither of whom was added nor of whom the setting lets in", async () => {
  await server.fetch("/api/v1/people", {
    method: "POST",
    body: JSON.stringify({ name: "Boss", email: "boss@example.com", role: "owner" }),
  });
  for (const login of ["mallory", "silent"]) {
    const visitor = new Visitor();
    const { status, page } = await visitor.comeBack((await returned(visitor, login)).href);
    expect([status, page]).toEqual([403, expect.stringContaining("has not verified that boss@example.com is yours")]);
  }
  const { people } = await (await server.fetch("/api/v1/people")).json();
  const boss = people.find(({ name }: { name: string }) => name === "Boss");
  expect([boss.devices, boss.usesService]).toEqual([0, undefined]);
});

test("signing in by a service leads back to this server alone, whatever else stands in the address or the headers", async () => {
  const elsewhere = "https://elsewhere.example/";
  const more = `next=${elsewhere}&redirect_uri=${elsewhere}&returnTo=//elsewhere.example`;
  const headers = { "X-Forwarded-Host": "elsewhere.example", Referer: elsewhere };
  const visitor = new Visitor();
  const begun = await visitor.get(`${server.origin}/sign-in/service?${more}`, headers);
  const location = new URL(begun.headers.get("location") ?? "");
  expect(location.origin).toBe(service.issuer);
  expect(location.searchParams.get("redirect_uri")).toBe(`${server.origin}/sign-in/service/return`);
  expect(location.href).not.toContain("elsewhere.example");
  const back = await visitor.signIn(location.href, "ann");
  const { status, page } = await visitor.comeBack(`${back}&${more}`);
  expect(status).toBe(302);
  expect(page).not.toContain("elsewhere.example");
  expect(page).toMatch(/url=\/\?code=[\w-]+"/);
  const foreign = { path: "/sign-in/service", headers: { Host: "elsewhere.example" } };
  expect((await rawHttp(server.port, foreign)).status).toBe(403);
});

test("another page can lead to the sign-in service, but begins no sign-in; what it was begun with is sealed and hidden from scripts", async () => {
  const across = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
  for (const site of ["cross-site", "same-site"]) {
    const shown = await new Visitor().get(`${server.origin}/sign-in/service`, { ...across, "Sec-Fetch-Site": site });
    expect([shown.status, shown.headers.get("set-cookie")]).toEqual([401, null]);
  }
  const begun = await new Visitor().get(`${server.origin}/sign-in/service`);
  const location = new URL(begun.headers.get("location") ?? "");
  expect(location.searchParams.get("code_challenge_method")).toBe("S256");
  const [pair = "", ...attributes] = (begun.headers.get("set-cookie") ?? "").split("; ");
  expect(attributes.sort()).toEqual(["HttpOnly", "Max-Age=600", "Path=/sign-in/service", "SameSite=Lax"]);
  const sealed = Buffer.from(pair.slice(pair.indexOf("=") + 1), "base64url").toString("latin1");
  for (const name of ["state", "nonce"]) expect(sealed).not.toContain(location.searchParams.get(name) ?? "none");
  expect(begun.headers.get("cache-control")).toBe("no-store");
});

test("what the sign-in service says of a person is text on the page, and no secret of it is in the log", async () => {
  const visitor = new Visitor();
  const back = await returned(visitor, "script");
  const { status, page } = await visitor.comeBack(back.href);
  expect(status).toBe(403);
  expect(page).not.toContain("<script>");
  expect(page).not.toContain("<b>");
  for (const secret of ["a-secret-that-only", back.searchParams.get("code") ?? "none"])
    expect(server.log).not.toContain(secret);
});

test("whoever guesses at the way back from the sign-in service is slowed down, before the service is asked", async () => {
  const address = `${server.origin}/sign-in/service/return?code=x&state=y`;
  const statuses = new Set<number>();
  // All at once, since tries count for a minute; twice, since the tests before have begun one, which may end now.
  for (let round = 0; round < 2 && !statuses.has(429); round += 1) {
    const tries = Array.from({ length: TRIES_MAX + 1 }, () => new Visitor().get(address));
    for (const { status } of await Promise.all(tries)) statuses.add(status);
  }
  expect([...statuses].sort()).toEqual([400, 429]);
  const begun = await new Visitor().get(`${server.origin}/sign-in/service`);
  expect([begun.status, begun.headers.get("retry-after") === null]).toEqual([429, false]);
  expect(isAsked()).toBe(false);
});
