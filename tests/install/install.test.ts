import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { agentPackage, nodeOnlyPackage } from "./agent-package.ts";
import { ACME, InstallerScene } from "./installer-scene.ts";

async function withVersions(...versions: string[]): Promise<InstallerScene> {
  const scene = await InstallerScene.open();
  for (const version of versions) await scene.registry.publish(await agentPackage({ version }));
  return scene;
}

test("X-5 an agent is installed at its pinned version, tried, and can be started without npx", async () => {
  await using scene = await withVersions("1.0.0", "1.1.0");
  scene.target = { ...scene.target, args: ["--without", "resume"], env: { ACME: "1" } };
  await scene.installer.install(ACME);
  const folder = join(scene.folder, ACME, "1.0.0");
  expect(scene.installed.view(ACME)).toEqual({
    version: "1.0.0",
    previousVersion: null,
    env: { ACME: "1" },
    command: [
      process.execPath,
      "--no-env-file",
      "--no-install",
      `--config=${join(folder, "bunfig.toml")}`,
      join(folder, "node_modules/@acme/agent/dist/index.js"),
      "--without",
      "resume",
    ],
  });
  expect(scene.files()).toEqual(["1.0.0", "current.json"]);
  expect(existsSync(join(folder, ".downloads")) || existsSync(join(folder, ".trial"))).toBe(false);
  expect(scene.changed).toEqual([ACME]);
});

test("X-5 an install reports its progress up to the end", async () => {
  await using scene = await withVersions("1.0.0");
  await scene.installer.install(ACME);
  expect(scene.phases()).toEqual(["preparing", "downloading", "testing", "switching", "done"]);
  const shares = scene.progress.map(({ progress }) => progress);
  expect(shares).toEqual(shares.toSorted((one, other) => one - other));
  expect(shares.at(-1)).toBe(1);
  expect(scene.progress.map(({ message }) => message)).toContain("Downloading Acme Agent 1.0.0 (1 of 1 packages)");
});

test("X-5 dependencies come along, and no package gets to run an install script", async () => {
  await using scene = await InstallerScene.open();
  const scripts = { preinstall: "touch ran", install: "touch ran", postinstall: "touch ran" };
  await scene.registry.publish({ name: "needed", version: "2.1.0", manifest: { scripts }, files: { "a.js": "" } });
  await scene.registry.publish(await agentPackage({ manifest: { dependencies: { needed: "^2.0.0" }, scripts } }));
  await scene.installer.install(ACME);
  const modules = join(scene.folder, ACME, "1.0.0", "node_modules");
  expect(existsSync(join(modules, "needed/package.json"))).toBe(true);
  const ran = [...new Bun.Glob("**/ran").scanSync({ cwd: modules, onlyFiles: false })];
  expect(ran).toEqual([]);
});

test("X-26 an update is installed aside, and one step leads back and forth", async () => {
  await using scene = await withVersions("1.0.0", "1.1.0");
  await scene.installer.install(ACME);
  await scene.installer.install(ACME, "1.1.0");
  expect(scene.installed.view(ACME)).toMatchObject({ version: "1.1.0", previousVersion: "1.0.0" });
  expect(scene.files()).toEqual(["1.0.0", "1.1.0", "current.json"]);
  scene.installer.rollBack(ACME);
  expect(scene.installed.view(ACME)).toMatchObject({ version: "1.0.0", previousVersion: "1.1.0" });
  expect(scene.installed.command(ACME)?.join(" ")).toContain("/1.0.0/");
  scene.installer.rollBack(ACME);
  expect(scene.installed.view(ACME)).toMatchObject({ version: "1.1.0", previousVersion: "1.0.0" });
  expect(scene.changed).toHaveLength(4);
});

test("X-26 versions that no way leads back to are removed, unless the agent is at work", async () => {
  await using scene = await withVersions("1.0.0", "1.1.0", "1.2.0", "1.3.0");
  await scene.installer.install(ACME);
  await scene.installer.install(ACME, "1.1.0");
  scene.isIdle = false;
  await scene.installer.install(ACME, "1.2.0");
  expect(scene.files()).toEqual(["1.0.0", "1.1.0", "1.2.0", "current.json"]);
  scene.isIdle = true;
  await scene.installer.install(ACME, "1.3.0");
  expect(scene.files()).toEqual(["1.2.0", "1.3.0", "current.json"]);
});

test("X-26 there is no way back from a first install, nor to files that are gone", async () => {
  await using scene = await withVersions("1.0.0", "1.1.0");
  await scene.installer.install(ACME);
  const back = async () => scene.installer.rollBack(ACME);
  expect(await scene.refusalOf(back())).toContain("No previous version");
  await scene.installer.install(ACME, "1.1.0");
  await rm(join(scene.folder, ACME, "1.0.0"), { recursive: true });
  expect(await scene.refusalOf(back())).toContain("No previous version");
  expect(scene.installed.view(ACME)?.version).toBe("1.1.0");
});

test("X-5 what is uninstalled leaves nothing behind; what is at work or was never installed stays", async () => {
  await using scene = await withVersions("1.0.0");
  expect(await scene.refusalOf(scene.installer.uninstall(ACME))).toContain("did not install it");
  await scene.installer.install(ACME);
  scene.isIdle = false;
  expect(await scene.refusalOf(scene.installer.uninstall(ACME))).toContain("It is running");
  expect(scene.installed.command(ACME)).not.toBeNull();
  scene.isIdle = true;
  await scene.installer.uninstall(ACME);
  expect(scene.files()).toBeNull();
  expect(scene.installed.view(ACME)).toBeNull();
});

test("X-5 a second request joins the first, and installing again what is there does nothing", async () => {
  await using scene = await withVersions("1.0.0", "1.1.0");
  const first = scene.installer.install(ACME);
  const joined = scene.installer.install(ACME);
  expect(await scene.refusalOf(scene.installer.install(ACME, "1.1.0"))).toContain("1.0.0 is being installed");
  expect(await scene.refusalOf(scene.installer.uninstall(ACME))).toContain("An installation is in progress");
  await Promise.all([first, joined]);
  const asked = scene.registry.asked.length;
  await scene.installer.install(ACME);
  expect(scene.registry.asked).toHaveLength(asked);
  expect(scene.changed).toEqual([ACME]);
});

test("X-5 files that went missing are noticed, and installing mends them", async () => {
  await using scene = await withVersions("1.0.0");
  await scene.installer.install(ACME);
  await rm(join(scene.folder, ACME, "1.0.0", "node_modules"), { recursive: true });
  expect(scene.installed.command(ACME)).toBeNull();
  await scene.installer.install(ACME);
  expect(scene.installed.command(ACME)).not.toBeNull();
  expect(scene.files()).toEqual(["1.0.0", "current.json"]);
});

test("X-26 what a killed install left behind goes with the next one", async () => {
  await using scene = await withVersions("1.0.0");
  const left = join(scene.folder, "other", "3.0.0.staging-dead");
  await mkdir(left, { recursive: true });
  await mkdir(join(scene.folder, ACME, "0.9.0.staging-dead"), { recursive: true });
  await scene.installer.install(ACME);
  expect(existsSync(left)).toBe(false);
  expect(scene.files()).toEqual(["1.0.0", "current.json"]);
});

test("X-5 an agent that wants a sign-in first counts as working", async () => {
  await using scene = await InstallerScene.open();
  await scene.registry.publish(await agentPackage({ flags: ["--scenario", "auth-required"] }));
  await scene.installer.install(ACME);
  expect(scene.installed.view(ACME)?.version).toBe("1.0.0");
});

test.skipIf(Bun.which("node") === null)("X-5 what Bun cannot run is started with Node", async () => {
  await using scene = await InstallerScene.open();
  await scene.registry.publish(nodeOnlyPackage("1.0.0"));
  await scene.installer.install(ACME);
  expect(scene.installed.command(ACME)?.[0]).toBe(Bun.which("node") ?? "");
});
