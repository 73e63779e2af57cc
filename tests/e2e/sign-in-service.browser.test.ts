import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CompanyService } from "../support/company-service.ts";
import { startTestServer } from "../support/test-server.ts";
import { axeViolations } from "./axe-violations.ts";
import { picturesOf } from "./pictures.ts";
import { useChromium } from "./use-chromium.ts";

const TEST_MS_MAX = 60_000;
const chromium = useChromium();

test(
  "a person who was added with their e-mail address signs in through the company's service, over TLS, and stays signed in",
  async () => {
    await using service = await CompanyService.start({
      mia: { email: "mia@example.com", email_verified: true, name: "Maria" },
      zoe: { email: "zoe@example.com", email_verified: true, name: "Zoe" },
    });
    await using server = await startTestServer({
      env: { LIMINAL_TLS: "on" },
      prepare: (dataDir) => writeFileSync(join(dataDir, "config.json"), JSON.stringify({ oidc: service.setting() })),
    });
    service.serve(server.origin);
    await using owner = await chromium.open(server, { acceptsCertificate: true });
    await owner.page.keyboard.press("Control+,");
    const people = owner.dialog("Settings").getByRole("region", { name: "People", exact: true });
    await people.getByRole("button", { name: "Add a person" }).click();
    await people.getByLabel("Name").fill("Mia");
    const email = people.getByLabel("E-mail at Example");
    await email.fill("mia");
    await email.press("Enter");
    await people.getByText("Enter an e-mail address such as").waitFor();
    await picturesOf(owner.page)("sign-in service form");
    await email.fill("mia@example.com");
    await email.press("Enter");
    await people.getByText("not signed in yet · mia@example.com").waitFor();
    expect(await axeViolations(owner.page)).toEqual([]);
    await picturesOf(owner.page)("sign-in service people");

    await using mia = await chromium.open(server, {
      ...{ acceptsCertificate: true, isRefused: true },
      signsIn: async (page) => {
        const logIn = async (login: string) => {
          await page.getByRole("link", { name: "Sign in with Example" }).click();
          await page.getByLabel("Login").fill(login);
          await page.getByLabel("Login").press("Enter");
        };
        await picturesOf(page)("sign-in service button");
        expect(await axeViolations(page)).toEqual([]);
        await logIn("zoe");
        await page.getByText("Nobody here has the e-mail address zoe@example.com.").waitFor();
        await picturesOf(page)("sign-in service refused");
        expect(await axeViolations(page)).toEqual([]);
        // The service knows her as Zoe now, and asks her again.
        await logIn("mia");
      },
    });
    expect(new URL(mia.page.url()).search).toBe("");
    await people.getByText("1 device · connected now · mia@example.com").waitFor();
    await mia.page.reload();
    await mia.untilListed();
  },
  TEST_MS_MAX,
);
