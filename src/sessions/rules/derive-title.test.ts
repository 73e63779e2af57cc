import { expect, it } from "bun:test";
import { deriveTitle } from "./turn.ts";

it("collapses white space and keeps a short message complete", () => {
  expect(deriveTitle("  fix \n\t the   build ")).toBe("fix the build");
});

it("returns no title for a message without text", () => {
  expect(deriveTitle(" \n ")).toBeNull();
});

it("cuts at the last space after the 20th character and adds an ellipsis", () => {
  expect(deriveTitle("Refactor the billing module so that invoices and taxes live apart")).toBe(
    "Refactor the billing module so that invoices and…",
  );
});

it("cuts a long word at 50 characters, never inside a surrogate pair", () => {
  expect(deriveTitle("x".repeat(80))).toBe(`${"x".repeat(50)}…`);
  expect(deriveTitle(`${"x".repeat(49)}😀😀`)).toBe(`${"x".repeat(49)}…`);
});

it("keeps exactly 50 characters without an ellipsis", () => {
  expect(deriveTitle("y".repeat(50))).toBe("y".repeat(50));
});
