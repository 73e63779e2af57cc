// Reads what a command prints in a terminal by node-pty, and does nothing with it. Usage: node-pty-reader.mjs <folder of
// the package> <command>. Prints the milliseconds and the bytes.
import { createRequire } from "node:module";

const [, , folder, command] = process.argv;
const { spawn } = createRequire(`${folder}/package.json`)("@lydell/node-pty");
const startedAt = performance.now();
let bytes = 0;
const child = spawn("/bin/sh", ["-c", command], { cols: 80, rows: 24, encoding: null });
child.onData((data) => {
  bytes += data.length;
});
child.onExit(() => console.log(JSON.stringify({ ms: performance.now() - startedAt, bytes })));
