import { expect, test } from "bun:test";
import { signInBy } from "../support/person.ts";
import { startTestServer } from "../support/test-server.ts";
import { COMMANDS_TIMEOUT_MS, liminal, liminalJson } from "./liminal.ts";

test(
  "X-14 [SC-38] people are added, invited, given roles, disabled and removed from the command line",
  async () => {
    await using server = await startTestServer();
    const path = await server.directory("shop");
    await liminalJson(server, ["projects", "add", path]);
    expect((await liminal(server, ["people"])).stdout).toContain("There is nobody but you");
    const added = await liminalJson(server, ["people", "add", "Ann"]);
    expect(added).toMatchObject({ code: 0, value: { person: { name: "Ann", role: "member", roles: [] } } });
    expect(
      (await liminalJson(server, ["people", "role", "ann", "viewer"], { cwd: path })).value.person.roles,
    ).toMatchObject([{ role: "viewer" }]);
    expect((await liminal(server, ["people", "role", "Ann", "king", "-p", "shop"])).code).toBe(2);
    expect((await liminalJson(server, ["people", "email", "ann", "Ann@Example.com"])).value.person.email).toBe(
      "ann@example.com",
    );
    const again = await liminalJson(server, ["people", "add", "Ben", "--email", "ANN@example.com"]);
    expect(again).toMatchObject({ code: 1, value: { error: { code: "PERSON_INVALID" } } });
    expect((await liminal(server, ["people", "email", "Ann", "nothing"])).code).toBe(2);
    expect((await liminal(server, ["people", "email", "Ann", "none"])).stdout).toContain("no e-mail address any more");
    const invited = await liminalJson(server, ["people", "invite", "Ann"]);
    const device = await signInBy(server, invited.value.links[0]);
    const seen = async () => (await server.fetch("/api/v1/projects", { headers: device })).status;
    expect(await seen()).toBe(200);
    expect((await liminal(server, ["people"])).stdout).toMatch(/Ann +member +1 +shop: viewer/);
    expect((await liminal(server, ["people", "disable", "Ann"])).stdout).toContain("Ann is disabled.");
    expect(await seen()).toBe(401);
    expect((await liminalJson(server, ["people", "remove", "Zoe"])).value.error.code).toBe("PERSON_NOT_FOUND");
    expect((await liminal(server, ["people", "remove", "Ann"])).stdout).toContain("Removed Ann.");
    expect((await liminalJson(server, ["people"])).value.people).toMatchObject([{ name: "Owner", isThis: true }]);
    expect((await liminal(server, ["people", "add"])).code).toBe(2);
  },
  COMMANDS_TIMEOUT_MS,
);
