import { startTicks } from "./process-ledger.ts";
import { RUN_VARIABLE } from "./sweep-leftovers.ts";

/**
 * Reads the groups of running agents from the server. The end of that pipe means that the server has ended, in any way;
 * then every group still listed, and every process that carries the run's mark, is killed. A shell costs a megabyte.
 * A group comes with the start time of its leader, so that a reused number is not killed.
 * Without /proc there are no marks to read, and groups are killed by number. One grep reads all environments; the loop
 * is for a grep without -z.
 */
const SCRIPT = `
trap '' INT TERM HUP
groups=""
while read -r change group started; do
  kept=""
  for known in $groups; do [ "\${known%:*}" = "$group" ] || kept="$kept $known"; done
  groups=$kept
  [ "$change" = "+" ] && groups="$groups $group:$started"
done
for known in $groups; do
  group=\${known%:*}
  if read -r stat 2>/dev/null < "/proc/$group/stat"; then
    set -f
    set -- "$1" \${stat##*) }
    set +f
    [ "\${21}" = "\${known#*:}" ] || continue
  fi
  kill -s KILL -- "-$group" 2>/dev/null
done
if printf 'a' | grep -qzxF a 2>/dev/null; then
  marked=$(grep -lzxF -- "$1" /proc/[0-9]*/environ 2>/dev/null)
else
  marked=$(for environ in /proc/[0-9]*/environ; do
    tr '\\0' '\\n' < "$environ" 2>/dev/null | grep -qxF -- "$1" && echo "$environ"
  done)
fi
for environ in $marked; do
  pid=\${environ#/proc/}
  kill -s KILL "\${pid%/environ}" 2>/dev/null
done
exit 0
`;

/** Ensures that even a server killed with -9 leaves no agent behind. */
export class Lifeline {
  readonly #run: string;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #startOf: (pid: number) => string | null;
  #child: Bun.Subprocess<"pipe", "ignore", "ignore"> | null = null;

  constructor(run: string, env: Readonly<Record<string, string | undefined>>, startOf = startTicks) {
    this.#startOf = startOf;
    this.#run = run;
    this.#env = env;
  }

  /** Ends the run's processes when we end; started with the first agent, so that a server without agents costs nothing. */
  begin(): void {
    this.#child ??= Bun.spawn(["/bin/sh", "-c", SCRIPT, "liminal-lifeline", `${RUN_VARIABLE}=${this.#run}`], {
      env: { PATH: this.#env["PATH"] ?? "/usr/bin:/bin" },
      stdin: "pipe",
      stdout: "ignore",
      stderr: "ignore",
      detached: true,
    });
  }

  hold(group: number): void {
    this.begin();
    this.#write(`+ ${group} ${this.#startOf(group) ?? ""}`);
  }

  release(group: number): void {
    this.#write(`- ${group}`);
  }

  /** Nothing is held any more: the shell ends, and kills whatever still carries the run's mark. */
  async stop(): Promise<void> {
    if (!this.#child) return;
    await this.#child.stdin.end();
    await this.#child.exited;
  }

  #write(line: string): void {
    this.#child?.stdin.write(`${line}\n`);
    this.#child?.stdin.flush();
  }
}
