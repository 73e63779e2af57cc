import { expect, test } from "bun:test";
import { shortenPath } from "./block.ts";

test("a short path stays unchanged", () => {
  expect(shortenPath("src/main.ts")).toBe("src/main.ts");
});

test("a long path loses its middle and keeps its beginning, its file and as many folders as fit", () => {
  const path = "/home/ada/projects/atlas-api/packages/server/src/sessions/session-service.ts";
  expect(shortenPath(path, 60)).toBe("/home/…/packages/server/src/sessions/session-service.ts");
  expect(shortenPath(path, 40)).toBe("/home/…/src/sessions/session-service.ts");
});

test("no path is longer than the limit, whatever it contains", () => {
  for (const path of ["x".repeat(200), `a/${"b".repeat(200)}.ts`, "/".repeat(100), `${"long-folder/".repeat(20)}f.ts`])
    for (const most of [12, 30, 56]) expect(shortenPath(path, most).length).toBeLessThanOrEqual(most);
});
