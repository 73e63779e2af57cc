import { lexer, type Token, type Tokens, walkTokens } from "marked";
import { escapeHtml, htmlCode, type PageWriting } from "./html-code.ts";

/** Longer texts are shown as they are: parsing them as Markdown would take too long. */
const PROSE_CHARS_MAX = 200_000;
const NESTED_LEVELS_MAX = 40;
/** Headings of messages are below the document's own. */
const HEADINGS_BELOW = 2;
const LINK = /^(?:https?:|mailto:)/i;

/** Markdown as HTML, written tag by tag: no tag, attribute or address of the text gets through unchecked. */
export function htmlProse(markdown: string, writing: PageWriting): string {
  if (markdown.trim() === "") return "";
  if (markdown.length > PROSE_CHARS_MAX) return plain(markdown);
  try {
    const tokens = lexer(markdown, { gfm: true });
    void walkTokens(tokens, (token) => {
      if (token.type === "code")
        Object.assign(token, { html: htmlCode(token["text"], fenceName(token["lang"]), writing) });
    });
    return blocks(tokens, 0);
  } catch {
    return plain(markdown); // text that the parser gives up on is still shown
  }
}

function plain(text: string): string {
  return `<p class="plain">${escapeHtml(text)}</p>\n`;
}

function blocks(tokens: readonly Token[], depth: number): string {
  if (depth > NESTED_LEVELS_MAX) return escapeHtml(tokens.map(({ raw }) => raw).join(""));
  return tokens.map((token) => block(token, depth)).join("");
}

function block(token: Token, depth: number): string {
  switch (token.type) {
    case "space":
    case "def":
      return "";
    case "hr":
      return "<hr>\n";
    case "code":
      return "html" in token ? String(token["html"]) : plain(token.raw);
    case "heading": {
      const level = Math.min(6, Number(token["depth"]) + HEADINGS_BELOW);
      return `<h${level}>${inlines(token.tokens ?? [], depth + 1)}</h${level}>\n`;
    }
    case "paragraph":
      return `<p>${inlines(token.tokens ?? [], depth + 1)}</p>\n`;
    case "blockquote":
      return `<blockquote>\n${blocks(token.tokens ?? [], depth + 1)}</blockquote>\n`;
    case "list":
      return list(token as Tokens.List, depth);
    case "table":
      return table(token as Tokens.Table, depth);
    case "text":
      return token.tokens ? inlines(token.tokens, depth + 1) : escapeHtml(token.raw);
    case "checkbox":
      return inline(token, depth);
    default:
      return plain(token.raw);
  }
}

/** The first word after the fence; the rest is for other programs. */
function fenceName(said: unknown): string {
  return typeof said === "string" ? (/^[^\s{,]+/.exec(said)?.[0] ?? "") : "";
}

function list({ ordered, start, items }: Tokens.List, depth: number): string {
  const tag = ordered ? "ol" : "ul";
  const from = ordered && typeof start === "number" && start !== 1 ? ` start="${Math.trunc(start)}"` : "";
  const rows = items.map((item) => `<li>${box(item)}${blocks(withoutBox(item), depth + 1)}</li>\n`);
  return `<${tag}${from}>\n${rows.join("")}</${tag}>\n`;
}

function box({ task, checked }: Tokens.ListItem): string {
  return task ? `<span class="box">${checked ? "☑" : "☐"}</span> ` : "";
}

function withoutBox({ tokens }: Tokens.ListItem): readonly Token[] {
  return tokens.flatMap((token): Token[] => {
    if (token.type === "checkbox") return [];
    if (!("tokens" in token) || !token.tokens) return [token];
    return [{ ...token, tokens: token.tokens.filter(({ type }) => type !== "checkbox") } as Token];
  });
}

function table({ header, rows, align }: Tokens.Table, depth: number): string {
  const cell = (tag: "th" | "td") => (one: Tokens.TableCell, column: number) =>
    `<${tag}${alignClass(align[column])}>${inlines(one.tokens, depth + 1)}</${tag}>`;
  const body = rows.map((row) => `<tr>${row.map(cell("td")).join("")}</tr>\n`).join("");
  return `<table>\n<thead><tr>${header.map(cell("th")).join("")}</tr></thead>\n<tbody>\n${body}</tbody>\n</table>\n`;
}

function alignClass(align: string | null | undefined): string {
  return align === "right" || align === "center" ? ` class="${align}"` : "";
}

function inlines(tokens: readonly Token[], depth: number): string {
  if (depth > NESTED_LEVELS_MAX) return escapeHtml(tokens.map(({ raw }) => raw).join(""));
  return tokens.map((token) => inline(token, depth)).join("");
}

function inline(token: Token, depth: number): string {
  const inner = () =>
    token.type !== "image" && "tokens" in token && token.tokens ? inlines(token.tokens, depth + 1) : "";
  switch (token.type) {
    case "strong":
    case "em":
    case "del":
      return `<${token.type}>${inner()}</${token.type}>`;
    case "codespan":
      return `<code>${escapeHtml(String(token["text"]))}</code>`;
    case "br":
      return "<br>\n";
    case "escape":
      return escapeHtml(String(token["text"]));
    case "link":
      return link(String(token["href"]), inner());
    case "text":
      return "tokens" in token && token.tokens ? inner() : escapeHtml(String(token["text"]));
    default:
      return escapeHtml(token.raw);
  }
}

/** Addresses other than web addresses are shown without a link. */
function link(href: string, inner: string): string {
  if (!LINK.test(href)) return inner === "" ? escapeHtml(href) : `${inner} <code>${escapeHtml(href)}</code>`;
  return `<a href="${escapeHtml(href)}" rel="noopener noreferrer nofollow">${inner}</a>`;
}
