// Runs a script with the pinned Bun, which need not be on PATH: node scripts/bun.mjs <script> [arguments].
import { runBun } from "../bin/run-bun.mjs";

process.exit(await runBun(process.argv.slice(2)));
