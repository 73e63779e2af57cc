import { describe, expect, it } from "bun:test";
import type { StoredPerson } from "../../src/ports/people-store.ts";
import { ProjectId } from "../../src/protocol/ids.ts";
import { PersonId } from "../../src/protocol/person-ref.ts";
import { NOW, PROJECT } from "../core/names.ts";
import { type OpenStores, openScene } from "./open-scene.ts";

const [ANN, BEN] = [PersonId.parse("ann"), PersonId.parse("ben")];
const OTHER_PROJECT = ProjectId.parse("other");

function person(id: PersonId, extra: Partial<StoredPerson> = {}): StoredPerson {
  return {
    id,
    name: `“${id}”`,
    role: "member",
    isDisabled: false,
    createdAt: NOW,
    email: null,
    subject: null,
    ...extra,
  };
}

export function describePeopleStore(name: string, open: OpenStores): void {
  describe(`${name}: PeopleStore`, () => {
    it("[SC-38] gives people back as they were put, oldest first, over a restart", async () => {
      await using at = await openScene(open);
      const younger = person(ANN, {
        createdAt: "2026-01-02T00:00:00.000Z",
        email: "ann@example.com",
        subject: "https://issuer ann",
      });
      const older = person(BEN, { role: "owner", isDisabled: true });
      for (const each of [younger, older]) await at.stores.people.put(each);
      await at.reopen();
      expect(await at.stores.people.list()).toEqual([older, younger]);
    });

    it("[SC-38] a person that is put again is the same one, and keeps the first day", async () => {
      await using at = await openScene(open);
      await at.stores.people.put(person(ANN));
      await at.stores.people.put(person(ANN, { name: "Ann", isDisabled: true, createdAt: "2026-01-03T00:00:00.000Z" }));
      expect(await at.stores.people.list()).toEqual([person(ANN, { name: "Ann", isDisabled: true })]);
    });

    it("[SC-38] an e-mail address and an account of the service are of one person, and free once they gave them up", async () => {
      await using at = await openScene(open);
      const { people } = at.stores;
      const known = person(ANN, { email: "ann@example.com", subject: "https://issuer ann" });
      await people.put(known);
      for (const same of [{ email: known.email }, { subject: known.subject }])
        expect(
          await people.put(person(BEN, same)).then(
            () => "stored",
            () => "refused",
          ),
        ).toBe("refused");
      await people.put(person(ANN));
      await people.put({ ...known, id: BEN });
      await at.reopen();
      expect(await at.stores.people.list()).toEqual([person(ANN), { ...known, id: BEN, name: known.name }]);
    });

    it("[SC-38] a person has one role in each project, and loses all with their removal, over a restart too", async () => {
      await using at = await openScene(open);
      const { people } = at.stores;
      for (const id of [ANN, BEN]) await people.put(person(id));
      await people.putRole({ personId: ANN, projectId: PROJECT, role: "viewer" });
      await people.putRole({ personId: ANN, projectId: PROJECT, role: "member" });
      await people.putRole({ personId: ANN, projectId: OTHER_PROJECT, role: "owner" });
      await people.putRole({ personId: BEN, projectId: PROJECT, role: "viewer" });
      await people.deleteRole(ANN, OTHER_PROJECT);
      await people.deleteRole(BEN, OTHER_PROJECT);
      await at.reopen();
      const roles = [
        { personId: ANN, projectId: PROJECT, role: "member" as const },
        { personId: BEN, projectId: PROJECT, role: "viewer" as const },
      ];
      expect(await at.stores.people.roles()).toEqual(roles);
      await at.stores.people.delete(ANN);
      await at.stores.people.delete(ANN);
      await at.reopen();
      expect(await at.stores.people.roles()).toEqual(roles.slice(1));
      expect(await at.stores.people.list()).toEqual([person(BEN)]);
    });

    it("[SC-38] devices and tokens keep their person over a restart", async () => {
      await using at = await openScene(open);
      const common = { secretHash: "hash", tokenMark: "mark", name: "n", createdAt: NOW };
      for (const personId of [ANN, null]) {
        const id = `of ${personId}`;
        await at.stores.devices.put({ ...common, id, lastSeenAt: NOW, isRevoked: false, personId });
        await at.stores.apiTokens.put({ ...common, id, scope: "act", projectId: null, lastUsedAt: null, personId });
      }
      await at.reopen();
      for (const store of [at.stores.devices, at.stores.apiTokens])
        expect((await store.list()).map(({ id, personId }) => [id, personId])).toEqual([
          ["of ann", ANN],
          ["of null", null],
        ]);
    });
  });
}
