import { expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { choosePackageTool } from "../../src/agents/install/fetch-package.ts";
import { tempDir } from "../support/temp-dir.ts";
import { agentPackage } from "./agent-package.ts";
import { ACME, InstallerScene } from "./installer-scene.ts";

const npm = Bun.which("npm");

test.each([
  ["registry=http://127.0.0.1:9/", "npm"],
  ["@acme:registry = http://127.0.0.1:9/", "npm"],
  ["//127.0.0.1:9/:_authToken=made-up", "npm"],
  ["https-proxy=http://127.0.0.1:9", "npm"],
  ["cafile=/etc/ssl/ours.pem", "npm"],
  ["fund=false\ncapacity=1", "bun"],
  ["; registry of our own\n# registry=x", "bun"],
])("X-5 machine-wide npm settings that only npm reads are left to npm: %p", async (settings, kind) => {
  await using dir = await tempDir();
  const file = dir.join("npmrc");
  await writeFile(file, settings);
  const which = (program: string) => `/usr/bin/${program}`;
  expect(choosePackageTool({ bun: ["/bun"], env: { npm_config_globalconfig: file }, which }).kind).toBe(
    kind === "npm" ? "npm" : "bun",
  );
  expect(choosePackageTool({ bun: ["/bun"], env: { npm_config_globalconfig: file }, which: () => null })).toEqual({
    kind: "bun",
    command: ["/bun"],
  });
});

test("X-5 npm's settings are looked for beside Node when nothing names them", async () => {
  await using dir = await tempDir();
  await mkdir(dir.join("bin"));
  await mkdir(dir.join("etc"));
  await writeFile(dir.join("bin/node"), "");
  await writeFile(dir.join("etc/npmrc"), "registry=http://127.0.0.1:9/");
  const which = (program: string) => dir.join("bin", program);
  expect(choosePackageTool({ bun: ["/bun"], env: {}, which })).toEqual({ kind: "npm", command: [dir.join("bin/npm")] });
});

test("X-5 a registry for the packages of one scope is honoured", async () => {
  await using scene = await InstallerScene.open({
    npmrc: ({ url }) => `registry=http://127.0.0.1:9/\n@acme:registry=${url}\n`,
  });
  await scene.registry.publish(await agentPackage());
  await scene.installer.install(ACME);
  expect(scene.installed.view(ACME)?.version).toBe("1.0.0");
});

test.skipIf(npm === null)("X-5 npm installs the same, and its failures have the same texts", async () => {
  await using scene = await InstallerScene.open({
    tool: { kind: "npm", command: [npm ?? ""] },
    npmrc: ({ url }) => `registry=${url}\nfetch-retries=0\n`,
  });
  await scene.registry.publish(await agentPackage());
  await scene.registry.publish(await agentPackage({ version: "1.1.0", tampered: true }));
  await scene.registry.publish(await agentPackage({ version: "1.2.0", manifest: { os: ["aix"] } }));
  await scene.installer.install(ACME);
  expect(scene.installed.command(ACME)?.[0]).toBe(process.execPath);
  expect(await scene.refusalOf(scene.installer.install(ACME, "1.1.0"))).toContain("published checksum");
  expect(await scene.refusalOf(scene.installer.install(ACME, "1.2.0"))).toContain("has no build for");
  expect(await scene.refusalOf(scene.installer.install(ACME, "9.0.0"))).toContain("does not have @acme/agent 9.0.0");
  expect(scene.files()).toEqual(["1.0.0", "current.json"]);
});

test.skipIf(npm === null)("X-5 npm without a network reports the same as Bun", async () => {
  await using scene = await InstallerScene.open({
    tool: { kind: "npm", command: [npm ?? ""] },
    npmrc: () => "registry=http://127.0.0.1:9/\nfetch-retries=0\n",
  });
  expect(await scene.refusalOf(scene.installer.install(ACME))).toContain("cannot be reached. Check the network");
  expect(scene.files()).toBeNull();
});
