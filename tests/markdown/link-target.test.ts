import { describe, expect, it, test } from "bun:test";
import { isInlineImage, resolveLinkTarget } from "../../src/ui/markdown/link-target.ts";

describe("resolveLinkTarget", () => {
  it("lets through web and mail addresses, normalised by the URL parser", () => {
    expect(resolveLinkTarget("https://Example.com/a b")).toEqual({ kind: "url", href: "https://example.com/a%20b" });
    expect(resolveLinkTarget("HTTP://a.b")).toEqual({ kind: "url", href: "http://a.b/" });
    expect(resolveLinkTarget("mailto:a@b.c")).toEqual({ kind: "url", href: "mailto:a@b.c" });
  });

  it("refuses every other scheme, however it is hidden", () => {
    const hidden = [
      "javascript:alert(1)",
      "JAVASCRIPT:alert(1)",
      " javascript:alert(1)",
      "java\nscript:alert(1)",
      "java\tscript:alert(1)",
      "\u0001javascript:alert(1)",
      "javascript\u0000:alert(1)",
      "vbscript:x",
      "data:text/html,<script>",
      "blob:https://a/b",
      "file://server/share",
      "about:blank",
      "view-source:https://a.b",
      "intent://x",
      "//evil.example/x",
      "\\\\evil\\share",
      "http://",
      "https://[",
      "",
      "liminal:pending",
      "\u2028javascript:alert(1)",
    ];
    for (const href of hidden) expect({ href, kind: resolveLinkTarget(href).kind }).toEqual({ href, kind: "refused" });
  });

  it("takes what has no scheme for a path, with or without a line", () => {
    for (const path of [
      "src/a.ts",
      "./a.md",
      "../b",
      "/etc/hosts",
      "a.ts:12",
      "src/a.ts:3:14",
      "C:\\work\\a.ts",
      "100%",
    ]) {
      expect(resolveLinkTarget(path)).toEqual({ kind: "path", path });
    }
    expect(resolveLinkTarget("a%20b.md")).toEqual({ kind: "path", path: "a b.md" });
    expect(resolveLinkTarget("#part")).toEqual({ kind: "anchor" });
  });
});

describe("isInlineImage", () => {
  it("allows bitmaps in the text, and nothing that could load or script", () => {
    expect(isInlineImage("data:image/png;base64,AAAA")).toBe(true);
    expect(isInlineImage("data:image/webp;base64,AA+/=")).toBe(true);
    for (const href of [
      "data:image/svg+xml;base64,AA",
      "data:image/png,AA",
      "https://a.b/c.png",
      "data:text/html;base64,AA",
    ]) {
      expect(isInlineImage(href)).toBe(false);
    }
  });
});

test("an address of a file is its path, which is shown and never followed", () => {
  expect(resolveLinkTarget("file:///src/a%20b.ts#L12")).toEqual({ kind: "path", path: "/src/a b.ts:12" });
  expect(resolveLinkTarget("file:///C:/src/a.ts")).toEqual({ kind: "path", path: "C:/src/a.ts" });
});

test("an address of many dots is read once, and not dot by dot", () => {
  expect(resolveLinkTarget(`${"a.".repeat(400_000)}*`).kind).toBe("path");
  expect(resolveLinkTarget("src\\a.b/c.ts:12-14")).toEqual({ kind: "path", path: "src\\a.b/c.ts:12-14" });
});
