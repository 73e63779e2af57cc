import type { Emitter, LanguageFn } from "highlight.js";
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import go from "highlight.js/lib/languages/go";
import graphql from "highlight.js/lib/languages/graphql";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import lua from "highlight.js/lib/languages/lua";
import makefile from "highlight.js/lib/languages/makefile";
import markdown from "highlight.js/lib/languages/markdown";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import scss from "highlight.js/lib/languages/scss";
import shell from "highlight.js/lib/languages/shell";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

/** A run of code in one colour. Text only: no markup crosses from the worker to the page. */
export interface CodeToken {
  readonly text: string;
  /** A class of the style sheet, or "" for plain text. */
  readonly className: string;
}

const GRAMMARS: Readonly<Record<string, LanguageFn>> = {
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  dockerfile,
  go,
  graphql,
  ini,
  java,
  javascript,
  json,
  kotlin,
  lua,
  makefile,
  markdown,
  php,
  python,
  ruby,
  rust,
  scss,
  shell,
  sql,
  swift,
  typescript,
  xml,
  yaml,
};

/** Grammars that other grammars embed. */
const USED_BY: Readonly<Record<string, readonly string[]>> = {
  dockerfile: ["bash"],
  javascript: ["css", "graphql", "xml"],
  markdown: ["xml"],
  shell: ["bash"],
  typescript: ["css", "graphql", "xml"],
  xml: ["css", "javascript"],
  yaml: ["ruby"],
};

/** Scope of highlight.js to the class that colours it; "" is plain on purpose. A scope that is not here takes its parent's. */
const CLASS_OF_SCOPE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    keyword: "hljs-keyword",
    literal: "hljs-keyword",
    "variable.language": "hljs-keyword",
    "selector-tag": "hljs-keyword",
    tag: "hljs-punctuation",
    name: "hljs-keyword",
    doctag: "hljs-keyword",
    section: "hljs-keyword",
    string: "hljs-string",
    regexp: "hljs-string",
    char: "hljs-string",
    "char.escape": "hljs-number",
    link: "hljs-string",
    quote: "hljs-comment",
    comment: "hljs-comment",
    number: "hljs-number",
    symbol: "hljs-number",
    bullet: "hljs-number",
    title: "hljs-title",
    "title.function": "hljs-title",
    "title.function.invoke": "hljs-title",
    "selector-id": "hljs-title",
    "title.class": "hljs-type",
    "title.class.inherited": "hljs-type",
    type: "hljs-type",
    built_in: "hljs-type",
    "selector-class": "hljs-type",
    attr: "hljs-attr",
    attribute: "hljs-attr",
    property: "hljs-attr",
    variable: "hljs-attr",
    "variable.constant": "hljs-attr",
    "template-variable": "hljs-attr",
    "selector-attr": "hljs-attr",
    punctuation: "hljs-punctuation",
    operator: "hljs-punctuation",
    meta: "hljs-punctuation",
    "meta.prompt": "hljs-punctuation",
    addition: "hljs-addition",
    deletion: "hljs-deletion",
    subst: "",
    params: "",
    code: "hljs-string",
  }),
);

/** Collects runs of text instead of markup; highlight.js writes to it while it parses. */
class TokenEmitter implements Emitter {
  readonly tokens: CodeToken[] = [];
  readonly #classNames: string[] = [];

  openNode(scope: string): void {
    this.#classNames.push(classOf(scope) ?? this.#className());
  }

  closeNode(): void {
    this.#classNames.pop();
  }

  startScope(scope: string): void {
    this.openNode(scope);
  }

  endScope(): void {
    this.closeNode();
  }

  addText(text: string): void {
    this.#add({ text, className: this.#className() });
  }

  __addSublanguage(emitter: Emitter): void {
    if (emitter instanceof TokenEmitter) for (const token of emitter.tokens) this.#add(token);
  }

  finalize(): void {
    this.#classNames.length = 0;
  }

  toHTML(): string {
    return "";
  }

  #className(): string {
    return this.#classNames.at(-1) ?? "";
  }

  #add(token: CodeToken): void {
    const last = this.tokens.at(-1);
    if (last?.className === token.className) {
      this.tokens[this.tokens.length - 1] = { text: last.text + token.text, className: last.className };
    } else if (token.text !== "") this.tokens.push(token);
  }
}

/** `title.function.invoke` falls back to `title.function`, then `title`. */
function classOf(scope: string): string | undefined {
  for (let name = scope; name !== ""; name = name.slice(0, Math.max(0, name.lastIndexOf(".")))) {
    const className = CLASS_OF_SCOPE.get(name);
    if (className !== undefined) return className;
  }
  return undefined;
}

hljs.configure({ __emitter: TokenEmitter });

/** Highlights code; the joined token texts equal the code. Code that cannot be highlighted is one plain token. */
export function tokenizeCode(code: string, language: string): readonly CodeToken[] {
  const plain = [{ text: code, className: "" }];
  register(language);
  if (hljs.getLanguage(language) === undefined) return plain;
  const { _emitter: emitter } = hljs.highlight(code, { language, ignoreIllegals: true });
  if (!(emitter instanceof TokenEmitter)) return plain;
  const isWhole = emitter.tokens.reduce((length, token) => length + token.text.length, 0) === code.length;
  return isWhole ? emitter.tokens : plain; // an aborted grammar has lost the rest
}

/** A grammar is built for the first code in its language. */
function register(language: string): void {
  const grammar = GRAMMARS[language];
  if (grammar === undefined || hljs.getLanguage(language) !== undefined) return;
  hljs.registerLanguage(language, grammar);
  for (const used of USED_BY[language] ?? []) register(used);
}
