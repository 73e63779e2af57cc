import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ShownPerson } from "../../src/protocol/people.ts";
import { liminalJson } from "../cli/liminal.ts";
import { CompanyService, Visitor } from "../support/company-service.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { ask } from "../support/person.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";

const ANN = { email: "Ann@Example.com", email_verified: true, name: "Ann" };

const withService = (setting: object) => ({
  prepare: (dataDir: string) => writeFileSync(join(dataDir, "config.json"), JSON.stringify({ oidc: setting })),
});

async function peopleOf(server: TestServer): Promise<{ readonly people: readonly ShownPerson[]; service?: string }> {
  return (await server.fetch("/api/v1/people")).json();
}

const named = async (server: TestServer, name: string) =>
  (await peopleOf(server)).people.find((person) => person.name === name);

/** Signs in at the service and comes back. */
async function enter(server: TestServer, login: string, visitor = new Visitor()) {
  const back = await visitor.signIn(await visitor.toService(server.origin), login);
  return visitor.comeBack(back);
}

describe("signing in through a company's service", () => {
  let service: CompanyService;
  let server: TestServer;
  beforeAll(async () => {
    service = await CompanyService.start({
      ann: ANN,
      bob: { email: "bob@example.com", email_verified: true, name: "Ann" },
      cleo: { email: "cleo@elsewhere.example", email_verified: true, name: "Cleo" },
      dora: { email: "dora@elsewhere.example", email_verified: true },
    });
    server = await startTestServer(withService(service.setting({ allow: ["@example.com"] })));
    service.serve(server.origin);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  test("makes a person of whom the setting lets in, without a role, and knows them again in another browser", async () => {
    const first = await enter(server, "ann");
    expect(first.status).toBe(302);
    expect(await named(server, "Ann")).toMatchObject({
      ...{ name: "Ann", role: "member", roles: [], devices: 1, email: "ann@example.com", usesService: true },
    });
    const seen = await server.fetch("/api/v1/projects", { headers: first.headers ?? {} });
    expect([seen.status, (await seen.json()).projects]).toEqual([200, []]);
    expect((await server.fetch("/api/v1/tokens", { headers: first.headers ?? {} })).status).toBe(200);

    service.employees.set("ann", { ...ANN, email: "married@elsewhere.example", email_verified: false });
    await enter(server, "ann");
    expect(await named(server, "Ann")).toMatchObject({ devices: 2, email: "ann@example.com" });
    service.employees.set("ann", ANN);
    expect((await peopleOf(server)).service).toBe("Example");
  });

  test("tells two of one name apart", async () => {
    await enter(server, "bob");
    expect(await named(server, "bob")).toMatchObject({ email: "bob@example.com" });
  });

  test("lets in who was added with their address, as that person, and nobody else with it", async () => {
    expect(await enter(server, "cleo")).toMatchObject({
      ...{ status: 403, page: expect.stringContaining("Nobody here has the e-mail address cleo@elsewhere.example") },
    });
    await ask(server, "/api/v1/people", { name: "Cleopatra", role: "member", email: "CLEO@elsewhere.example" });
    const entered = await enter(server, "cleo");
    expect(entered.status).toBe(302);
    expect(await named(server, "Cleopatra")).toMatchObject({ devices: 1, usesService: true });

    service.employees.set("impostor", { email: "cleo@elsewhere.example", email_verified: true });
    expect((await enter(server, "impostor")).page).toContain("belongs to Cleopatra, who signs in with another account");
    // The owner lets the first account go.
    const { id = "" } = (await named(server, "Cleopatra")) ?? {};
    for (const email of [null, "cleo@elsewhere.example"]) await ask(server, `/api/v1/people/${id}`, { email }, "PATCH");
    expect((await enter(server, "impostor")).status).toBe(302);
    expect((await enter(server, "cleo")).status).toBe(403);
  });

  test("one address is of one person, and only they and owners read it", async () => {
    const taken = await server.fetch("/api/v1/people", {
      method: "POST",
      body: JSON.stringify({ name: "Dora", email: "ann@EXAMPLE.com" }),
    });
    expect([taken.status, (await taken.json()).error]).toEqual([409, expect.stringContaining("Ann has this e-mail")]);
    const { headers } = await enter(server, "ann");
    const { people } = await (await server.fetch("/api/v1/people", { headers: headers ?? {} })).json();
    expect(people).toMatchObject([{ name: "Ann", email: "ann@example.com" }]);
  });

  test("whoever was disabled stays out until they are let in again", async () => {
    const { id = "" } = (await named(server, "Ann")) ?? {};
    await ask(server, `/api/v1/people/${id}`, { disabled: true }, "PATCH");
    expect(await enter(server, "ann")).toMatchObject({
      status: 403,
      page: expect.stringContaining("Ann was disabled"),
    });
    await ask(server, `/api/v1/people/${id}`, { disabled: false }, "PATCH");
    expect((await enter(server, "ann")).status).toBe(302);
  });

  test("the sign-in page has the button, and without a name or an address the service is refused with words", async () => {
    const page = await (await fetch(`${server.origin}/sign-in`)).text();
    expect(page).toContain('<a class="button" href="/sign-in/service">Sign in with Example</a>');
    service.employees.set("nameless", {});
    expect((await enter(server, "nameless")).page).toContain("does not say your e-mail address");
  });
});

test("a service that says no more than the subject in its token is asked for the rest", async () => {
  await using service = await CompanyService.start({ ann: ANN });
  await using server = await startTestServer(withService(service.setting({ allow: ["ann@example.com"] })));
  service.serve(server.origin, { saysMoreLater: true });
  expect((await enter(server, "ann")).status).toBe(302);
  expect(service.asked).toContain("/me");
  expect(await named(server, "Ann")).toMatchObject({ email: "ann@example.com" });
});

describe("what goes wrong between server and service is one sentence on a page", () => {
  let service: CompanyService;
  beforeEach(async () => {
    service = await CompanyService.start({ ann: ANN });
  });

  const start = async (more: object) =>
    startTestServer(withService(service.setting({ allow: ["@example.com"], ...more })));
  const sentence = (page: string) => /<p role="alert">(.*?)<\/p>/.exec(page)?.[1];
  const beginAt = async (server: TestServer) =>
    sentence(await (await new Visitor().get(`${server.origin}/sign-in/service`)).text());

  test("it is away, and back", async () => {
    await using _ = service;
    await using server = await start({});
    service.serve(server.origin);
    service.isAway = true;
    expect(await beginAt(server)).toContain("Example does not answer this server. Try again in a moment");
    service.isAway = false;
    // Not asked again for three seconds by this server; a new one asks.
    expect(await beginAt(server)).toContain("does not answer");
    await server.stop();
    await server.start();
    service.serve(server.origin);
    expect((await enter(server, "ann")).status).toBe(302);
    const { value } = await liminalJson(server, ["doctor", "--no-agents"]);
    expect(value.checks).toContainEqual({
      id: "sign-in",
      status: "ok",
      message: `Example answers (${service.issuer}).`,
    });
  });

  test("the secret is wrong, or not where the setting says", async () => {
    await using _ = service;
    await using server = await start({ clientSecret: "another" });
    service.serve(server.origin);
    const { status, page, headers } = await enter(server, "ann");
    expect({ status, headers }).toEqual({ status: 502, headers: null });
    expect(sentence(page)).toContain("Example does not accept this server. An owner has to correct");
    await expectSoon(async () => server.log).toContain("invalid_client");
    await using other = await start({ clientSecret: { fromEnv: "NOWHERE" } });
    expect(await beginAt(other)).toContain("does not accept this server");
    await expectSoon(async () => other.log).toContain("environment variable NOWHERE, which is not set");
  });

  test("the clocks differ, and the person says no", async () => {
    await using _ = service;
    await using server = await start({});
    service.serve(server.origin);
    const visitor = new Visitor();
    const begun = await visitor.toService(server.origin);
    const back = await visitor.signIn(begun, "ann");
    service.forgery = { claims: { iat: 1, exp: 2 } };
    expect(sentence((await visitor.comeBack(back)).page)).toContain("The clocks of Example and of this server differ");
    const state = new URL(await visitor.toService(server.origin)).searchParams.get("state");
    const no = `${server.origin}/sign-in/service/return?error=access_denied&error_description=%3Cb%3E&state=${state}&iss=${service.issuer}`;
    const { status, page } = await visitor.comeBack(no);
    expect({ status, words: sentence(page) }).toMatchObject({
      ...{ status: 403, words: expect.stringContaining("Example did not let you in") },
    });
    expect(page).not.toContain("<b>");
  });
});
