import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { watchProcesses } from "../support/leftover-processes.ts";
import { tempDir } from "../support/temp-dir.ts";
import { ROOT } from "../support/test-server.ts";

const Packed = z.tuple([z.object({ files: z.array(z.object({ path: z.string() })) })]);
const Lock = z.object({ packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })) });
const AUDIT_MS_MAX = 20_000;

/** Without the scripts that bring dist/ up to date: the test run has done that, and other tests use it now. */
function pack(...args: readonly string[]): string {
  const quiet = ["--ignore-scripts", "--logs-max=0", "--loglevel=error"];
  return execFileSync("npm", ["pack", "--json", ...quiet, ...args], {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}

const ALLOWED =
  /^(?:README\.md|LICENSE|SECURITY\.md|package\.json|docs\/[\w-]+\.(?:md|json|1)|bin\/[\w.-]+|dist\/(?:manifest\.json|client\.mjs|[\w-]+\.html(?:\.gz|\.br)?|assets\/[\w.-]+)|(?:src|builtin-agent)\/[\w./-]+\.(?:ts|json|md))$/;
const SECRETS = [
  /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/,
  /\b(?:ghp|gho|github_pat)_[A-Za-z0-9_]{20,}/,
  /\bsk-[A-Za-z0-9_-]{20,}/,
  /\bAKIA[0-9A-Z]{16}\b/,
  /_authToken\s*=/,
  /\bnpm_[A-Za-z0-9]{36}\b/,
];

test("what is packed is what is needed to run: no tests, no settings of ours, nothing secret", () => {
  const [{ files }] = Packed.parse(JSON.parse(pack("--dry-run")));
  const paths = files.map(({ path }) => path);
  expect(
    paths.filter((path) => !ALLOWED.test(path) || path.includes(".test.") || /^src\/(page|frame|ui)\//.test(path)),
  ).toEqual([]);
  for (const needed of [
    "bin/liminal",
    "bin/liminal.mjs",
    "dist/manifest.json",
    "src/cli/main.ts",
    "builtin-agent/main.ts",
    "LICENSE",
  ])
    expect(paths).toContain(needed);
  const texts = paths.filter((path) => !path.startsWith("dist/") || path.endsWith(".html"));
  const leaking = texts.filter((path) => SECRETS.some((secret) => secret.test(readFileSync(join(ROOT, path), "utf8"))));
  expect(leaking).toEqual([]);
});

/** The folder an install makes, with what the package names as its dependencies and no more. */
async function install(folder: string): Promise<string> {
  const target = join(folder, "node_modules/liminal-builder");
  await mkdir(target, { recursive: true });
  pack("--pack-destination", folder);
  const [tarball = ""] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  execFileSync("tar", ["-xzf", join(folder, tarball), "-C", target, "--strip-components=1"]);
  const { packages } = Lock.parse(JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")));
  const needed = Object.entries(packages).flatMap(([path, { dev }]) => (path === "" || dev === true ? [] : [path]));
  for (const path of needed.filter((one) => existsSync(join(ROOT, one)) && one.lastIndexOf("node_modules") === 0)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await symlink(join(ROOT, path), join(folder, path));
  }
  return join(target, "bin/liminal");
}

test("a packed and installed package starts, builds nothing, and serves its page", async () => {
  await using dir = await tempDir();
  using processes = watchProcesses();
  const program = await install(dir.path);
  expect(existsSync(dir.join("node_modules/typescript"))).toBe(false);
  const child = Bun.spawn([program, "serve", "--json"], {
    cwd: dir.path,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: dir.join("home"),
      LIMINAL_DATA_DIR: dir.join("data"),
      LIMINAL_PORT: "0",
      LIMINAL_NO_OPEN: "1",
      ...processes.env,
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const errors = new Response(child.stderr).text();
  const reader = child.stdout.getReader();
  const { value, done } = await reader.read();
  if (done) throw new Error(`it did not start: ${await errors}`);
  const { url } = z.object({ url: z.string() }).parse(JSON.parse(new TextDecoder().decode(value)));
  const { origin, searchParams } = new URL(url);
  const page = await fetch(origin, { headers: { Authorization: `Bearer ${searchParams.get("token")}` } });
  expect(page.status).toBe(200);
  const [, script = ""] = /src="(\/assets\/[^"]+)"/.exec(await page.text()) ?? [];
  expect((await fetch(origin + script)).status).toBe(200);
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
});

/** What the registry knows about what we depend on, or why it cannot say. */
function audit(): { readonly serious: readonly string[] } | { readonly why: string } {
  const Report = z.object({ vulnerabilities: z.record(z.string(), z.object({ severity: z.string() })) });
  const args = ["audit", "--omit=dev", "--json", "--fetch-retries=0", "--logs-max=0"];
  const { stdout } = Bun.spawnSync(["npm", ...args], { cwd: ROOT, stderr: "ignore", timeout: AUDIT_MS_MAX });
  try {
    const { vulnerabilities } = Report.parse(JSON.parse(stdout.toString()));
    const serious = Object.entries(vulnerabilities).filter(([, { severity }]) => /high|critical/.test(severity));
    return { serious: serious.map(([name]) => name) };
  } catch (error) {
    if (error instanceof z.ZodError || error instanceof SyntaxError)
      return { why: "the package registry offers no audit here" };
    throw error;
  }
}

const audited = audit();
test.skipIf("why" in audited)(
  `nothing we depend on at run time has a known serious weakness${"why" in audited ? ` (skipped: ${audited.why})` : ""}`,
  () => {
    expect(audited).toEqual({ serious: [] });
  },
);
