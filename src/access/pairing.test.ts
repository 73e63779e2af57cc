import { describe, expect, it } from "bun:test";
import { OWNER_ID } from "../protocol/people.ts";
import { PersonId } from "../protocol/person-ref.ts";
import { INVITATION_TTL_MS, PAIRING_TTL_MS, Pairing } from "./pairing.ts";

function scene() {
  const clock = { now: Date.UTC(2026, 0, 1), monotonic: 1_000 };
  let made = 0;
  const world = { now: () => clock.now, newId: () => `id-${++made}` };
  const revoked = new Set<string>();
  const disabled = new Set<string>();
  const pairing = new Pairing({
    world,
    monotonicMs: () => clock.monotonic,
    newSecret: () => `secret-number-${++made}`,
    isSignedIn: (device) => !revoked.has(device),
    isActive: (person) => !disabled.has(person),
  });
  return { clock, revoked, disabled, pairing };
}

describe("X-16 Pairing", () => {
  it("a code signs in once", () => {
    const { pairing } = scene();
    const { id, code } = pairing.invite(null);
    expect(pairing.isOpen(code)).toBe(true);
    expect(pairing.statusOf(id)).toMatchObject({ status: "waiting" });
    expect(pairing.redeem(code, "Safari on iPhone")).toBe(OWNER_ID);
    expect(pairing.statusOf(id)).toEqual({ status: "used", device: "Safari on iPhone" });
    expect(pairing.redeem(code, "another")).toBeNull();
    expect(pairing.isOpen(code)).toBe(false);
  });

  it("expires after five minutes, to the millisecond", () => {
    const { pairing, clock } = scene();
    const { id, code, expiresAt } = pairing.invite(null);
    expect(Date.parse(expiresAt) - clock.now).toBe(5 * 60_000);
    clock.monotonic += PAIRING_TTL_MS - 1;
    expect(pairing.isOpen(code)).toBe(true);
    clock.monotonic += 1;
    expect(pairing.redeem(code, "late")).toBeNull();
    expect(pairing.statusOf(id)).toEqual({ status: "expired" });
  });

  it("changing the machine's clock neither extends a link nor ends it (S14)", () => {
    const { pairing, clock } = scene();
    const [first, second] = [pairing.invite(null), pairing.invite(null)];
    clock.now += 24 * 3_600_000;
    expect(pairing.isOpen(first.code)).toBe(true);
    clock.now -= 48 * 3_600_000;
    clock.monotonic += PAIRING_TTL_MS;
    expect(pairing.isOpen(first.code)).toBe(false);
    expect(pairing.redeem(second.code, "late")).toBeNull();
  });

  it("ends with the device that created it", () => {
    const { pairing, revoked } = scene();
    const [stolen, other, program] = [pairing.invite("stolen"), pairing.invite("other"), pairing.invite(null)];
    revoked.add("stolen");
    expect([stolen, other, program].map(({ code }) => pairing.isOpen(code))).toEqual([false, true, true]);
    expect(pairing.redeem(stolen.code, "another")).toBeNull();
    expect(pairing.statusOf(stolen.id)).toEqual({ status: "expired" });
  });

  it("an unknown code is refused, and at most twenty invitations are kept", () => {
    const { pairing } = scene();
    const first = pairing.invite(null);
    for (const wrong of ["", "x", `${first.code}x`, first.code.slice(0, -1), first.id])
      expect(pairing.isOpen(wrong)).toBe(false);
    for (let index = 0; index < 20; index++) pairing.invite(null);
    expect(pairing.statusOf(first.id)).toBeNull();
    expect(pairing.isOpen(first.code)).toBe(false);
  });

  it("[SC-40] an invitation is for one person, holds for a day, and ends when that person is disabled", () => {
    const { pairing, clock, disabled } = scene();
    const [ann, ben] = [PersonId.parse("ann"), PersonId.parse("ben")];
    const [first, second] = [
      pairing.invite(null, ann, INVITATION_TTL_MS),
      pairing.invite(null, ben, INVITATION_TTL_MS),
    ];
    clock.monotonic += INVITATION_TTL_MS - 1;
    disabled.add(ben);
    expect(pairing.redeem(second.code, "Safari")).toBeNull();
    expect(pairing.redeem(first.code, "Safari")).toBe(ann);
    expect([first, second].map(({ id }) => pairing.personOf(id))).toEqual([ann, ben]);
    const late = pairing.invite(null, ann, INVITATION_TTL_MS);
    clock.monotonic += INVITATION_TTL_MS;
    expect(pairing.redeem(late.code, "Safari")).toBeNull();
  });

  it("[SC-40] many links of one person do not end those of others", () => {
    const { pairing } = scene();
    const first = pairing.invite(null);
    for (let index = 0; index < 30; index++) pairing.invite("device", PersonId.parse("ann"));
    expect(pairing.isOpen(first.code)).toBe(true);
  });
});
