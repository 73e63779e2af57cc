import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { Team } from "../lifecycle/team.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { ask, invite } from "../support/person.ts";
import { CAN_RUN_POSTGRES, POSTGRES, PostgresServer } from "../support/postgres-server.ts";
import { axeViolations } from "./axe-violations.ts";
import { picturesOf } from "./pictures.ts";
import type { SessionView } from "./session-view.ts";
import { useChromium } from "./use-chromium.ts";

const TEST_MS_MAX = 120_000;
const TITLE = "stream 3 words";

const chromium = useChromium();
let database: PostgresServer;

describe.skipIf(!CAN_RUN_POSTGRES)(`two people at two servers of a team on ${POSTGRES}`, () => {
  beforeAll(async () => {
    database = await PostgresServer.start();
  });
  afterAll(() => database[Symbol.asyncDispose]());

  it(
    "[SC-38] [SC-39] [SC-40] see one session: one answers, the other sees who did, and whoever is disabled is out at once",
    async () => {
      await using team = await Team.start(database);
      const [worker, standby] = [await team.worker(), await team.standby()];
      const talk = await team.talk(worker);
      await talk.say(TITLE);
      await using at = await chromium.open(worker);
      const one = await at.open(TITLE);

      // The owner adds Mia on the page, gives her a role, and has a link for her.
      await at.page.keyboard.press("Control+,");
      const people = at.dialog("Settings").getByRole("region", { name: "People", exact: true });
      await people.getByRole("button", { name: "Add a person" }).click();
      await people.getByLabel("Name").fill("Mia");
      await people.getByLabel("Name").press("Enter");
      await people.getByLabel("Role of Mia in app").selectOption("member");
      await people.getByRole("button", { name: "Mia: Invite" }).click();
      await people.getByRole("img", { name: "QR code of the link" }).waitFor();
      const made = await people.getByLabel("Link", { exact: true }).inputValue();
      expect(await axeViolations(at.page)).toEqual([]);
      await picturesOf(at.page)("people invite");
      const pairingLink = `${standby.origin}/pair?code=${new URL(made).searchParams.get("code")}`;
      await using beside = await chromium.open(standby, { pairingLink, losesServer: true, isRefused: true });
      await people.getByText("Paired Chromium").waitFor();
      await at.page.keyboard.press("Escape");
      const other = await beside.open(TITLE);

      // Each sees that the other is there.
      const others = (view: SessionView) => view.frame.locator('[aria-label="Also here"]').textContent();
      await expectSoon(() => others(one)).toBe("Mia");
      await expectSoon(() => others(other)).toBe("Owner");

      await one.say("run echo both");
      await other.permission.waitFor();
      await other.permission.getByRole("button", { name: "Allow once", exact: true }).click();
      await expectSoon(() => one.permission.count()).toBe(0);
      await one.untilIdle();
      await other.ask("stream 2 words", "w2");
      for (const view of [one, other]) {
        await expectSoon(() => view.entries("tool-call").last().textContent()).toContain("allowed by Mia");
        await expectSoon(() => view.entries("user").locator(".author").allInnerTexts()).toEqual(["", "Owner", "Mia"]);
        expect(await axeViolations(view === one ? at.page : beside.page)).toEqual([]);
      }
      await picturesOf(beside.page)("people session");

      const { people: known } = (await (await worker.fetch("/api/v1/people")).json()) as {
        people: { id: string; name: string }[];
      };
      const id = known.find(({ name }) => name === "Mia")?.id ?? "";
      await ask(worker, `/api/v1/people/${id}/roles`, { projectId: talk.projectId, role: "viewer" });
      await expectSoon(() => other.message.getAttribute("placeholder")).toContain("You may look here");
      await picturesOf(beside.page)("people viewer");
      await ask(worker, `/api/v1/people/${id}`, { disabled: true }, "PATCH");
      await expectSoon(() => others(one)).toBe("");
      expect((await fetch(await invite(worker, "owner"))).status).toBe(200);
      await beside.page
        .getByText(/sign(ed)? (in|out)/i)
        .first()
        .waitFor();
      await picturesOf(beside.page)("people disabled");
    },
    TEST_MS_MAX,
  );
});
