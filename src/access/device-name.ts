const NAME_CHARS_MAX = 60;

/** In this order: later ones also call themselves by the names of earlier ones. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, "Edge"],
  [/\b(OPR|Opera)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(HeadlessChrome|Chromium)\//, "Chromium"],
  [/\b(Chrome|CriOS)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac(intosh| OS X)\b/, "Mac"],
  [/\bLinux\b/, "Linux"],
];

/** "Safari on iPhone": enough to tell one's own devices apart. It is a claim of the browser's, and nothing hangs on it. */
export function deviceName(userAgent: string | null): string {
  const of = (table: typeof BROWSERS) => table.find(([sign]) => sign.test(userAgent ?? ""))?.[1];
  const [browser, system] = [of(BROWSERS), of(SYSTEMS)];
  if (browser === undefined && system === undefined) return plainWord(userAgent) ?? "Unknown device";
  if (browser === undefined || system === undefined) return browser ?? system ?? "";
  return `${browser} on ${system}`;
}

/** The first word of what calls itself something else, without what could disturb a list. */
function plainWord(userAgent: string | null): string | null {
  const word = /^[\w .-]+/.exec(userAgent ?? "")?.[0].trim() ?? "";
  return word === "" ? null : word.slice(0, NAME_CHARS_MAX);
}
