import { expect, test } from "bun:test";
import { rankFiles, takeSnapshot } from "./rank-files.ts";

const FILES = takeSnapshot([
  "composer/README.md",
  "composer/state.ts",
  "src/web/composer/composer.tsx",
  "src/web/composer/composer-key.ts",
  "src/sessions/session-service.ts",
  "docs/über-uns.md",
]);

test("[X-7] a match in the file's own name comes before one in its directories", () => {
  expect(rankFiles(FILES, "composer", 10).slice(0, 2).sort()).toEqual([
    "src/web/composer/composer-key.ts",
    "src/web/composer/composer.tsx",
  ]);
});

test("[X-7] letters in order are enough, in any case and across directories", () => {
  expect(rankFiles(FILES, "compkey", 10)[0]).toBe("src/web/composer/composer-key.ts");
  expect(rankFiles(FILES, "SessServ", 10)[0]).toBe("src/sessions/session-service.ts");
  expect(rankFiles(FILES, "web/composer.tsx", 10)[0]).toBe("src/web/composer/composer.tsx");
  expect(rankFiles(FILES, "uber", 10)[0]).toBe("docs/über-uns.md");
  expect(rankFiles(FILES, "zzz", 10)).toEqual([]);
});

test("no query names the first files, and never more than asked for", () => {
  expect(rankFiles(FILES, "", 2)).toHaveLength(2);
  expect(rankFiles(FILES, "o", 1)).toHaveLength(1);
});

test("[X-7] among 100,000 files the right one comes first", () => {
  const many = Array.from({ length: 100_000 }, (_, index) => `src/mod${index % 97}/file-${index}.ts`);
  const snapshot = takeSnapshot([...many, "docs/needle.md"]);
  expect(rankFiles(snapshot, "needle", 20)).toEqual(["docs/needle.md"]);
  expect(rankFiles(snapshot, "file-77777", 20)[0]).toBe("src/mod80/file-77777.ts");
  expect(rankFiles(snapshot, "file", 20)).toHaveLength(20);
});
