/** How many packages of a Bun lockfile are meant for this machine; one package stands on each line. */
export function countPackages(lock: string, platform: string, arch: string): number {
  const packages = lock.split("\n").filter((line) => /^ {4}"[^"]+": \[/.test(line));
  return packages.filter((line) => allows(line, "os", platform) && allows(line, "cpu", arch)).length;
}

/** Written as `"os": "linux"`, as a list, or not at all; `!win32` bars one. */
function allows(line: string, field: "os" | "cpu", value: string): boolean {
  const written = new RegExp(`"${field}": (\\[[^\\]]*\\]|"[^"]*")`).exec(line)?.[1];
  if (written === undefined) return true;
  const names = [...written.matchAll(/"([^"]*)"/g)].map((match) => match[1] ?? "");
  if (names.includes(`!${value}`)) return false;
  return names.includes(value) || names.every((name) => name.startsWith("!"));
}
