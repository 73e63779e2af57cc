import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { CliType } from "../../src/protocol/ids.ts";
import { agentPackage } from "./agent-package.ts";
import { ACME, InstallerScene } from "./installer-scene.ts";

const CLOSED_PORT = "http://127.0.0.1:9/";

/** Every failure ends the same way: reported to all clients, and nothing left. */
function expectNothingLeft(scene: InstallerScene): void {
  expect(scene.progress.at(-1)?.phase).toBe("failed");
  expect(scene.files()).toBeNull();
  expect(scene.changed).toEqual([]);
}

test("X-5 a missing package is reported with advice", async () => {
  await using scene = await InstallerScene.open();
  const refusal = await scene.refusalOf(scene.installer.install(ACME));
  expect(refusal).toStartWith("Acme Agent: Your package registry does not have @acme/agent 1.0.0");
  expect(refusal).toContain(".npmrc");
  expectNothingLeft(scene);
});

test("X-5 a missing version is reported", async () => {
  await using scene = await InstallerScene.open();
  await scene.registry.publish(await agentPackage());
  expect(await scene.refusalOf(scene.installer.install(ACME, "7.0.0"))).toContain("does not have @acme/agent 7.0.0");
  expectNothingLeft(scene);
});

test("X-26 a download that does not match its checksum is thrown away", async () => {
  await using scene = await InstallerScene.open();
  await scene.registry.publish(await agentPackage({ tampered: true }));
  expect(await scene.refusalOf(scene.installer.install(ACME))).toContain("does not match its published checksum");
  expectNothingLeft(scene);
});

test("X-5 without a network the user is advised to check it", async () => {
  await using scene = await InstallerScene.open({ npmrc: () => `registry=${CLOSED_PORT}\n` });
  expect(await scene.refusalOf(scene.installer.install(ACME))).toContain("cannot be reached. Check the network");
  expectNothingLeft(scene);
});

test("X-5 a full disk is noticed before anything is fetched", async () => {
  await using scene = await InstallerScene.open({ freeBytesMin: Number.MAX_SAFE_INTEGER });
  await scene.registry.publish(await agentPackage());
  expect(await scene.refusalOf(scene.installer.install(ACME))).toMatch(/ MiB are free\. Free some space/);
  expect(scene.registry.asked).toEqual([]);
  expectNothingLeft(scene);
});

test("X-5 a place that cannot be written to is named", async () => {
  await using scene = await InstallerScene.open();
  await writeFile(scene.folder, "in the way");
  expect(await scene.refusalOf(scene.installer.install(ACME))).toContain(`Cannot write to ${scene.folder}`);
  expectNothingLeft(scene);
});

test("X-5 a package for other systems only reports that there is no build for this one", async () => {
  await using scene = await InstallerScene.open();
  await scene.registry.publish(await agentPackage({ manifest: { os: ["aix"] } }));
  expect(await scene.refusalOf(scene.installer.install(ACME))).toContain("has no build for");
  expectNothingLeft(scene);
});

test("X-5 a wrapper without a program for this system reports that there is no build for it", async () => {
  await using scene = await InstallerScene.open();
  const other = process.platform === "darwin" ? "linux" : "darwin";
  const manifest = { optionalDependencies: { [`acme-agent-${other}-arm64`]: "1.0.0" } };
  await scene.registry.publish(await agentPackage({ manifest, flags: ["--scenario", "crash-at-start"] }));
  expect(await scene.refusalOf(scene.installer.install(ACME))).toContain("has no build for");
  expectNothingLeft(scene);
});

test.each([
  ["ends at once", ["--scenario", "crash-at-start"], /it ended with/],
  ["refuses the handshake", ["--scenario", "initialize-error"], /it refused the connection/],
  ["speaks another protocol", ["--scenario", "future-version"], /another protocol version/],
  ["opens no session", ["--scenario", "refused-new"], /it could not create a session/],
])("X-26 an agent that %s is never switched to", async (_what, flags, reason) => {
  await using scene = await InstallerScene.open();
  await scene.registry.publish(await agentPackage());
  await scene.registry.publish(await agentPackage({ version: "1.1.0", flags }));
  await scene.installer.install(ACME);
  const refusal = await scene.refusalOf(scene.installer.install(ACME, "1.1.0"));
  expect(refusal).toContain("was downloaded but does not work");
  expect(refusal).toMatch(reason);
  expect(scene.installed.view(ACME)).toMatchObject({ version: "1.0.0", previousVersion: null });
  expect(scene.files()).toEqual(["1.0.0", "current.json"]);
});

test("X-26 an agent that never answers is given up", async () => {
  await using scene = await InstallerScene.open({ answerTimeoutMs: 300 });
  await scene.registry.publish(await agentPackage({ flags: ["--scenario", "hang-at-start"] }));
  expect(await scene.refusalOf(scene.installer.install(ACME))).toContain("no answer to initialize within 0.3 s");
  expectNothingLeft(scene);
});

test("X-5 a package without a program is reported", async () => {
  await using scene = await InstallerScene.open();
  await scene.registry.publish({ name: "@acme/agent", version: "1.0.0", files: { "index.js": "" } });
  expect(await scene.refusalOf(scene.installer.install(ACME))).toContain("contains no executable");
  expectNothingLeft(scene);
});

test("X-5 a cancelled download stops at once and leaves nothing", async () => {
  await using scene = await InstallerScene.open();
  await scene.registry.publish(await agentPackage());
  const held = scene.registry.holdTarballs();
  const refusal = scene.refusalOf(scene.installer.install(ACME));
  await held.arrived;
  await scene.installer.cancel(ACME);
  expect(await refusal).toBe("Acme Agent: The installation was cancelled.");
  held.release();
  expect(scene.progress.at(-1)?.phase).toBe("cancelled");
  expect(scene.files()).toBeNull();
});

test("X-5 a cancelled trial ends the agent and leaves nothing", async () => {
  await using scene = await InstallerScene.open();
  await scene.registry.publish(await agentPackage({ flags: ["--scenario", "hang-at-start"] }));
  const testing = scene.untilPhase("testing");
  const refusal = scene.refusalOf(scene.installer.install(ACME));
  await testing;
  await scene.installer.cancel(ACME);
  expect(await refusal).toContain("cancelled");
  expect(scene.files()).toBeNull();
});

test("X-5 cancelling when nothing is installed does nothing; installing again after a cancel works", async () => {
  await using scene = await InstallerScene.open();
  await scene.registry.publish(await agentPackage());
  await scene.installer.cancel(ACME);
  const refusal = scene.refusalOf(scene.installer.install(ACME));
  await scene.installer.cancel(ACME);
  expect(await refusal).toContain("cancelled");
  await scene.installer.install(ACME);
  expect(scene.installed.view(ACME)?.version).toBe("1.0.0");
  expect(scene.files()).toEqual(["1.0.0", "current.json"]);
});

test("X-5 an unknown agent and one that cannot be installed from here are distinguished", async () => {
  await using scene = await InstallerScene.open();
  scene.isInstallable = false;
  expect(await scene.refusalOf(scene.installer.install(ACME))).toContain("cannot be installed by Liminal Builder");
  await expect(scene.installer.install(CliType.parse("nobody"))).rejects.toMatchObject({
    refusal: { code: "AGENT_UNKNOWN" },
  });
});

test("(B4) X-5 an agent that opens no session gives the reason that it hides in its error's data", async () => {
  await using scene = await InstallerScene.open();
  const details = "--dangerously-skip-permissions cannot be used with root/sudo privileges";
  const error = { code: -32603, message: "Internal error", data: { details } };
  const lines = [
    "require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {",
    "  const { id, method } = JSON.parse(line);",
    `  const answer = method === 'initialize' ? { result: { protocolVersion: 1 } } : { error: ${JSON.stringify(error)} };`,
    "  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n');",
    "});",
  ];
  const manifest = { bin: "run.js" };
  await scene.registry.publish({
    name: "@acme/agent",
    version: "1.0.0",
    manifest,
    files: { "run.js": lines.join("\n") },
  });
  const refusal = await scene.refusalOf(scene.installer.install(ACME));
  expect(refusal).toContain(details);
  expect(refusal).toContain("Claude Code refuses to run as root unless IS_SANDBOX is 1");
  expectNothingLeft(scene);
});
