/**
 * Names that no broad permission covers, each with its reason: secrets, and files that make a program run something
 * when somebody only enters a directory, opens an editor or a shell, or uses a tool on it. Build files and tests that
 * are ordinary source (package.json, Makefile, conftest.py) are not here: they act only in a command that runs the
 * project, and that command is asked for (decision 40). `*` matches anything, and a folder is guarded with all of
 * its contents.
 */
const GUARDED: Readonly<Record<string, string>> = {
  // Version control.
  ".git": "hooks, filters, pagers and helpers of Git; as a file it names another repository",
  ".gitmodules": "where submodules are fetched from, and how",
  ".gitconfig": "settings of Git, which name programs",
  ".gitattributes": "which filters and comparing programs Git runs",
  ".lfsconfig": "programs and servers of Git LFS",
  ".githooks": "programs Git runs, by core.hooksPath",
  ".husky": "programs Git runs, by core.hooksPath",
  ".lefthook*": "commands that Git hooks run",
  "lefthook*.yml": "commands that Git hooks run",
  "lefthook*.yaml": "commands that Git hooks run",
  "lefthook*.toml": "commands that Git hooks run",
  ".pre-commit-config.yaml": "programs that Git hooks fetch and run",
  ".pre-commit-hooks.yaml": "programs that Git hooks run",
  ".overcommit.yml": "programs that Git hooks run",
  ".simple-git-hooks*": "programs that Git hooks run",
  ".hg": "hooks and extensions of Mercurial",
  ".hgrc": "hooks and extensions of Mercurial",
  ".svn": "hooks and settings of Subversion",
  ".jj": "settings of Jujutsu, which name programs",
  ".bzr": "settings of Bazaar",
  ".repo": "hooks of repo",
  ".sl": "settings and hooks of Sapling",

  // Editors act when a folder is opened.
  ".vscode": "tasks, settings and programs that start with the folder",
  "*.code-workspace": "tasks and settings of a workspace",
  ".vs": "tasks that start with the folder",
  ".idea": "run configurations and startup tasks",
  ".run": "run configurations",
  ".fleet": "run configurations",
  ".zed": "tasks and language servers",
  ".nova": "tasks of the editor",
  ".devcontainer": "commands run on this machine when a container is made",
  ".devcontainer.json": "commands run on this machine when a container is made",
  ".vim": "plugins and scripts of Vim",
  ".vimrc": "commands Vim runs when it starts",
  _vimrc: "commands Vim runs when it starts",
  ".gvimrc": "commands Vim runs when it starts",
  ".nvim": "scripts of Neovim",
  ".nvimrc": "commands Neovim runs when it starts in the folder",
  ".nvim.lua": "commands Neovim runs when it starts in the folder",
  ".exrc": "commands Vim runs when it starts in the folder",
  ".lvimrc": "commands a Vim plugin runs in the folder",
  ".local.vimrc": "commands a Vim plugin runs in the folder",
  ".vimspector.json": "programs a debugger starts",
  ".emacs": "code Emacs runs when it starts",
  ".emacs.d": "code Emacs runs when it starts",
  ".dir-locals*.el": "code Emacs evaluates when a file is opened",
  ".projectile": "commands of an Emacs package",
  ".nanorc": "programs the editor runs",
  ".kakrc": "commands of the editor",
  ".helix": "language servers and programs of the editor",
  ".sublime-project": "build commands",
  "*.sublime-project": "build commands",
  ".neoconf.json": "language servers",
  ".nfnl.fnl": "code an editor plugin evaluates",

  // Shells and what acts when a directory is entered.
  ".envrc*": "commands direnv runs when the directory is entered",
  ".direnv": "what direnv loads",
  ".env": "secrets, and settings of programs",
  ".env.*": "secrets, and settings of programs",
  ".autoenv*": "commands run when the directory is entered",
  ".in": "commands autoenv runs when the directory is entered",
  ".out": "commands autoenv runs when the directory is left",
  ".mise*": "commands and programs chosen when the directory is entered",
  "mise*.toml": "commands and programs chosen when the directory is entered",
  ".rtx.toml": "programs chosen when the directory is entered",
  ".tool-versions": "which programs run, by asdf and mise",
  ".asdfrc": "hooks of asdf",
  ".bash*": "commands Bash runs",
  ".profile": "commands shells run",
  ".zsh*": "commands zsh runs",
  ".zprofile": "commands zsh runs",
  ".zlog*": "commands zsh runs",
  ".zcompdump*": "code zsh loads",
  ".oh-my-zsh": "code zsh loads",
  ".kshrc": "commands ksh runs",
  ".mkshrc": "commands mksh runs",
  ".shrc": "commands sh runs",
  ".shinit": "commands sh runs",
  ".cshrc": "commands csh runs",
  ".tcshrc": "commands tcsh runs",
  ".login": "commands csh runs",
  ".logout": "commands csh runs",
  ".fish": "commands fish runs",
  ".aliases": "commands shells read",
  ".inputrc": "what keys do, commands included",
  ".editrc": "what keys do",
  ".screenrc": "commands screen runs",
  ".tmux*": "commands tmux runs",
  ".xinitrc": "commands a login runs",
  ".xprofile": "commands a login runs",
  ".xsession*": "commands a login runs",
  ".xbindkeysrc": "commands keys run",
  ".pam_environment": "variables of every login",
  ".forward": "programs mail is given to",
  ".procmailrc": "programs mail is given to",
  ".netrc": "passwords",
  _netrc: "passwords",
  ".curlrc": "options of every curl",
  _curlrc: "options of every curl",
  ".wgetrc": "options of every wget",
  ".hushlogin": "hides what a login says",
  ".config": "settings of programs, which name others",
  ".local": "programs and what starts with a login",
  ".cache": "what programs load without asking",
  ".lesskey": "commands the pager runs",
  ".less": "commands the pager runs",
  ".mailcap": "programs that open files",
  ".selected_editor": "which editor is started",

  // Debuggers and interpreters read commands from where they start.
  ".gdbinit*": "commands gdb runs in the folder",
  ".gdbearlyinit": "commands gdb runs when it starts",
  ".lldbinit*": "commands lldb runs in the folder",
  ".pythonrc*": "code Python runs when it starts",
  ".pdbrc*": "commands the Python debugger runs",
  ".ipython": "code IPython runs when it starts",
  ".jupyter": "code Jupyter runs when it starts",
  "sitecustomize.py": "code every Python runs when it starts",
  "usercustomize.py": "code every Python runs when it starts",
  "*.pth": "code Python runs when it starts",
  "pyvenv.cfg": "which Python a virtual environment runs",
  ".venv": "programs that are run by name",
  ".perltidyrc": "options that name programs",
  ".perlcriticrc": "options that load code",
  ".proverc": "options of prove, which load code",
  ".irbrc": "code irb runs when it starts",
  ".pryrc": "code pry runs when it starts",
  ".rspec": "options of rspec, which load code",
  ".rdebugrc": "commands a debugger runs",
  ".byebugrc": "commands a debugger runs",
  ".rprofile": "code R runs when it starts in the folder",
  ".renviron": "variables of R",
  ".rdata": "objects R loads when it starts",
  ".octaverc": "code Octave runs when it starts in the folder",
  ".sqliterc": "commands sqlite3 runs",
  ".psqlrc": "commands psql runs",
  ".pgpass": "passwords",
  ".my.cnf": "passwords and options of MySQL",
  ".ghci": "commands ghci runs in the folder",
  ".iex.exs": "code iex runs in the folder",
  ".erlang": "code Erlang runs when it starts",
  ".node_repl*": "what node reads when it starts",
  ".noderc": "what node reads when it starts",
  ".ocamlinit": "code OCaml runs in the folder",
  ".sbclrc": "code SBCL runs when it starts",
  ".guile": "code Guile runs when it starts",
  ".tclshrc": "code Tcl runs when it starts",
  ".wishrc": "code Tcl runs when it starts",
  ".maxima": "code Maxima runs when it starts",

  // Package managers and build tools: settings beside the project that name programs, registries or secrets.
  ".npmrc": "tokens, registries, and the shell scripts run in",
  ".yarn": "the program that yarn itself is, and its plugins",
  ".yarnrc*": "the program that yarn itself is, its plugins, and tokens",
  ".pnp.*": "code that every Node program of the project loads",
  ".pnpmfile.*": "code pnpm runs",
  "pnpmfile.*": "code pnpm runs",
  ".pnpmrc": "settings of pnpm",
  "bunfig.toml": "code bun loads before everything else",
  ".bunfig.toml": "code bun loads before everything else",
  ".nvmrc": "which node runs",
  ".node-version": "which node runs",
  ".volta": "which programs run",
  ".corepack.env": "which package manager runs",
  ".cargo": "programs cargo runs in place of others, and tokens",
  "rust-toolchain*": "which compiler runs",
  ".mvn": "options and extensions of Maven",
  ".m2": "settings and tokens of Maven",
  ".mavenrc": "commands Maven runs when it starts",
  "gradle.properties": "options of the program that builds",
  "gradle-wrapper.*": "the program that Gradle itself is",
  "gradlew*": "the program that Gradle itself is",
  "mvnw*": "the program that Maven itself is",
  ".gradle": "settings and tokens of Gradle, and what it loads",
  ".sbtopts": "options of sbt",
  ".jvmopts": "options of every Java program in the folder",
  ".java-version": "which Java runs",
  ".sdkmanrc": "which programs run",
  ".bazelrc": "options of Bazel, which name programs",
  ".bazelversion": "which Bazel runs",
  ".bazelisk*": "which Bazel runs",
  ".buckconfig*": "programs Buck runs",
  ".pants.rc": "options of Pants",
  ".bundle": "where Ruby loads code from, and tokens",
  ".gemrc": "options and tokens of gem",
  ".gem": "tokens of gem",
  ".rvmrc": "commands run when the directory is entered",
  ".ruby-version": "which Ruby runs",
  ".rbenv*": "which Ruby runs, and hooks",
  ".python-version": "which Python runs",
  ".pypirc": "tokens",
  ".pip": "settings of pip",
  "pip.conf": "settings of pip",
  ".condarc": "settings and tokens of conda",
  ".tox": "programs that are run by name",
  ".nox": "programs that are run by name",
  ".composer": "tokens of Composer",
  ".php-version": "which PHP runs",
  ".user.ini": "code PHP loads before everything else",
  ".htaccess": "what a web server runs",
  ".opam": "hooks of opam",
  ".stack": "settings of Stack",
  ".cabal": "settings of Cabal",
  ".nuget": "settings and tokens of NuGet",
  "nuget.config": "registries and tokens of NuGet",
  ".config.nims": "code Nim runs when it compiles",
  ".terraformrc": "providers and tokens",
  "terraform.rc": "providers and tokens",
  ".terraform": "programs Terraform runs",
  ".terraform.d": "programs and tokens of Terraform",
  ".ansible.cfg": "programs Ansible loads",
  "ansible.cfg": "programs Ansible loads from the folder",
  ".vagrant.d": "programs Vagrant loads",
  ".watchmanconfig": "what watchman triggers",
  ".justfile": "commands of just, out of sight",
  node_modules: "programs that are run by name",

  // Files that run on other machines with other rights.
  ".github": "what runs on the project's own servers, with its secrets",
  ".gitlab-ci.yml": "what runs on the project's own servers, with its secrets",
  ".gitlab": "what runs on the project's own servers",
  ".circleci": "what runs on the project's own servers, with its secrets",
  ".travis.yml": "what runs on the project's own servers, with its secrets",
  ".buildkite": "what runs on the project's own servers, with its secrets",
  ".drone.yml": "what runs on the project's own servers, with its secrets",
  ".woodpecker*": "what runs on the project's own servers, with its secrets",
  ".azure-pipelines*": "what runs on the project's own servers, with its secrets",

  // Agents: their settings allow commands and start programs.
  ".claude": "permissions, hooks and tool servers of an agent",
  ".claude.json": "permissions and tool servers of an agent",
  ".codex": "permissions and tool servers of an agent",
  ".cursor": "permissions, rules and tool servers of an agent",
  ".gemini": "permissions and tool servers of an agent",
  ".qwen": "permissions and tool servers of an agent",
  ".opencode": "permissions, plugins and tool servers of an agent",
  "opencode.json*": "permissions, plugins and tool servers of an agent",
  ".windsurf": "settings of an agent",
  ".cline*": "settings of an agent",
  ".roo*": "settings of an agent",
  ".continue*": "settings of an agent",
  ".aider*": "settings of an agent",
  ".amp": "settings of an agent",
  ".goose*": "settings of an agent",
  ".kiro": "hooks and tool servers of an agent",
  ".augment*": "settings of an agent",
  ".copilot": "settings of an agent",
  ".factory": "settings of an agent",
  ".crush*": "settings of an agent",
  "crush.json": "settings of an agent",
  ".mcp.json": "tool servers, which are programs",
  ".liminal-builder": "our own data",

  // Secrets, and programs that use them.
  ".ssh": "keys, and commands run on connecting",
  ".gnupg": "keys, and programs that ask for them",
  ".aws": "secrets, and programs that fetch them",
  ".azure": "secrets",
  ".gcloud": "secrets",
  ".kube": "secrets, and programs that fetch them",
  ".docker": "secrets, and programs that fetch them",
  ".password-store": "passwords",
  ".vault-token": "a secret",
  ".s3cfg": "secrets",
  ".boto": "secrets",
  ".git-credentials": "passwords",
  ".rhosts": "who may come in",
  ".shosts": "who may come in",
  ".xauthority": "who may use the screen",
  authorized_keys: "who may come in",
};

/** Changing these makes something run, but reading them is safe. */
const READ_FREELY: ReadonlySet<string> = new Set(
  "node_modules .venv .github .gitlab .gitlab-ci.yml .circleci .travis.yml .nvmrc .node-version .python-version .ruby-version .java-version .pre-commit-config.yaml gradle.properties pyvenv.cfg .rspec .bazelrc .bazelversion .tool-versions".split(
    " ",
  ),
);

const EXACT = new Set(Object.keys(GUARDED).filter((name) => !name.includes("*")));
/** A prefix and a suffix; no name has more than one star. */
const PATTERNS = Object.keys(GUARDED)
  .filter((name) => name.includes("*"))
  .map((name) => {
    const star = name.indexOf("*");
    return { start: name.slice(0, star), end: name.slice(star + 1) };
  });

/** Files that make Git treat their directory as a repository, whatever it is called. */
const MAKES_REPOSITORY: ReadonlySet<string> = new Set(["head", "commondir"]);

interface GuardOptions {
  /** The pattern of the applied rule; what it names itself is not guarded from it. */
  readonly glob?: string;
  /** Only reading: some names are guarded from changes alone. */
  readonly onlyReads?: boolean;
}

/** The first part of a path that is guarded. */
export function guardedName(path: string, { glob = "", onlyReads = false }: GuardOptions = {}): string | null {
  const named = new Set(glob.split("/").map(folded));
  const names = path.split("/");
  const isGuarded = (name: string, index: number) => {
    const plain = folded(name);
    if (named.has(plain) || (onlyReads && READ_FREELY.has(plain))) return false;
    if (EXACT.has(plain) || matchesPattern(plain)) return true;
    return !onlyReads && index === names.length - 1 && MAKES_REPOSITORY.has(plain);
  };
  return names.find(isGuarded) ?? null;
}

function matchesPattern(name: string): boolean {
  return PATTERNS.some(
    ({ start, end }) => name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end),
  );
}

/** As a file system sees it that ignores case, invisible characters, and dots and blanks at the end. */
function folded(name: string): string {
  const plain = name
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .toLowerCase();
  // `.git::$INDEX_ALLOCATION` and `git~1` also mean `.git` on Windows file systems.
  const [bare = ""] = plain.split(":");
  if (/^gi[7t]?[\da-f]*~\d+$/.test(bare)) return ".git";
  return bare.replace(/(?<=.)[. ]+$/, "");
}
