import { describe, expect, it } from "bun:test";
import { FirstUse } from "./first-use.ts";

describe("a part with a first use", () => {
  it("is built once, and not by whoever only looks", () => {
    let builds = 0;
    const part = new FirstUse(() => ({ build: ++builds }));
    expect(part.built).toBeNull();
    expect([part.use(), part.use()]).toEqual([{ build: 1 }, { build: 1 }]);
    expect(part.built).toBe(part.use());
  });

  it("is tried again after it could not be built", () => {
    let tries = 0;
    const part = new FirstUse(() => {
      tries += 1;
      if (tries === 1) throw new Error("not now");
      return { tries };
    });
    expect(part.use).toThrow("not now");
    expect(part.built).toBeNull();
    expect(part.use()).toEqual({ tries: 2 });
  });

  it("is followed before whoever uses it has it, and by who comes later", () => {
    const heard: string[] = [];
    const part = new FirstUse(() => ({ name: "part" }));
    part.onBuilt(({ name }) => heard.push(`early ${name}`));
    expect(heard).toEqual([]);
    part.use();
    part.onBuilt(({ name }) => heard.push(`late ${name}`));
    part.use();
    expect(heard).toEqual(["early part", "late part"]);
  });
});
