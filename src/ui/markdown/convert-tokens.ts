import type { MarkedToken, Token, Tokens } from "marked";
import { isInlineImage, resolveLinkTarget } from "./link-target.ts";
import { type BlockNode, type InlineNode, type ListItemNode, plainText } from "./markdown-node.ts";

/** Placeholder for an incomplete address; its scheme is not allowed, so it can never be followed. */
export const PENDING_HREF = "liminal:pending";

/** Returns the inline content of a leaf, by the slot marked created for its tokens. */
type ReadInline = (slot: readonly Token[]) => readonly InlineNode[];

const KNOWN_TYPES: ReadonlySet<string> = new Set<MarkedToken["type"]>([
  "blockquote",
  "br",
  "checkbox",
  "code",
  "codespan",
  "def",
  "del",
  "em",
  "escape",
  "heading",
  "hr",
  "html",
  "image",
  "link",
  "list",
  "list_item",
  "paragraph",
  "space",
  "strong",
  "table",
  "text",
]);

/** Converts marked's block tokens to our own nodes: a closed set, so nothing unforeseen reaches the page. */
export function convertBlocks(tokens: readonly Token[], readInline: ReadInline): BlockNode[] {
  return tokens.flatMap((token) => (isKnown(token) ? convertBlock(token, readInline) : []));
}

/** Converts marked's inline tokens to our own nodes, joining adjacent text. */
export function convertInlines(tokens: readonly Token[]): InlineNode[] {
  const nodes: InlineNode[] = [];
  for (const token of tokens) {
    if (!isKnown(token)) continue;
    for (const node of convertInline(token)) pushJoined(nodes, node);
  }
  return nodes;
}

function convertBlock(token: MarkedToken, readInline: ReadInline): BlockNode[] {
  switch (token.type) {
    case "paragraph":
      return [{ kind: "paragraph", children: readInline(token.tokens) }];
    case "text":
      return [{ kind: "paragraph", children: readInline(token.tokens ?? []) }];
    case "heading":
      return [{ kind: "heading", level: token.depth, children: readInline(token.tokens) }];
    case "code":
      return [convertCode(token)];
    case "blockquote":
      return [{ kind: "quote", children: convertBlocks(token.tokens, readInline) }];
    case "list":
      return [
        {
          kind: "list",
          ordered: token.ordered,
          start: token.start === "" ? 1 : token.start,
          loose: token.loose,
          items: token.items.map((item) => convertItem(item, readInline)),
        },
      ];
    case "table":
      return [
        {
          kind: "table",
          align: token.align,
          header: token.header.map((cell) => readInline(cell.tokens)),
          rows: token.rows.map((row) => row.map((cell) => readInline(cell.tokens))),
        },
      ];
    case "hr":
      return [{ kind: "rule" }];
    case "html":
      return [{ kind: "html", text: token.text.trimEnd() }];
    case "space":
    case "def":
    case "checkbox": // the item has it
      return [];
    case "br":
    case "codespan":
    case "del":
    case "em":
    case "escape":
    case "image":
    case "link":
    case "list_item":
    case "strong":
      throw new Error(`a block list held an inline token: ${token.type}`);
    default:
      return token satisfies never;
  }
}

function convertCode(token: Tokens.Code): BlockNode {
  const language = /^\S*/.exec(token.lang ?? "")?.[0] ?? "";
  const text = token.codeBlockStyle === "indented" ? token.text.replace(/\n$/, "") : token.text;
  return { kind: "code", language: decodeEntities(language), text };
}

function convertItem(item: Tokens.ListItem, readInline: ReadInline): ListItemNode {
  const task = !item.task ? null : item.checked === true ? "done" : "open";
  return { kind: "item", task, children: convertBlocks(item.tokens, readInline) };
}

function convertInline(token: MarkedToken): InlineNode[] {
  switch (token.type) {
    case "text":
      return [{ kind: "text", text: decodeEntities(token.raw) }];
    case "escape":
      return [{ kind: "text", text: token.text }];
    case "html":
      return [{ kind: "text", text: token.raw }];
    case "strong":
      return [{ kind: "strong", children: convertInlines(token.tokens) }];
    case "em":
      return [{ kind: "emphasis", children: convertInlines(token.tokens) }];
    case "del":
      return [{ kind: "strikethrough", children: convertInlines(token.tokens) }];
    case "codespan":
      return [{ kind: "code-span", text: token.text }];
    case "br":
      return [{ kind: "line-break" }];
    case "link":
      return convertLink(
        token,
        token.autolink === true ? [{ kind: "text", text: token.text }] : convertInlines(token.tokens),
      );
    case "image":
      return convertImage(token);
    case "checkbox":
    case "space":
      return [];
    case "blockquote":
    case "code":
    case "def":
    case "heading":
    case "hr":
    case "list":
    case "list_item":
    case "paragraph":
    case "table":
      throw new Error(`an inline list held a block token: ${token.type}`);
    default:
      return token satisfies never;
  }
}

function convertLink(token: Tokens.Link | Tokens.Image, children: readonly InlineNode[]): InlineNode[] {
  const isLiteral = token.type === "link" && token.autolink === true;
  const href = isLiteral ? token.href : decodeEntities(token.href);
  const title = decodeEntities(token.title ?? "");
  if (href === PENDING_HREF) return [{ kind: "link", href: null, title: "", children }];
  const target = resolveLinkTarget(href);
  switch (target.kind) {
    case "url":
      return [{ kind: "link", href: target.href, title, children }];
    case "path":
      return [{ kind: "path", path: target.path, children }];
    case "anchor":
      return [...children];
    case "refused":
      return [{ kind: "text", text: token.raw }];
    default:
      return target satisfies never;
  }
}

/** Remote images would leak what is read here, so they become links; only inline images are shown. */
function convertImage(token: Tokens.Image): InlineNode[] {
  const alt = plainText(convertInlines(token.tokens));
  if (isInlineImage(token.href)) {
    return [{ kind: "image", source: token.href, alt, title: decodeEntities(token.title ?? "") }];
  }
  return convertLink(token, [{ kind: "text", text: alt === "" ? "image" : alt }]);
}

function pushJoined(nodes: InlineNode[], node: InlineNode): void {
  const last = nodes.at(-1);
  if (node.kind === "text" && last?.kind === "text")
    nodes[nodes.length - 1] = { kind: "text", text: last.text + node.text };
  else if (node.kind !== "text" || node.text !== "") nodes.push(node);
}

function isKnown(token: Token): token is MarkedToken {
  return KNOWN_TYPES.has(token.type);
}

const CODE_POINT_MAX = 0x10ffff;
const REPLACEMENT = "\uFFFD";
const REFERENCE = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z][a-zA-Z0-9]{1,31}));/g;

/** The named references that appear in prose; the other two thousand would cost more than the parser and stay text. */
const NAMED_SOURCE = `amp& lt< gt> quot" apos' nbsp\u00A0 colon: comma, period. semi; lpar( rpar) lsqb[ rsqb] lbrack[ rbrack] lcub{ rcub}
num# excl! quest? ast* lowbar_ grave\` vert| verbar| bsol\\ sol/ equals= plus+ dollar$ percnt% commat@ Hat^
iexcl¡ cent¢ pound£ curren¤ yen¥ sect§ uml¨ copy© ordfª laquo« not¬ shy\u00AD reg® macr¯ deg°
plusmn± sup1¹ sup2² sup3³ acute´ microµ para¶ middot· cedil¸ ordmº raquo» frac14¼ frac12½ frac34¾ iquest¿ times×
divide÷ szligß AgraveÀ AacuteÁ AcircÂ AtildeÃ AumlÄ AringÅ AEligÆ CcedilÇ EgraveÈ EacuteÉ EcircÊ EumlË IgraveÌ
IacuteÍ IcircÎ IumlÏ ETHÐ NtildeÑ OgraveÒ OacuteÓ OcircÔ OtildeÕ OumlÖ OslashØ UgraveÙ UacuteÚ UcircÛ UumlÜ YacuteÝ
THORNÞ agraveà aacuteá acircâ atildeã aumlä aringå aeligæ ccedilç egraveè eacuteé ecircê eumlë igraveì iacuteí
icircî iumlï ethð ntildeñ ograveò oacuteó ocircô otildeõ oumlö oslashø ugraveù uacuteú ucircû uumlü yacuteý thornþ
yumlÿ OEligŒ oeligœ ScaronŠ scaronš fnofƒ circˆ tilde˜ alphaα betaβ gammaγ deltaδ epsilonε thetaθ lambdaλ muμ piπ
rhoρ sigmaσ tauτ phiφ omegaω DeltaΔ SigmaΣ OmegaΩ ensp\u2002 emsp\u2003 thinsp\u2009 zwnj\u200C zwj\u200D ndash–
mdash— lsquo‘ rsquo’ sbquo‚ ldquo“ rdquo” bdquo„ dagger† Dagger‡ bull• hellip… permil‰ prime′ Prime″ lsaquo‹ rsaquo›
euro€ trade™ larr← uarr↑ rarr→ darr↓ harr↔ crarr↵ lArr⇐ rArr⇒ hArr⇔ forall∀ part∂ exist∃ empty∅ isin∈ notin∉ sum∑
prod∏ minus− radic√ infin∞ and∧ or∨ cap∩ cup∪ int∫ there4∴ sim∼ cong≅ asymp≈ ne≠ equiv≡ le≤ ge≥ sub⊂ sup⊃ sube⊆
supe⊇ sdot⋅ check✓ cross✗ star☆ starf★`;

const NAMED: ReadonlyMap<string, string> = new Map(
  NAMED_SOURCE.split(/[ \n]/).flatMap((entry) => {
    const [, name, character] = /^([a-zA-Z]+\d*)(.)$/su.exec(entry) ?? [];
    return name !== undefined && character !== undefined ? [[name, character]] : [];
  }),
);

/** Resolves character references without an HTML parser, which Trusted Types would refuse. */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(REFERENCE, (reference, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined) return NAMED.get(name) ?? reference;
    return fromCodePoint(decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number.parseInt(decimal, 10));
  });
}

function fromCodePoint(point: number): string {
  const isSurrogate = point >= 0xd800 && point <= 0xdfff;
  return point === 0 || point > CODE_POINT_MAX || isSurrogate ? REPLACEMENT : String.fromCodePoint(point);
}
