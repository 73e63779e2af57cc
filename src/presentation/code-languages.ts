interface CodeLanguage {
  /** The grammar's name in highlight.js. */
  readonly id: string;
  readonly label: string;
  /** Names written after the fence. */
  readonly names: readonly string[];
}

/** The highlighted languages. Each costs a grammar in the worker, so these are the ones agents write most. */
const CODE_LANGUAGES: readonly CodeLanguage[] = [
  { id: "bash", label: "Shell", names: ["bash", "sh", "zsh", "shell", "fish", "ksh"] },
  { id: "shell", label: "Console", names: ["console", "shellsession", "terminal"] },
  { id: "c", label: "C", names: ["c", "h"] },
  { id: "cpp", label: "C++", names: ["cpp", "c++", "cc", "cxx", "hpp", "hh"] },
  { id: "csharp", label: "C#", names: ["csharp", "cs", "c#"] },
  { id: "css", label: "CSS", names: ["css"] },
  { id: "scss", label: "SCSS", names: ["scss", "sass"] },
  { id: "diff", label: "Diff", names: ["diff", "patch", "udiff"] },
  { id: "dockerfile", label: "Dockerfile", names: ["dockerfile", "docker", "containerfile"] },
  { id: "go", label: "Go", names: ["go", "golang"] },
  { id: "graphql", label: "GraphQL", names: ["graphql", "gql"] },
  { id: "ini", label: "TOML / INI", names: ["toml", "ini", "conf", "editorconfig", "properties", "env", "dotenv"] },
  { id: "java", label: "Java", names: ["java"] },
  { id: "javascript", label: "JavaScript", names: ["javascript", "js", "jsx", "mjs", "cjs", "node"] },
  { id: "json", label: "JSON", names: ["json", "jsonc", "json5", "jsonl", "ndjson"] },
  { id: "kotlin", label: "Kotlin", names: ["kotlin", "kt", "kts"] },
  { id: "lua", label: "Lua", names: ["lua"] },
  { id: "makefile", label: "Makefile", names: ["makefile", "make", "mk"] },
  { id: "markdown", label: "Markdown", names: ["markdown", "md", "mdx"] },
  { id: "php", label: "PHP", names: ["php"] },
  { id: "python", label: "Python", names: ["python", "py", "python3", "pyi"] },
  { id: "ruby", label: "Ruby", names: ["ruby", "rb"] },
  { id: "rust", label: "Rust", names: ["rust", "rs"] },
  { id: "sql", label: "SQL", names: ["sql", "postgres", "postgresql", "sqlite", "mysql"] },
  { id: "swift", label: "Swift", names: ["swift"] },
  { id: "typescript", label: "TypeScript", names: ["typescript", "ts", "tsx", "mts", "cts"] },
  { id: "xml", label: "HTML / XML", names: ["html", "xml", "svg", "xhtml", "vue", "svelte", "plist"] },
  { id: "yaml", label: "YAML", names: ["yaml", "yml"] },
];

const BY_NAME: ReadonlyMap<string, CodeLanguage> = new Map(
  CODE_LANGUAGES.flatMap((language) => language.names.map((name) => [name, language] as const)),
);
const LABEL_CHARS_MAX = 32;

/** The grammar for the word after a fence, or null: then the code stays plain. */
export function codeLanguageId(name: string): string | null {
  return BY_NAME.get(name.toLowerCase())?.id ?? null;
}

/** By the last part of the file's name: "ts" of "a.ts", and "Makefile" itself. */
export function fileLanguageId(path: string): string | null {
  return codeLanguageId(path.split(/[./\\]/).at(-1) ?? "");
}

/** The label of a code block. An unknown language keeps the agent's name for it. */
export function codeLanguageLabel(name: string): string {
  return BY_NAME.get(name.toLowerCase())?.label ?? (name === "" ? "Code" : name.slice(0, LABEL_CHARS_MAX));
}
