import type { ShellWord } from "./shell-line.ts";
import { programName } from "./unwrap-command.ts";

/** Arguments by which an ordinary program is made to run something else, or to delete. A rule covers them only when it names them. */
const RUNS_MORE: Readonly<Record<string, RegExp>> = {
  find: /^-(exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls)$/,
  fd: /^(-x|-X|--exec|--exec-batch)/,
  git: /^(--config-env|--exec-path|--upload-pack|--receive-pack|--exec|--ext-diff|-O|--open-files-in-pager)/,
  tar: /^(-[a-zA-Z]*I|--use-compress-program|--to-command|--checkpoint-action|--rmt-command|--rsh-command|-F|--info-script)/,
  rsync: /^(-[a-zA-Z]*e|--rsh|--rsync-path)/,
  sed: /^(-[a-zA-Z]*[ief]|--in-place|--expression|--file)|(^|[;\s/])[we](\s|$)/,
  awk: /system|getline|\||^(-f|--file)/,
  gawk: /system|getline|\||^(-f|--file)/,
  sort: /^(-o|--output|--compress-program)/,
  node: /^(-e|-p|-r|--eval|--print|--require|--import|--loader|--experimental-loader)/,
  bun: /^(-e|-p|-r|--eval|--print|--preload)/,
  deno: /^eval$/,
  python: /^-[a-zA-Z]*[cm]/,
  python3: /^-[a-zA-Z]*[cm]/,
  perl: /^-[a-zA-Z0-9]*[eEMi]/,
  ruby: /^-[a-zA-Z0-9]*[eri]/,
  php: /^(-r|-B|-R|-F|-E)/,
  make: /^(-f|--file|--makefile|--eval|-C|--directory|SHELL=)/,
  npm: /^(--prefix|-C|--script-shell)(=|$)/,
  curl: /^(-[a-zA-Z]*[oOKT]|--output|--config|--upload-file|--remote-name)/,
  wget: /^(-[a-zA-Z]*[OPie]|--output-document|--execute|--use-askpass|--post-file)/,
  vim: /./,
  vi: /./,
  less: /^\+/,
  man: /^-P|^--pager/,
  docker: /^(-H|--host|--config|--context)/,
  kubectl: /^(--kubeconfig|--server|--as)/,
};

/** Before the name of what they are to do, these take options that change what any of it means; or it is to run anything. */
const OPTIONS_FIRST: ReadonlySet<string> = new Set(["git", "docker", "kubectl", "npm", "pnpm", "yarn", "cargo"]);

const RUNS_ANYTHING = /^(-|exec$|x$|dlx$)/;

/** The argument after the named words that makes the program run more than itself, if there is one. */
export function argumentThatRunsMore(words: readonly ShellWord[], namedCount: number): string | null {
  const [program, ...rest] = words;
  const name = program === undefined ? "" : programName(program.text);
  if (namedCount === 1 && OPTIONS_FIRST.has(name) && rest[0] && RUNS_ANYTHING.test(rest[0].text)) return rest[0].text;
  const pattern = Object.hasOwn(RUNS_MORE, name) ? RUNS_MORE[name] : undefined;
  if (pattern === undefined) return null;
  const found = rest.slice(Math.max(0, namedCount - 1)).find(
    // A pattern of file names may come out as anything, an option included.
    ({ text, literal }) => pattern.test(text) || (!literal && /^[*?[{]/.test(text)),
  );
  return found?.text ?? null;
}
