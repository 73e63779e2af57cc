import { describe, expect, it } from "bun:test";
import { completePath, pathRemark, stepChoice, takeDirectory } from "./completion.ts";

const listing = (path: string, ...names: string[]) => ({
  path,
  base: path.slice(0, path.lastIndexOf("/") + 1),
  entries: names.map((name) => ({ name })),
  hasMore: false,
});

describe("completing a path", () => {
  it("appends a slash to a chosen directory", () => {
    expect(takeDirectory(listing("~/co", "code"), "code")).toBe("~/code/");
  });

  it.each([
    ["the only one", listing("~/co", "code"), "~/code/"],
    ["what all agree on", listing("/w/ap", "apple-pie", "apple-tart"), "/w/apple-"],
    ["the one spelled as typed, before others", listing("/w/al", "alto", "Alpha"), "/w/alto/"],
    ["another spelling, when there is no other", listing("/w/al", "Alpha"), "/w/Alpha/"],
    ["nothing when they agree on no more", listing("/w/a", "ab", "ac"), null],
    ["nothing when nothing is typed, so that Tab goes on", listing("/w/", "only"), null],
    ["nothing when there is none", listing("/w/x"), null],
    ["nothing when not all are known", { ...listing("/w/ap", "apple"), hasMore: true }, null],
  ])("gives %s", (_what, given, expected) => {
    expect(completePath(given)).toBe(expected);
  });

  it("steps through the choices and back into the field", () => {
    expect([stepChoice(null, 1, 2), stepChoice(0, 1, 2), stepChoice(1, 1, 2)]).toEqual([0, 1, null]);
    expect([stepChoice(null, -1, 2), stepChoice(0, -1, 2), stepChoice(null, 1, 0)]).toEqual([1, null, null]);
  });

  it("[TC-1.2b] shows no message while the path can still become an existing one", () => {
    const problem = "That directory doesn't exist.";
    expect(pathRemark({ ...listing("/w/ap", "apple"), problem })).toBeNull();
    expect(pathRemark({ ...listing("/w/x"), problem })).toBe(problem);
    expect(pathRemark({ ...listing("/w/app/", "inner"), problem: "Project already exists." })).toBe(
      "Project already exists.",
    );
    expect(pathRemark(listing("/w/x"))).toBeNull();
  });
});
