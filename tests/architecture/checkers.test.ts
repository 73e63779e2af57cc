// Each check of the architecture, shown code that breaks its rule and code that keeps it.
import { describe, expect, test } from "bun:test";
import { barredNames } from "./barred-names.ts";
import { folderCycles } from "./folder-cycles.ts";
import { gitStarts } from "./git-starts.ts";
import { hastyLooks } from "./hasty-looks.ts";
import { holderOpinions } from "./holder-opinions.ts";
import { importCycles } from "./import-cycles.ts";
import { wrongArrows } from "./import-map.ts";
import { barrels, leftoverMarkers, swallowedErrors } from "./leftovers.ts";
import { pageDangers } from "./page-dangers.ts";
import { publicFileViolations } from "./public-files.ts";
import { parseSource, type SourceFile } from "./source-file.ts";
import { reachesForTheWorld } from "./world-access.ts";

/** How many findings a check has for one file. */
function findings(check: (file: SourceFile) => string[], path: string, text: string): number {
  return check(parseSource(path, text)).length;
}

describe("the holder's process", () => {
  const main = "src/agents/holder/main.ts";
  const opinions = (text: string) =>
    holderOpinions([
      parseSource(main, `import { a } from "./a.ts";`),
      parseSource("src/agents/holder/a.ts", text),
      parseSource("src/agents/holder/b.ts", "export const b = JSON.parse('1');"),
    ]).length;

  test.each([
    "JSON.parse(line);",
    "await new Response(line).json();",
    'import { z } from "zod/mini";',
    'const sdk = await import("@agentclientprotocol/sdk");',
    'import { b } from "./b.ts";',
  ])("has no business with %s", (text) => {
    expect(opinions(text)).toBe(1);
  });

  test.each([
    "JSON.stringify(exit);",
    'import { openSync } from "node:fs";',
    'import type { Socket } from "bun";',
    'import { type B } from "./b.ts";',
  ])("may have %s", (text) => {
    expect(opinions(text)).toBe(0);
  });
});

describe("starts of git", () => {
  test.each([
    'Bun.which("git");',
    'Bun.spawn(["git", "status"]);',
    'execFileSync("/usr/bin/git", []);',
    'execSync("git status");',
    "exec(`git -C place log`);",
    "await $`git status`;",
  ])("bars %s", (text) => {
    expect(findings(gitStarts, "src/server/a.ts", text)).toBe(1);
    expect(findings(gitStarts, "src/workspace/git/run-git.ts", text)).toBe(0);
    expect(findings(gitStarts, "src/server/a.test.ts", text)).toBe(0);
  });

  test.each(['new Set(["git", "npm"]);', 'Bun.spawn(["gitk"]);', 'Bun.which("bun");'])("allows %s", (text) => {
    expect(findings(gitStarts, "src/server/a.ts", text)).toBe(0);
  });
});

describe("public files", () => {
  const PUBLIC = {
    "src/agents": ["pool/agent-pool.ts", "holder/holder-host.ts"],
    "src/agents/holder": ["holder-host.ts"],
  };
  const importing = (path: string, specifier: string) => [parseSource(path, `import "${specifier}";`)];

  test.each([
    ["src/operations/a.ts", "../agents/pool/agent-supervisor.ts"],
    ["src/agents/pool/a.ts", "../holder/journal.ts"],
  ])("bars %s -> %s", (path, specifier) => {
    expect(publicFileViolations(importing(path, specifier), PUBLIC).imports).toHaveLength(1);
  });

  test.each([
    ["src/operations/a.ts", "../agents/pool/agent-pool.ts"],
    ["src/operations/a.ts", "../agents/holder/holder-host.ts"],
    ["src/agents/pool/a.ts", "./agent-supervisor.ts"],
    ["src/agents/pool/a.ts", "../holder/holder-host.ts"],
    ["src/agents/holder/a.ts", "../pool/agent-supervisor.ts"],
    ["src/operations/a.test.ts", "../agents/pool/agent-supervisor.ts"],
    ["src/operations/a.ts", "../lib/assert.ts"],
  ])("allows %s -> %s", (path, specifier) => {
    expect(publicFileViolations(importing(path, specifier), PUBLIC).imports).toEqual([]);
  });

  test("finds public files that nothing imports, and folders without an entry", () => {
    const files = [
      ...importing("src/agents/pool/a.ts", "./agent-pool.ts"),
      ...importing("src/operations/a.ts", "../agents/holder/holder-host.ts"),
    ];
    expect(publicFileViolations(files, PUBLIC).entries).toEqual([
      expect.stringContaining("src/agents/pool/agent-pool.ts"),
      expect.stringContaining("src/operations: list"),
    ]);
  });
});

describe("import map", () => {
  const arrows = (path: string, specifier: string) => wrongArrows([parseSource(path, `import "${specifier}";`)]);

  test.each([
    ["src/sessions/session.ts", "../store/event-log.ts"],
    ["src/store/event-log.ts", "../agents/catalog.ts"],
    ["src/protocol/ids.ts", "../lib/assert.ts"],
    ["src/protocol/ids.ts", "preact"],
    ["src/lib/assert.ts", "zod"],
    ["src/lib/assert.ts", "node:assert"],
    ["src/page/main.tsx", "../server/main.ts"],
    ["src/page/main.tsx", "../frame/composer.tsx"],
    ["src/frame/main.ts", "../page/main.tsx"],
    ["src/ui/icon.tsx", "../page/main.tsx"],
    ["src/page/main.tsx", "node:fs"],
    ["src/client/feed.ts", "bun"],
    ["src/client/feed.ts", "bun:sqlite"],
    ["src/protocol/ids.ts", "fs"],
    ["src/cli/list.ts", "../server/main.ts"],
    ["src/cli/server-list.ts", "../server/main.ts"],
    ["src/cli/open-request.ts", "../server/main.ts"],
    ["src/cli/serve-page.ts", "../server/main.ts"],
    ["src/ports/agent.ts", "../sessions/session.ts"],
    ["src/server/main.ts", "../cli/serve.ts"],
    ["src/server/main.ts", "../../tests/support/temp-dir.ts"],
    ["src/server/main.ts", "./main.test.ts"],
    ["src/server/main.ts", "../../scripts/build-page.ts"],
    ["builtin-agent/main.ts", "../src/protocol/ids.ts"],
    ["scripts/dev.ts", "../tests/support/temp-dir.ts"],
    ["src/services/session.ts", "zod"],
    ["src/session.ts", "zod"],
  ])("bars %s -> %s", (path, specifier) => {
    expect(arrows(path, specifier)).toHaveLength(1);
  });

  test.each([
    ["builtin-agent/main.ts", "../src/lib/assert.ts"],
    ["src/sessions/session.ts", "../ports/agent.ts"],
    ["src/workspace/projects.ts", "../ports/projects.ts"],
    ["src/bridge/socket.ts", "../sessions/session-service.ts"],
    ["src/orchestration/tools.ts", "../workspace/projects.ts"],
    ["src/protocol/ids.ts", "zod"],
    ["src/page/main.tsx", "../client/feed.ts"],
    ["src/frame/main.ts", "../ui/icon.tsx"],
    ["src/cli/main.ts", "./serve.ts"],
    ["src/cli/serve.ts", "../server/main.ts"],
    ["src/cli/running-server.ts", "../operations/instance-lock.ts"],
    ["src/server/main.ts", "../store/event-log.ts"],
    ["src/server/main.ts", "../../package.json"],
    ["src/sessions/session.test.ts", "../store/event-log.ts"],
    ["builtin-agent/main.ts", "@agentclientprotocol/sdk"],
  ])("allows %s -> %s", (path, specifier) => {
    expect(arrows(path, specifier)).toEqual([]);
  });

  test.each([
    'import type { Log } from "../store/event-log.ts";',
    'export type { Log } from "../store/event-log.ts";',
    'type Log = import("../store/event-log.ts").Log;',
    'const log = await import("../store/event-log.ts");',
    'const log = require("../store/event-log.ts");',
    'export * from "../store/event-log.ts";',
  ])("sees the arrow in %s", (text) => {
    expect(wrongArrows([parseSource("src/sessions/session.ts", text)])).toHaveLength(1);
  });

  test("names the line, the arrow and the cure", () => {
    const text = '\nimport "../store/event-log.ts";';
    const [message] = wrongArrows([parseSource("src/sessions/session.ts", text)]);
    expect(message).toBe(
      "src/sessions/session.ts:2: sessions -> store (src/store/event-log.ts); sessions may import protocol, lib, ports, presentation: pass it in, or meet in ports",
    );
  });
});

describe("import cycles", () => {
  test("finds a loop that only types close, and shows the way round", () => {
    const loop = [
      parseSource("src/lib/a.ts", 'import "./b.ts";'),
      parseSource("src/lib/b.ts", 'import { c } from "./c.ts";'),
      parseSource("src/lib/c.ts", 'import type { A } from "./a.ts";'),
    ];
    expect(importCycles(loop)).toHaveLength(1);
    expect(importCycles(loop)[0]).toStartWith("src/lib/a.ts -> src/lib/b.ts -> src/lib/c.ts -> src/lib/a.ts");
  });

  test("lets two files import a third", () => {
    const tree = [
      parseSource("src/lib/a.ts", 'import "./b.ts"; import "./c.ts";'),
      parseSource("src/lib/b.ts", 'import "./c.ts";'),
      parseSource("src/lib/c.ts", ""),
    ];
    expect(importCycles(tree)).toEqual([]);
  });
});

describe("folder cycles", () => {
  const folders = (...arrows: readonly (readonly [string, string])[]) =>
    folderCycles([
      ...arrows.map(([path, specifier]) => parseSource(path, `import "${specifier}";`)),
      ...["src/a/one/end.ts", "src/a/two/end.ts", "src/b/end.ts"].map((path) => parseSource(path, "")),
    ]);

  test("finds folders that import each other though no files do, at any depth", () => {
    expect(folders(["src/a/one/x.ts", "../two/end.ts"], ["src/a/two/y.ts", "../one/end.ts"])).toEqual([
      ["src/a/one", "src/a/two"],
    ]);
    expect(folders(["src/a/one/x.ts", "../../b/end.ts"], ["src/b/y.ts", "../a/two/end.ts"])).toEqual([
      ["src/a", "src/b"],
    ]);
  });

  test("allows one direction, and a folder that uses its own subfolders", () => {
    expect(folders(["src/a/one/x.ts", "../two/end.ts"], ["src/a/one/y.ts", "../../b/end.ts"])).toEqual([]);
    expect(folders(["src/a/top.ts", "./one/end.ts"], ["src/a/one/x.ts", "../top.ts"])).toEqual([]);
  });
});

describe("names", () => {
  test.each([
    ["src/lib/utils.ts", ""],
    ["src/common/ids.ts", ""],
    ["src/agents/process-manager.ts", ""],
    ["src/agents/eventHandler.ts", ""],
    ["src/agents/translate-v2.ts", ""],
    ["src/agents/pool.ts", "export class AgentManager {}"],
    ["src/agents/pool.ts", "export abstract class UpdateHandler {}"],
  ])("bars %s %s", (path, text) => {
    expect(findings(barredNames, path, text)).toBe(1);
  });

  test.each([
    ["src/agents/pool.ts", "export class AgentPool {} class InnerHandler {}"],
    ["src/lib/commonmark.ts", ""],
    ["src/protocol/utility-bill.ts", "export class Managerial {}"],
  ])("allows %s %s", (path, text) => {
    expect(findings(barredNames, path, text)).toBe(0);
  });
});

describe("leftovers", () => {
  test("a marker counts in a comment, not in a text", () => {
    expect(findings(leftoverMarkers, "src/lib/a.ts", "// TODO: later\n/* FIXME */")).toBe(2);
    expect(findings(leftoverMarkers, "src/lib/a.ts", 'const column = "TODO"; // todos are listed')).toBe(0);
  });

  test.each([
    ["src/lib/a.ts", 'export * from "./b.ts";', 1],
    ["src/lib/a.ts", 'export { b } from "./b.ts"; export type { C } from "./c.ts";', 1],
    ["src/lib/index.ts", "export const a = 1;", 1],
    ["src/lib/a.ts", 'export { b } from "./b.ts"; export const a = 1;', 0],
    ["src/lib/a.ts", "", 0],
  ])("barrel in %s: %s", (path, text, count) => {
    expect(findings(barrels, path, text)).toBe(count);
  });

  test.each([
    ["try { a(); } catch {}", 1],
    ["try { a(); } catch (error) { /* fine */ }", 1],
    ["a().catch(() => {});", 1],
    ["a().then(b, function () {});", 1],
    ["try { a(); } catch (error) { report(error); }", 0],
    ["try { a(); } catch { return undefined; }", 0],
    ['a().catch(ignore("gone")); a().then(() => {});', 0],
  ])("swallowed error: %s", (text, count) => {
    expect(findings(swallowedErrors, "src/lib/a.ts", text)).toBe(count);
  });
});

describe("world", () => {
  test.each([
    "Date.now();",
    "const clock = Date.now;",
    "new Date();",
    "Date();",
    "Math.random();",
    "process.env.HOME;",
    'globalThis.process["env"];',
    "const { env } = process;",
    "Bun.env.HOME;",
    "import.meta.env.MODE;",
    "crypto.randomUUID();",
    'import { randomUUID } from "node:crypto";',
    'import { env } from "process";',
  ])("bars %s inside, allows it in the composition root", (text) => {
    expect(findings(reachesForTheWorld, "src/sessions/session.ts", text)).toBe(1);
    expect(findings(reachesForTheWorld, "builtin-agent/turn/turn.ts", text)).toBe(1);
    expect(findings(reachesForTheWorld, "src/server/main.ts", text)).toBe(0);
    expect(findings(reachesForTheWorld, "builtin-agent/main.ts", text)).toBe(0);
    expect(findings(reachesForTheWorld, "src/sessions/session.test.ts", text)).toBe(0);
  });

  test("the page has a clock and no environment", () => {
    expect(findings(reachesForTheWorld, "src/page/main.tsx", "Date.now(); new Date();")).toBe(0);
    expect(findings(reachesForTheWorld, "src/page/main.tsx", "process.env.HOME;")).toBe(1);
  });

  test("a time that is given is no clock", () => {
    const text = "new Date(at); world.now(); Date.parse(text); child.env; this.random();";
    expect(findings(reachesForTheWorld, "src/sessions/session.ts", text)).toBe(0);
  });
});

describe("page", () => {
  test.each([
    "node.innerHTML = text;",
    'node["outerHTML"] = text;',
    "node.insertAdjacentHTML('beforeend', text);",
    "const view = <p dangerouslySetInnerHTML={{ __html: text }} />;",
    "const view = <iframe srcdoc={text} />;",
    "document.write(text);",
    "new DOMParser().parseFromString(text, 'text/html');",
    "eval(text);",
    "window.eval(text);",
    "new Function(text);",
  ])("bars %s", (text) => {
    expect(findings(pageDangers, "src/page/view.tsx", text)).toBeGreaterThan(0);
  });

  test("lets text be text", () => {
    const text = "// never innerHTML\nnode.textContent = 'eval(1)'; evaluate(node); file.write(text);";
    expect(findings(pageDangers, "src/page/view.tsx", text)).toBe(0);
  });
});

describe("looks of browser tests", () => {
  const path = "tests/e2e/some.browser.test.ts";

  test("finds a page that is judged by one look", () => {
    expect(findings(hastyLooks, path, "expect(await list.getByText('a').count()).toBe(2);")).toBe(1);
  });

  test("lets a test wait, and count what does not draw", () => {
    const text =
      "await expectSoon(() => list.count()).toBe(2); expect(await store.count).toBe(2); expect(seen).toBe(1);";
    expect(findings(hastyLooks, path, text)).toBe(0);
    expect(findings(hastyLooks, "tests/store/some.test.ts", "expect(await store.count()).toBe(2);")).toBe(0);
  });
});
