import { expect, test } from "bun:test";
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import type { PackageTool } from "../../src/agents/install/fetch-package.ts";
import { parsePackageSpec } from "../../src/agents/install/install-target.ts";
import { launchCandidates } from "../../src/agents/install/smoke-test.ts";
import { agentPackage } from "../install/agent-package.ts";
import { ACME, InstallerScene } from "../install/installer-scene.ts";
import { tempDir } from "../support/temp-dir.ts";
import { type TarEntry, tarArchive } from "./tar-archive.ts";

const npm = Bun.which("npm");
const TOOLS: readonly (readonly [string, PackageTool])[] = [
  ["bun", { kind: "bun", command: [process.execPath] }],
  ...(npm ? [["npm", { kind: "npm", command: [npm] }] as const] : []),
];

/** Ways in which an archive could reach out of the folder it is unpacked in; `outside` holds one file, `secret`. */
function hostileEntries(outside: string): readonly TarEntry[] {
  const up = "../".repeat(12);
  const owned = { text: "owned" };
  return [
    { name: `package/${up}${outside.slice(1)}/up.txt`, ...owned },
    { name: `${up}${outside.slice(1)}/top.txt`, ...owned },
    { name: `${outside}/absolute.txt`, ...owned },
    { name: `package/..\\..\\..\\back.txt`, ...owned },
    { name: "package/way", kind: "link", target: outside },
    { name: "package/way/through-link.txt", ...owned },
    { name: "package/relative", kind: "link", target: `${up}${outside.slice(1)}` },
    { name: "package/relative/through-relative.txt", ...owned },
    { name: "package/same", kind: "hardLink", target: join(outside, "secret") },
    { name: "package/same", ...owned },
    { name: "package/zero", kind: "device" },
  ];
}

function linksLeadingOut(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => lstatSync(path).isSymbolicLink())
    .filter((path) => !existsSync(path) || !realpathSync(path).startsWith(`${realpathSync(folder)}${sep}`));
}

test.each(TOOLS)(
  "X-26 an archive with ways out of its folder, fetched by %s, makes and changes nothing outside",
  async (_, tool) => {
    await using dir = await tempDir();
    await using scene = await InstallerScene.open({ tool });
    const outside = dir.join("out");
    await mkdir(outside);
    await writeFile(join(outside, "secret"), "secret");
    const honest = await agentPackage();
    const fields = { name: honest.name, version: honest.version, ...honest.manifest };
    const own = Object.entries({ "package.json": JSON.stringify(fields), ...honest.files });
    const entries = own.map(([name, text]) => ({ name: `package/${name}`, text }));
    await scene.registry.publish({ ...honest, archive: tarArchive([...entries, ...hostileEntries(outside)]) });
    const installing = scene.installer.install(ACME).then(
      () => "installed",
      () => "refused",
    );
    expect(["installed", "refused"]).toContain(await installing);
    expect(readdirSync(outside)).toEqual(["secret"]);
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe("secret");
    expect(existsSync(join(dirname(scene.folder), "up.txt"))).toBe(false);
    expect(readdirSync(dirname(scene.folder)).filter((name) => name.endsWith(".txt"))).toEqual([]);
    if (existsSync(scene.folder)) expect(linksLeadingOut(scene.folder)).toEqual([]);
  },
);

test.each([
  ["upwards", { bin: "../../../../outside.js" }],
  ["by an absolute path", { bin: "/bin/sh" }],
  ["through a link", { bin: "linked/outside.js" }],
  ["by a name every object has", { bin: {} }],
])("X-26 a package whose program lies outside of it, %s, is not started", async (_, { bin }) => {
  await using dir = await tempDir();
  const home = dir.join("staging/node_modules/acme");
  await mkdir(home, { recursive: true });
  await writeFile(dir.join("outside.js"), "");
  await symlink(dir.path, join(home, "linked"));
  await writeFile(join(home, "package.json"), JSON.stringify({ name: "acme", version: "1.0.0", bin }));
  const target = { id: ACME, name: "Acme", package: { name: "acme", version: "1.0.0" }, args: [], env: {} };
  const named = typeof bin === "string" ? target : { ...target, program: "constructor" };
  expect(() => launchCandidates(dir.join("staging"), named)).toThrow(
    /outside its package|missing program|no executable/,
  );
});

test.each([
  "../evil@1.0.0",
  "file:../evil@1.0.0",
  "git+https://evil.example/x.git@1.0.0",
  "https://evil.example/x.tgz",
  "evil@latest",
  "evil@^1.0.0",
  "evil@1.0.0 --registry=http://evil.example",
  "-g@1.0.0",
  "a/../../b@1.0.0",
  "@scope/../x@1.0.0",
  "evil@npm:other@1.0.0",
  "evil\n@1.0.0",
])("X-5 %j is no package of one exact version, and is never handed to a package tool", (spec) => {
  expect(parsePackageSpec(spec, "latest")).toBeNull();
});
