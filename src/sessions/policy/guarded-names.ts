/** Folders and files that make other programs run something, or that hold secrets: no wide permission reaches them. */
const GUARDED = new Set(
  [
    ".git .hg .svn .jj .husky .githooks .gitmodules .gitconfig .gitattributes",
    ".vscode .idea .fleet .zed .devcontainer .direnv .envrc .tool-versions .mise.toml",
    ".claude .codex .cursor .gemini .qwen .opencode .windsurf .cline .continue .aider.conf.yml .mcp.json .liminal-builder",
    ".ssh .gnupg .aws .azure .kube .docker .netrc .npmrc .yarnrc .yarnrc.yml .pypirc .pgpass .config .local",
    ".bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zshenv .zprofile .zlogin .inputrc .vimrc",
  ]
    .join(" ")
    .split(" "),
);

/** The first part of a path that is guarded, unless the pattern of a rule names it itself. */
export function guardedName(path: string, glob = ""): string | null {
  const named = new Set(glob.split("/").map(folded));
  return path.split("/").find((name) => isGuarded(folded(name)) && !named.has(folded(name))) ?? null;
}

function isGuarded(name: string): boolean {
  return GUARDED.has(name) || /^\.env(\.|$)/.test(name);
}

/** As a file system that takes no notice of case sees it. */
function folded(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}
