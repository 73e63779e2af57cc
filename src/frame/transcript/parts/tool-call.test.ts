import { expect, test } from "bun:test";
import { toolIcon } from "./tool-call.ts";

test("an unknown kind still has an icon", () => {
  expect([toolIcon("execute"), toolIcon("new_kind"), toolIcon(undefined)]).toEqual(["terminal", "bolt", "bolt"]);
});
