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

test("[X-7] 100,000 files are searched at a cost that grows with them and not faster", () => {
  const many = (count: number) =>
    takeSnapshot(Array.from({ length: count }, (_, index) => `src/mod${index % 97}/file-${index}.ts`));
  const cost = (snapshot: ReturnType<typeof takeSnapshot>) => {
    rankFiles(snapshot, "warm", 20);
    const runs = ["file-9", "mod12", "sf77", "file"].map((query) => {
      const started = performance.now();
      rankFiles(snapshot, query, 20);
      return performance.now() - started;
    });
    return Math.min(...runs) + 1;
  };
  expect(cost(many(100_000)) / cost(many(10_000))).toBeLessThan(100);
});
