import type { ShellWord } from "./shell-line.ts";

/**
 * One harmless way to call a program, whatever the listed arguments are: it runs nothing that they name and
 * writes no file that they name. Anything unlisted asks.
 */
interface HarmlessUse {
  /**
   * Separated by blanks. `-l` and `--all` take no value. `--depth:number` takes one, attached or as the next word.
   * `--color?word` may have one attached. The kinds of values: number, word (a name), text (never opened as a file),
   * glob, path. `-0` stands for any number after a dash.
   */
  readonly options: string;
  readonly operands: "none" | "text" | "paths";
  /** The required form of the first operand, if it is not a path; null if one of these options replaces it. */
  readonly first?: { readonly matches: RegExp; readonly replacedBy: readonly string[] };
  /** Several short options may follow one dash. */
  readonly bundles?: true;
  /** `--` passes the rest to another program, so it is not harmless. */
  readonly passesOn?: true;
  /** It reads everything below its paths: always, or with one of these options. */
  readonly deep?: true | readonly string[];
  /** It acts on the repository around its directory, and so with that repository's settings. */
  readonly repository?: true;
}

const ANY_TEXT = /^/;

/**
 * Sources: `git help diff`, `git help log`. Excluded: options that write a file or run a program (--output, --ext-diff,
 * --textconv), --no-index, -O, and those that read patterns from a file.
 */
const GIT_DIFF =
  "-p -u --patch -s --no-patch -U?number --unified?number --raw --numstat --shortstat --stat?text --stat-width:number --stat-count:number --compact-summary --summary --name-only --name-status --check --binary --full-index --abbrev?number --color?word --no-color --color-words --word-diff?word -M?text --find-renames?text -C?text --find-copies?text --no-renames -R -a --text -b -w --ignore-space-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-cr-at-eol -W --function-context --no-ext-diff --no-textconv --exit-code --quiet --diff-filter:word -S:text -G:text --pickaxe-all --pickaxe-regex --minimal --patience --histogram --diff-algorithm:word --relative --no-relative --no-prefix --src-prefix:text --dst-prefix:text --inter-hunk-context:number --ignore-submodules?word -z";
const GIT_LOG = `${GIT_DIFF} -0 -n:number --max-count:number --skip:number --since:text --after:text --until:text --before:text --author:text --committer:text --grep:text -i -E -F --regexp-ignore-case --extended-regexp --fixed-strings --all-match --invert-grep --all --branches?text --tags?text --remotes?text --merges --no-merges --first-parent --reverse --oneline --graph --decorate?word --no-decorate --pretty?text --format:text --abbrev-commit --no-abbrev-commit --date:text --follow --topo-order --date-order --author-date-order --left-right --cherry-pick --cherry --boundary --source --parents --children --full-history --simplify-merges -m -c --cc -L:text -g --walk-reflogs`;

/**
 * Source: `cargo help test` and its siblings. Excluded: --config, --manifest-path, --target-dir, -Z, --out-dir,
 * --timings.
 */
const CARGO =
  "-q --quiet -v --verbose --color:word --release -r --workspace --all -p:word --package:word --exclude:word --lib --bins --bin:word --examples --example:word --tests --test:word --benches --bench:word --all-targets --all-features --no-default-features -F:text --features:text -j:number --jobs:number --locked --offline --frozen --message-format:word";

const COREUTILS_SUM = "-b -t --binary --text --tag -z --zero";

/**
 * By program and subcommand. Sources: the manual page or `--help` of each program; a test compares every option with
 * the programs that are installed. Programs that exist to run others, or project code that their arguments choose, have
 * no entry on purpose: npx, npm run, npm exec, make, env, xargs, node, python, docker, git config, git bisect, git
 * submodule, eslint, mocha.
 */
const HARMLESS_USES: Readonly<Record<string, HarmlessUse>> = {
  // Shell builtins. `echo` only prints its arguments; shells differ in its options.
  echo: { options: "-n -e -E", operands: "text", bundles: true },
  // Some shells evaluate numbers as expressions and run code in them: only text formats are allowed.
  printf: { options: "", operands: "text", first: { matches: /^([^%]|%[sb%])*$/, replacedBy: [] } },
  pwd: { options: "-L -P", operands: "none" },
  true: { options: "", operands: "text" },
  false: { options: "", operands: "text" },
  which: { options: "-a", operands: "text" },

  // GNU coreutils, whose short options other systems share. Excluded: options that follow links, and --files0-from.
  ls: {
    options:
      "-a -A -B -C -F -G -N -Q -R -S -U -X -c -d -f -g -h -i -k -l -m -n -o -p -q -r -s -t -u -v -x -1 -I:text -w:number --all --almost-all --author --block-size:word --classify?word --color?word --directory --file-type --format:word --full-time --group-directories-first --hide:text --human-readable --ignore:text --ignore-backups --indicator-style:word --inode --kibibytes --no-group --numeric-uid-gid --quoting-style:word --recursive --reverse --si --size --sort:word --time:word --time-style:text --width:number",
    operands: "paths",
    bundles: true,
    deep: ["-R", "--recursive"],
  },
  cat: {
    options:
      "-A -b -e -E -n -s -t -T -u -v --number --number-nonblank --show-all --show-ends --show-nonprinting --show-tabs --squeeze-blank",
    operands: "paths",
    bundles: true,
  },
  head: {
    options:
      "-0 -c:number -n:number -q -v -z --bytes:number --lines:number --quiet --silent --verbose --zero-terminated",
    operands: "paths",
    bundles: true,
  },
  tail: {
    options:
      "-0 -c:number -n:number -f -F -q -v -s:number -z --bytes:number --lines:number --follow?word --quiet --silent --verbose --retry --sleep-interval:number --zero-terminated",
    operands: "paths",
    bundles: true,
  },
  wc: {
    options: "-c -l -L -m -w --bytes --chars --lines --max-line-length --words",
    operands: "paths",
    bundles: true,
  },
  tac: { options: "-b --before -r --regex -s:text --separator:text", operands: "paths", bundles: true },
  nl: {
    options: "-b:text -f:text -h:text -i:number -n:word -s:text -v:number -w:number",
    operands: "paths",
  },
  cut: {
    options:
      "-b:text -c:text -d:text -f:text -s -z --bytes:text --characters:text --delimiter:text --fields:text --complement --only-delimited --output-delimiter:text --zero-terminated",
    operands: "paths",
    bundles: true,
  },
  tr: {
    options: "-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1",
    operands: "text",
    bundles: true,
  },
  // Its second operand is a file it writes.
  uniq: {
    options:
      "-c -d -D -f:number -i -s:number -u -w:number -z --count --repeated --ignore-case --skip-chars:number --skip-fields:number --unique --check-chars:number --zero-terminated",
    operands: "none",
    bundles: true,
  },
  // Excluded: -o, -T, --compress-program, --random-source.
  sort: {
    options:
      "-b -c -C -d -f -g -h -i -k:text -M -n -r -R -s -t:text -u -V -z --check?word --dictionary-order --field-separator:text --general-numeric-sort --human-numeric-sort --ignore-case --ignore-leading-blanks --key:text --month-sort --numeric-sort --reverse --sort:word --stable --unique --version-sort --zero-terminated",
    operands: "paths",
    bundles: true,
  },
  comm: {
    options: "-1 -2 -3 --check-order --nocheck-order --output-delimiter:text --total -z",
    operands: "paths",
    bundles: true,
  },
  basename: { options: "-a -s:text -z --multiple --suffix:text --zero", operands: "text" },
  dirname: { options: "-z --zero", operands: "text" },
  realpath: {
    options:
      "-e -m -L -P -q -s -z --canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip --no-symlinks --zero",
    operands: "paths",
    bundles: true,
  },
  readlink: {
    options: "-e -f -m -n -q -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline",
    operands: "paths",
    bundles: true,
  },
  stat: {
    options: "-c:text -f -t --cached:word --file-system --format:text --printf:text --terse",
    operands: "paths",
  },
  du: {
    options:
      "-0 -a -b -B:word -c -d:number -h -k -l -m -s -S -t:word -x --all --apparent-size --block-size:word --bytes --exclude:text --human-readable --inodes --max-depth:number --one-file-system --separate-dirs --si --summarize --threshold:word --time?word --total",
    operands: "paths",
    bundles: true,
    deep: true,
  },
  df: {
    options:
      "-a -B:word -h -H -i -k -l -P -t:word -T -x:word --all --block-size:word --human-readable --inodes --local --portability --print-type --si --total --type:word --exclude-type:word",
    operands: "paths",
    bundles: true,
  },
  md5sum: { options: COREUTILS_SUM, operands: "paths", bundles: true },
  sha1sum: { options: COREUTILS_SUM, operands: "paths", bundles: true },
  sha256sum: { options: COREUTILS_SUM, operands: "paths", bundles: true },
  sha512sum: { options: COREUTILS_SUM, operands: "paths", bundles: true },
  whoami: { options: "", operands: "none" },
  uname: {
    options: "-a -i -m -n -o -p -r -s -v --all --kernel-name --kernel-release --machine --nodename --operating-system",
    operands: "none",
    bundles: true,
  },
  // An operand without `+` sets the clock, as does -s.
  date: {
    options: "-d:text -I?word -R -u --date:text --iso-8601?word --rfc-3339:word --rfc-email --utc --universal",
    operands: "none",
    first: { matches: /^\+/, replacedBy: [] },
  },

  // Searching. Excluded: -R and -f of grep; --pre, --hostname-bin, --follow, --search-zip, -f and --ignore-file
  // of rg, and options that make it read hidden files.
  grep: {
    options:
      "-0 -A:number -B:number -C:number -E -F -G -H -I -L -P -T -U -Z -a -b -c -d:word -D:word -e:text -h -i -l -m:number -n -o -q -r -s -v -w -x -z --after-context:number --basic-regexp --before-context:number --binary --binary-files:word --byte-offset --color?word --colour?word --context:number --count --devices:word --directories:word --exclude:text --exclude-dir:text --extended-regexp --files-with-matches --files-without-match --fixed-strings --ignore-case --include:text --initial-tab --invert-match --label:text --line-buffered --line-number --line-regexp --max-count:number --no-filename --no-ignore-case --no-messages --null --null-data --only-matching --perl-regexp --quiet --recursive --regexp:text --silent --text --with-filename --word-regexp",
    operands: "paths",
    first: { matches: ANY_TEXT, replacedBy: ["-e", "--regexp"] },
    bundles: true,
    deep: ["-r", "--recursive", "-d", "--directories"],
  },
  rg: {
    options:
      "-A:number -B:number -C:number -E:word -F -H -I -M:number -N -P -S -T:word -U -a -c -d:number -e:text -g:glob -h -i -j:number -l -m:number -n -o -p -q -s -t:word -v -w -x -0 --after-context:number --before-context:number --case-sensitive --color:word --colors:text --column --context:number --count --count-matches --files --files-with-matches --files-without-match --fixed-strings --glob:glob --heading --iglob:glob --ignore-case --invert-match --json --line-number --max-columns:number --max-count:number --max-depth:number --multiline --multiline-dotall --no-config --no-filename --no-heading --no-ignore --no-ignore-vcs --no-line-number --no-messages --null --only-matching --passthru --pcre2 --pretty --quiet --regexp:text --replace:text -r:text --smart-case --sort:word --sortr:word --stats --text --threads:number --trim --type:word --type-list --type-not:word --vimgrep --with-filename --word-regexp",
    operands: "paths",
    first: { matches: ANY_TEXT, replacedBy: ["-e", "--regexp", "--files", "--type-list"] },
    bundles: true,
    deep: true,
  },
  // `man find`. Excluded: every -exec, -ok, -delete, -fprint, -fls, -files0-from, and -L, -H, -follow.
  find: {
    options:
      "-P -amin:text -and -anewer:path -atime:text -cmin:text -cnewer:path -ctime:text -daystart -depth -empty -false -group:word -iname:text -inum:number -ipath:text -iregex:text -links:text -ls -maxdepth:number -mindepth:number -mmin:text -mount -mtime:text -name:text -newer:path -nogroup -not -nouser -o -a -or -path:text -perm:text -print -print0 -prune -quit -readable -executable -writable -regex:text -regextype:word -samefile:path -size:text -true -type:text -user:word -wholename:text -xdev",
    operands: "paths",
    deep: true,
  },
  // Only printing, deleting from the output, or stopping at line numbers: other sed scripts can write and run.
  sed: {
    options: "-n --quiet --silent -E -r --regexp-extended -s --separate -u --unbuffered",
    operands: "paths",
    first: { matches: /^((\d+|\$)(,(\d+|\$|\+\d+))?[pdq=](;|$))+$/, replacedBy: [] },
    bundles: true,
  },
  tree: {
    options:
      "-a -d -D -f -F -g -h -i -I:text -L:number -n -N -p -P:text -q -Q -r -s -t -u -v -x -C -A -S --dirsfirst --du --filelimit:number --gitignore --inodes --noreport --prune --si --sort:word",
    operands: "paths",
    bundles: true,
    deep: true,
  },
  // Excluded: -r, which follows links, --from-file, --to-file, and -l, which runs pr.
  diff: {
    options:
      "-a -b -B -c -C:number -d -e -E -F:text -i -I:text -n -N -p -q -s -t -T -u -U:number -w -W:number -y -Z --brief --color?word --context?number --expand-tabs --ignore-all-space --ignore-blank-lines --ignore-case --ignore-matching-lines:text --ignore-space-change --ignore-tab-expansion --ignore-trailing-space --label:text --minimal --new-file --normal --report-identical-files --show-c-function --side-by-side --speed-large-files --strip-trailing-cr --suppress-common-lines --text --unified?number --width:number",
    operands: "paths",
    bundles: true,
  },
  cmp: {
    options: "-b -i:text -l -n:number -s --bytes:number --ignore-initial:text --print-bytes --quiet --silent --verbose",
    operands: "paths",
    bundles: true,
  },
  // Excluded: -C, which writes, -f, -m, and -z, which runs programs.
  file: {
    options: "-b -h -i -k -N -r --brief --mime --mime-type --mime-encoding --no-dereference",
    operands: "paths",
    bundles: true,
  },

  // git: only with the subcommand first, because options before it change the meaning of everything.
  "git status": {
    options:
      "-s --short -b --branch -v --verbose --long --porcelain?word --show-stash --ahead-behind --no-ahead-behind -u?word --untracked-files?word --ignored?word --ignore-submodules?word --column?text --no-column --renames --no-renames --find-renames?text -z",
    operands: "paths",
    bundles: true,
    repository: true,
  },
  "git diff": { options: `${GIT_DIFF} --cached --staged --merge-base`, operands: "paths", repository: true },
  "git log": { options: GIT_LOG, operands: "paths", repository: true },
  "git show": { options: GIT_LOG, operands: "paths", repository: true },
  // Excluded: -f, which adds ignored files, -i, -p, -e, --chmod and --pathspec-from-file.
  "git add": {
    options:
      "-n --dry-run -v --verbose -A --all --no-all -u --update -N --intent-to-add --refresh --ignore-errors --ignore-removal",
    operands: "paths",
    bundles: true,
    repository: true,
  },
  // Excluded: -F, -t, -c, -C, -p and -e, which read files or start an editor, and -n, which skips the checks.
  "git commit": {
    options:
      "-a --all -m:text --message:text -q --quiet -v --verbose -s --signoff --no-signoff --amend --no-edit --allow-empty --dry-run --short --author:text --date:text --reset-author -u?word --untracked-files?word --status --no-status",
    operands: "paths",
    bundles: true,
    repository: true,
  },
  "git blame": {
    options:
      "-0 -L:text -l -t -f -n -s -e -w -p -c -b --show-name --show-number --show-email --line-porcelain --porcelain --incremental --root --date:text --since:text -M?number -C?number --abbrev:number --color-lines --color-by-age",
    operands: "paths",
    repository: true,
  },
  // An operand creates, moves or deletes a branch, so there is none.
  "git branch": {
    options:
      "-a --all -r --remotes -v -vv --verbose -q --quiet --list -l --show-current --sort:text --format:text --color?word --no-color --column?text --no-column --abbrev?number --no-abbrev -i --ignore-case",
    operands: "none",
    bundles: true,
    repository: true,
  },
  "git tag": {
    options: "-l --list -n?number --sort:text --format:text --color?word --column?text --no-column -i --ignore-case",
    operands: "none",
    repository: true,
  },
  "git remote": { options: "-v --verbose", operands: "none", repository: true },
  "git stash list": {
    options: "-0 -n:number --max-count:number --oneline --stat?text -p --patch --date:text --format:text --pretty?text",
    operands: "none",
    repository: true,
  },
  "git worktree list": { options: "-v --verbose --porcelain -z", operands: "none", repository: true },
  // Excluded: --parseopt and --git-path, which print what a script would run or open.
  "git rev-parse": {
    options:
      "--abbrev-ref?word --short?number --verify -q --quiet --symbolic --symbolic-full-name --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --is-inside-git-dir --is-inside-work-tree --is-bare-repository --is-shallow-repository --all --branches?text --tags?text --remotes?text",
    operands: "paths",
    repository: true,
  },
  "git describe": {
    options:
      "--all --tags --contains --abbrev?number --candidates:number --exact-match --debug --long --match:text --exclude:text --always --dirty?text --broken?text --first-parent",
    operands: "text",
    repository: true,
  },
  "git ls-files": {
    options:
      "-c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage -u --unmerged -k --killed -t -v -z --directory --no-empty-directory --exclude-standard -x:text --exclude:text --error-unmatch --full-name --deduplicate --abbrev?number --eol",
    operands: "paths",
    bundles: true,
    repository: true,
  },
  "git shortlog": {
    options: "-n --numbered -s --summary -e --email -w?text --group:text -c --committer",
    operands: "paths",
    bundles: true,
    repository: true,
  },
  // Excluded: -O, which opens a pager it names, -f, --no-index, --textconv and --recurse-submodules.
  "git grep": {
    options:
      "-0 -a --text -i --ignore-case -I -w --word-regexp -v --invert-match -h -H --full-name -E --extended-regexp -G --basic-regexp -P --perl-regexp -F --fixed-strings -n --line-number --column -l --files-with-matches --name-only -L --files-without-match -c --count --color?word --no-color --break --heading -p --show-function -A:number -B:number -C:number --after-context:number --before-context:number --context:number -W --function-context -m:number --max-count:number --max-depth:number -q --quiet -e:text --and --or --not --all-match --untracked --cached -o --only-matching",
    operands: "paths",
    first: { matches: ANY_TEXT, replacedBy: ["-e"] },
    bundles: true,
    repository: true,
  },

  // npm: every other option is a setting, and settings name shells, programs and paths. Further words go to the script.
  "npm test": { options: "-s --silent -q --quiet --if-present", operands: "none", passesOn: true },
  "npm t": { options: "-s --silent -q --quiet --if-present", operands: "none", passesOn: true },
  "npm start": { options: "-s --silent -q --quiet --if-present", operands: "none", passesOn: true },
  "npm ls": {
    options: "-a --all -g --global -l --long -p --parseable --json --depth:number --omit:word --include:word",
    operands: "text",
  },
  "npm list": {
    options: "-a --all -g --global -l --long -p --parseable --json --depth:number --omit:word --include:word",
    operands: "text",
  },

  // Builds and tests of the project itself; the arguments only choose which tests run.
  "cargo check": { options: CARGO, operands: "none", passesOn: true },
  "cargo build": { options: CARGO, operands: "none", passesOn: true },
  "cargo clippy": { options: CARGO, operands: "none", passesOn: true },
  "cargo test": { options: `${CARGO} --no-run --no-fail-fast --doc`, operands: "text", passesOn: true },
  // `go help testflag`. Excluded: -exec, -toolexec, -o, -overlay, -modfile, -C, -vettool, profiles, -args.
  "go test": {
    options:
      "-v -race -short -cover -failfast -json -count:number -run:text -skip:text -bench:text -benchmem -timeout:word -parallel:number -cpu:text -p:number -shuffle:word",
    operands: "paths",
  },
  "go vet": { options: "-v -json -p:number", operands: "paths" },
  tsc: { options: "--noEmit --strict --skipLibCheck --pretty --listFiles --version -v", operands: "none" },
  // A file operand would be run, whatever it is; -p, -c, -o, --rootdir, --basetemp and reports name code and files.
  pytest: {
    options:
      "-q --quiet -v --verbose -x --exitfirst --maxfail:number -k:text -m:text --lf --last-failed --ff --failed-first --nf --new-first --sw --stepwise -l --showlocals --tb:word --durations:number --collect-only --co -r:word --no-header --no-summary --color:word --strict-markers",
    operands: "none",
    passesOn: true,
  },
};

const ALIASES: Readonly<Record<string, string>> = {
  "python -m pytest": "pytest",
  "python3 -m pytest": "pytest",
  egrep: "grep",
  fgrep: "grep",
};

/** The raw table, for the test that compares it with the installed programs. */
export const HARMLESS_TABLE: Readonly<Record<string, Pick<HarmlessUse, "options" | "operands">>> = HARMLESS_USES;

const KEY_WORDS_MAX = 3;
const VALUES: Readonly<Record<string, RegExp>> = {
  number: /^[+-]?\d+(\.\d+)?[a-zA-Z]{0,3}$/,
  word: /^[\w.,:+%-]*$/,
  text: ANY_TEXT,
  path: ANY_TEXT,
  // Any other pattern of rg also finds hidden files.
  glob: /^(!|\*\.(?!env|key|pem|local)[a-z]+$)/,
};

interface Option {
  readonly value: "none" | "optional" | "required";
  readonly kind: string;
}

const readTables = new Map<string, ReadonlyMap<string, Option>>();

function optionsOf(key: string, { options }: HarmlessUse): ReadonlyMap<string, Option> {
  const known = readTables.get(key);
  if (known) return known;
  const read = new Map<string, Option>();
  for (const spec of options.split(" ").filter((each) => each !== "")) {
    const [, name = "", sign, kind = "none"] = /^(-[^:?]*)(?:([:?])(\w+))?$/.exec(spec) ?? [];
    read.set(name, { kind, value: sign === ":" ? "required" : sign === "?" ? "optional" : "none" });
  }
  readTables.set(key, read);
  return read;
}

interface FoundUse {
  readonly key: string;
  /** How many words of the command name the use. */
  readonly words: number;
  readonly use: HarmlessUse;
}

/** The table entry for a command, by its first words. */
export function findHarmlessUse(words: readonly ShellWord[]): FoundUse | null {
  for (let count = Math.min(KEY_WORDS_MAX, words.length); count > 0; count -= 1) {
    const named = words.slice(0, count);
    if (!named.every(({ literal }) => literal)) continue;
    const key = named.map(({ text }) => text).join(" ");
    const name = Object.hasOwn(ALIASES, key) ? (ALIASES[key] ?? key) : key;
    const use = Object.hasOwn(HARMLESS_USES, name) ? HARMLESS_USES[name] : undefined;
    if (use !== undefined) return { key: name, words: count, use };
  }
  return null;
}

/** A word, or the part of one, that the program opens. */
export interface NamedPath {
  readonly path: string;
  /** The word is part of the rule itself. */
  readonly isInRule: boolean;
}

export type ReadArguments =
  | {
      readonly isHarmless: true;
      readonly paths: readonly NamedPath[];
      readonly isDeep: boolean;
      readonly usesRepository: boolean;
    }
  | { readonly isHarmless: false; readonly why: string };

/**
 * Parses the arguments of a command with the table. The first `inRule` words belong to the rule: they are allowed in
 * any case. Null if the table has no entry for it.
 */
export function readArguments(words: readonly ShellWord[], inRule: number): ReadArguments | null {
  const found = findHarmlessUse(words);
  if (found === null) return null;
  const { key, use } = found;
  const options = optionsOf(key, use);
  const paths: NamedPath[] = [];
  const given = new Set<string>();
  const operands: { readonly text: string; readonly isInRule: boolean }[] = [];
  const harm = (why: string): ReadArguments => ({ isHarmless: false, why });
  let at = found.words;
  let onlyOperands = false;
  while (at < words.length) {
    const isInRule = at < inRule;
    const word = words[at];
    at += 1;
    if (word === undefined) break;
    const { text, literal } = word;
    if (!literal) return harm(`The value of ${text} is only known at run time.`);
    if (onlyOperands || text === "-" || !text.startsWith("-")) {
      operands.push({ text, isInRule });
      continue;
    }
    if (text === "--") {
      if (use.passesOn && !isInRule) return harm(`Arguments after -- are for a program other than ${words[0]?.text}.`);
      onlyOperands = true;
      continue;
    }
    const read = readOption(text, options, use);
    if (read === null) {
      if (isInRule) continue;
      return harm(`${text} is not a known harmless argument of ${key}.`);
    }
    for (const name of read.names) given.add(name);
    if (read.value === null) continue;
    const next = words[at];
    const value = read.value.attached ?? next?.text;
    if (read.value.attached === undefined) at += 1;
    if (value === undefined || (read.value.attached === undefined && next?.literal !== true))
      return harm(`The value of ${text} cannot be determined.`);
    if (!isInRule && !VALUES[read.value.kind]?.test(value))
      return harm(`${text} has a value that is not known to be harmless.`);
    if (read.value.kind === "path") paths.push({ path: value, isInRule: at <= inRule });
  }
  const { first } = use;
  const hasFirst = first !== undefined && !first.replacedBy.some((name) => given.has(name));
  for (const [index, { text, isInRule }] of operands.entries()) {
    if (hasFirst && index === 0) {
      if (!isInRule && !first.matches.test(text)) return harm(`"${text}" is not known to be harmless for ${key}.`);
    } else if (use.operands === "none") {
      if (!isInRule) return harm(`"${text}" is not a known harmless argument of ${key}.`);
    } else if (use.operands === "paths") paths.push({ path: text, isInRule });
  }
  return {
    isHarmless: true,
    paths,
    isDeep: use.deep === true || (use.deep ?? []).some((name) => given.has(name)),
    usesRepository: use.repository === true,
  };
}

interface ReadOption {
  readonly names: readonly string[];
  readonly value: { readonly kind: string; readonly attached?: string } | null;
}

/** One word of options; null if any part of it is unknown. An abbreviated name is unknown. */
function readOption(text: string, options: ReadonlyMap<string, Option>, use: HarmlessUse): ReadOption | null {
  if (/^-\d+$/.test(text) && options.has("-0") && options.get("-0")?.value === "none")
    return { names: ["-0"], value: null };
  const whole = options.get(text);
  if (whole !== undefined) return { names: [text], value: whole.value === "required" ? { kind: whole.kind } : null };
  const equals = text.indexOf("=");
  const named = equals === -1 ? undefined : options.get(text.slice(0, equals));
  if (equals !== -1 && named !== undefined && named.value !== "none" && (equals > 2 || !use.bundles))
    return { names: [text.slice(0, equals)], value: { kind: named.kind, attached: text.slice(equals + 1) } };
  if (text.startsWith("--")) return null;
  return readBundle(text, options, use.bundles === true);
}

/** `-la`, `-n5`: every letter is an option, and the text after one with a value is that value. */
function readBundle(text: string, options: ReadonlyMap<string, Option>, bundles: boolean): ReadOption | null {
  const names: string[] = [];
  for (let at = 1; at < text.length; at += 1) {
    const name = `-${text[at]}`;
    const option = options.get(name);
    if (option === undefined || (at > 1 && !bundles)) return null;
    names.push(name);
    if (option.value === "none") continue;
    const attached = text.slice(at + 1);
    if (attached !== "") return { names, value: { kind: option.kind, attached } };
    return { names, value: option.value === "required" ? { kind: option.kind } : null };
  }
  return { names, value: null };
}
