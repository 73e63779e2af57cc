import { readShellLine, type ShellWord, type SimpleCommand } from "./shell-line.ts";

/** What really runs, without the programs that only run others. */
export interface UnwrappedCommand {
  readonly command: SimpleCommand;
  /** Every position where a command may begin, as plain words, for denying rules. */
  readonly starts: readonly (readonly string[])[];
}

interface Unwrapped {
  readonly commands: readonly UnwrappedCommand[];
  readonly doubts: readonly string[];
}

const RESERVED: ReadonlySet<string> = new Set(
  "! [[ (( { } - case coproc do done elif else end esac fi for foreach function if in nocorrect noglob repeat select then until while and or not begin switch".split(
    " ",
  ),
);
/** They run the rest unchanged, as long as only the command follows. */
const TRANSPARENT: ReadonlySet<string> = new Set(["time", "command", "env", "nice", "xargs", "timeout"]);
/** They run the rest with other rights, elsewhere, or in a special way. */
const FOREIGN: ReadonlySet<string> = new Set(
  [
    "sudo sudoedit doas su pkexec run0 runuser setpriv capsh chroot unshare nsenter ip runcon sg newgrp ssh mosh rsh",
    "exec eval source . trap builtin parallel watch setsid nohup script stdbuf unbuffer expect strace ltrace gdb lldb perf valgrind catchsegv rlwrap",
    "prlimit setarch linux32 linux64 i386 i486 i586 i686 x86_64 arch uname26 choom chrt ionice taskset numactl cgexec systemd-run systemd-inhibit at batch crontab flock setlock envdir chpst softlimit entr inotifywait",
    "bwrap firejail fakeroot fakechroot faketime proxychains proxychains4 torsocks torify xvfb-run dbus-run-session dbus-launch screen tmux daemonize start-stop-daemon caffeinate socat",
    "powershell powershell.exe pwsh cmd cmd.exe wsl wsl.exe busybox toybox coreutils",
  ]
    .join(" ")
    .split(" "),
);
/** The program that loads others, under its many names. */
const LOADER = /^ld(-[\w.-]+)?(64)?\.so(\.\d+)*$|^ld-/;
/** They change how the shell reads or runs the rest of the line. */
const CHANGES_SHELL: ReadonlySet<string> = new Set(
  "alias unalias set unset setopt unsetopt emulate export readonly declare typeset local integer float let read readarray mapfile getopts shopt enable disable hash rehash bind bindkey autoload zmodload zle functions umask ulimit limit unlimit pushd popd chdir dirs fc history r print vared test [".split(
    " ",
  ),
);
const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "csh", "tcsh"]);
const DURATION = /^\d+(\.\d+)?[smhd]?$/;
const ASSIGNMENT = /^[A-Za-z_]\w*(\[[^\]]*\])?\+?=/;
const UNWRAPPED_LEVELS_MAX = 20;
const START_WORDS_MAX = 64;
/** The arguments added by `xargs` are only known when it runs. */
const ADDED_LATER: ShellWord = { text: "*", literal: false };

/** Removes assignments, wrappers and `sh -c`; whatever cannot be removed cleanly is a doubt. */
export function unwrapCommand(command: SimpleCommand, depth = 0): Unwrapped {
  const doubts = new Set<string>();
  let words = [...command.words];
  let layers = 0;
  for (; layers <= UNWRAPPED_LEVELS_MAX; layers += 1) {
    const taken = layerOf(words.map(({ text }) => text));
    if (taken === null) break;
    if (taken.doubt !== null) doubts.add(taken.doubt);
    const addsWords = words[0]?.text === "xargs";
    words = words.slice(taken.words);
    if (addsWords) words.push(ADDED_LATER);
  }
  if (words.length === 0) doubts.add("it names no program");
  else if (words[0]?.literal === false || runsInside(words).some(([first]) => first?.literal === false))
    doubts.add("the program is only known at run time");
  const plain = words.map(({ text }) => text);
  const all = command.words.map(({ text }) => text);
  const inner = shellInside({ ...command, words }, depth);
  for (const doubt of inner?.doubts ?? []) doubts.add(doubt);
  const starts =
    layers > 0 || inner ? suffixes(all) : [plain, ...runsInside(words).map((inside) => inside.map(({ text }) => text))];
  const own = { command: { ...command, words }, starts };
  // A shell that only carries a line is judged by that line; a redirection on it applies to all of it.
  if (inner === null) return { commands: [own], doubts: [...doubts] };
  const carrier = { command: { words: [], redirects: command.redirects }, starts };
  return { commands: [carrier, ...inner.commands], doubts: [...doubts] };
}

/** Long enough for any rule; a line of ten thousand words must not become ten thousand lines. */
function suffixes(words: readonly string[]): readonly (readonly string[])[] {
  return words.map((_, index) => words.slice(index, index + START_WORDS_MAX));
}

/** The name of the program without its folder, as denying rules see it. */
export function programName(word: string): string {
  return (word.split("/").at(-1) ?? word).toLowerCase().replace(/\.exe$/, "");
}

function layerOf(words: readonly string[]): { readonly words: number; readonly doubt: string | null } | null {
  const [first, second] = words;
  if (first === undefined) return null;
  if (ASSIGNMENT.test(first)) return { words: 1, doubt: "it sets a variable for the command" };
  if (RESERVED.has(first)) return { words: 1, doubt: "it is a small program, not one command" };
  const name = programName(first);
  if (CHANGES_SHELL.has(first)) return { words: 1, doubt: `${first} changes what the rest of the line means` };
  if (FOREIGN.has(name) || LOADER.test(name)) return { words: 1, doubt: `${name} changes how the rest is run` };
  if (!TRANSPARENT.has(name)) return null;
  const isPlain = first === name && second !== undefined && !second.startsWith("-") && !ASSIGNMENT.test(second);
  if (!isPlain) return { words: 1, doubt: `${name} changes how the command runs` };
  if (name !== "timeout") return { words: 1, doubt: null };
  return DURATION.test(second)
    ? { words: 2, doubt: null }
    : { words: 1, doubt: "timeout changes how the command runs" };
}

/** `sh -c '…'`: the inner line is what runs. */
function shellInside({ words }: SimpleCommand, depth: number): Unwrapped | null {
  const [program, ...rest] = words;
  if (program === undefined || !SHELLS.has(programName(program.text))) return null;
  const flag = rest.findIndex(({ text }) => /^-[a-z]*c$/.test(text));
  if (flag === -1) {
    const isScript = rest[0] !== undefined && !rest[0].text.startsWith("-");
    return isScript ? null : { commands: [], doubts: ["a shell reads its commands from elsewhere"] };
  }
  const line = rest[flag + 1];
  const isClean =
    flag === 0 && rest.length === 2 && line?.literal === true && /^(sh|bash|zsh|dash)$/.test(program.text);
  const doubts = new Set(isClean ? [] : ["it starts a shell in a way that cannot be judged"]);
  if (line === undefined || depth >= UNWRAPPED_LEVELS_MAX) return { commands: [], doubts: [...doubts] };
  const read = readShellLine(line.text);
  for (const doubt of read.doubts) doubts.add(doubt);
  const commands = read.commands.flatMap((inside) => {
    const unwrapped = unwrapCommand(inside, depth + 1);
    for (const doubt of unwrapped.doubts) doubts.add(doubt);
    return unwrapped.commands;
  });
  return { commands, doubts: [...doubts] };
}

/** Where programs such as `find -exec` begin the command they run. */
function runsInside(words: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  return words.flatMap(({ text }, index) =>
    /^-(exec|execdir|ok|okdir)$/.test(text) ? [words.slice(index + 1, index + 1 + START_WORDS_MAX)] : [],
  );
}
