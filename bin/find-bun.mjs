import { readdirSync, realpathSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** A placeholder is not a binary. */
const BUN_BINARY_BYTES_MIN = 1024 * 1024;

const OS_IN_PACKAGE_NAME = { darwin: "darwin", linux: "linux", android: "linux", freebsd: "freebsd", win32: "windows" };
const CPU_IN_PACKAGE_NAME = { arm64: "aarch64", x64: "x64" };

/** What an install of an earlier version left: Bun's install script moved the binary out of the package for this machine. */
const EARLIER_PACKAGE = "bun";

/** The pinned Bun binary, from the package for this machine: no install script has to run. */
export function findBun(root, machine = thisMachine()) {
  return [...binaryPackages(machine), EARLIER_PACKAGE]
    .flatMap((name) => packageFolder(name, root) ?? [])
    .flatMap((folder) => [join(folder, "bin", "bun"), join(folder, "bin", "bun.exe")])
    .find(isBinary);
}

/** What to tell the user when there is no Bun: why, and the command that mends it. */
export function bunMissingMessage(root, machine = thisMachine()) {
  const [expected] = binaryPackages(machine);
  if (expected === undefined)
    return `Liminal Builder runs on Bun, which has no build for ${machine.os} on ${machine.cpu}.`;
  return [
    "Liminal Builder runs on Bun, and its binary is not installed here.",
    `Expected the package ${expected} in ${join(root, "node_modules")}.`,
    `Run "npm install" in ${root} (without --omit=optional), then try again.`,
    "If that changes nothing, delete node_modules first: an earlier version kept Bun in another package.",
  ].join("\n");
}

function binaryPackages({ os, cpu, libc }) {
  const osName = OS_IN_PACKAGE_NAME[os];
  const cpuName = CPU_IN_PACKAGE_NAME[cpu];
  if (osName === undefined || cpuName === undefined) return [];
  const name = `@oven/bun-${osName}-${cpuName}`;
  if (os === "android") return [`${name}-android`];
  return libc === "musl" ? [`${name}-musl`, name] : [name];
}

function thisMachine() {
  return { os: process.platform, cpu: process.arch, libc: hasMusl() ? "musl" : "glibc" };
}

/** A glibc system can carry musl beside it; then the plain package still stands as the second choice. */
function hasMusl() {
  if (process.platform !== "linux") return false;
  return readdirSync("/lib").some((name) => name.startsWith("ld-musl-"));
}

/** Looks where Node's resolution would; links are followed, as some package managers keep packages elsewhere. */
function packageFolder(name, from) {
  const lookup = createRequire(join(from, "package.json")).resolve.paths(name) ?? [];
  const folders = lookup.map((nodeModules) => join(nodeModules, name));
  const found = folders.find((folder) => statSync(join(folder, "package.json"), { throwIfNoEntry: false })?.isFile());
  return found && realpathSync(found);
}

function isBinary(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size >= BUN_BINARY_BYTES_MIN;
}
