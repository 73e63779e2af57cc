/** Where a link of the agent may lead: an external page, a project file, a position in this text, or nowhere. */
type LinkTarget =
  | { readonly kind: "url"; readonly href: string }
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "anchor" }
  | { readonly kind: "refused" };

const ALLOWED_SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const LINE = /^:\d+(?::\d+)?(?:-\d+)?$/;
const WINDOWS_DRIVE = /^[a-z]:[\\/]/i;
/**
 * Characters that the URL parser drops silently and that could hide a scheme; `\p{Cc}` is every C0 and C1 control
 * character.
 */
const HIDDEN = /[\p{Cc}\p{Zl}\p{Zp}]/u;
const INLINE_IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z0-9+/=]+$/i;

/** Decides by the string that will reach the page, with the URL parser the page uses. */
export function resolveLinkTarget(href: string): LinkTarget {
  if (href === "" || HIDDEN.test(href)) return { kind: "refused" };
  if (href.startsWith("#")) return { kind: "anchor" };
  if (href.startsWith("//") || href.startsWith("\\\\")) return { kind: "refused" };
  if (isFileWithLine(href) || WINDOWS_DRIVE.test(href)) return { kind: "path", path: href };
  if (!SCHEME.test(href.trimStart())) return { kind: "path", path: decodePath(href) };
  const url = URL.canParse(href) ? new URL(href) : null;
  if (url?.protocol === "file:" && url.host === "") return { kind: "path", path: filePath(url) };
  if (url === null || !ALLOWED_SCHEMES.has(url.protocol)) return { kind: "refused" };
  return { kind: "url", href: url.href };
}

/**
 * `backoff.ts:12:4` looks like a URL whose scheme is `backoff.ts`. Parsed by hand: a single pattern would be quadratic
 * in the dots.
 */
function isFileWithLine(href: string): boolean {
  const colon = href.indexOf(":");
  if (colon === -1 || !LINE.test(href.slice(colon))) return false;
  const name = href.slice(0, colon);
  return !/[?#]/.test(name) && name.lastIndexOf(".") > Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\"));
}

/** The only images shown: bitmaps contained in the text itself. SVG can run scripts and is excluded. */
export function isInlineImage(href: string): boolean {
  return INLINE_IMAGE.test(href);
}

/** A path is shown and copied, and never followed; `#L12` is how editors write a line. */
function filePath({ pathname, hash }: URL): string {
  const line = /^#L?(\d+)/.exec(hash)?.[1];
  const path = decodePath(pathname).replace(/^\/([a-z]:\/)/i, "$1");
  return line === undefined ? path : `${path}:${line}`;
}

function decodePath(href: string): string {
  try {
    return decodeURI(href);
  } catch (error) {
    if (error instanceof URIError) return href; // a stray "%" is part of a file name
    throw error;
  }
}
