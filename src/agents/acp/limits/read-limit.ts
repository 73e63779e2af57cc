import type { LimitWindow, UsageLimit } from "../../../protocol/conversations.ts";
import type { Json } from "../../../protocol/json.ts";
import { asArray, asNumber, asObject, asString, type JsonObject } from "../read-json.ts";
import { type ReadingClock, timeInText } from "./time-in-text.ts";

/** What an agent reported about the windows of its account, before or with a failure. */
export interface AccountStatus {
  /** The window that is used up; null while all may be used. */
  readonly rejected: { readonly window?: string; readonly resetsAt?: string } | null;
  readonly windows: readonly LimitWindow[];
}

interface Failure {
  readonly code: number;
  readonly message: string;
  readonly data?: Json | undefined;
}

/** How one agent reports a limit. A row returns null for any other failure. */
interface LimitTable {
  /** Part of the agent's own name. */
  readonly agent: string;
  readonly kindOf: (failure: Failure, data: JsonObject) => "limit" | "rate" | null;
}

/** The texts by which Claude's SDK says that a usage limit was reached; it exports these beginnings. */
const CLAUDE_LIMITS =
  /You've (?:hit|reached) your|You're out of (?:usage credits|extra usage)|Your org is out of usage|Your seat type doesn't include|Your usage allocation has been disabled|Your group's usage limit|requires usage credits/;
const TOO_MANY_REQUESTS = 429;
const SAYS_TOO_MANY = /\b429\b|too many requests|rate[ -]?limit/i;
const SAYS_USED_UP = /usage limit|quota|out of (?:credits|usage)|insufficient credits/i;

const LIMIT_TABLES: readonly LimitTable[] = [
  {
    agent: "claude",
    kindOf: ({ message }, data) => {
      if (CLAUDE_LIMITS.test(message)) return "limit";
      return data["errorKind"] === "rate_limit" ? "rate" : null;
    },
  },
  {
    agent: "codex",
    kindOf: ({ message }, data) => {
      if (data["codexErrorInfo"] === "usageLimitExceeded") return "limit";
      if (/hit your usage limit|quota exceeded/i.test(message)) return "limit";
      return /last status: 429|too many requests/i.test(message) ? "rate" : null;
    },
  },
  {
    agent: "gemini",
    kindOf: ({ code, message }) => {
      if (/exhausted your|quota/i.test(message) && (code === TOO_MANY_REQUESTS || /exhausted/i.test(message)))
        return "limit";
      return code === TOO_MANY_REQUESTS ? "rate" : null;
    },
  },
];

/** Agents without a row: clear words of their providers only. */
const ANY_AGENT: LimitTable["kindOf"] = ({ code, message }) => {
  if (code !== TOO_MANY_REQUESTS && !SAYS_TOO_MANY.test(message) && !/usage limit|quota exceeded/i.test(message))
    return null;
  return SAYS_USED_UP.test(message) && !SAYS_TOO_MANY.test(message) ? "limit" : "rate";
};

/**
 * Pure: the limit that a failed turn met; null for any other failure. Reported windows take precedence over the time in
 * the text, which lacks a date or a zone in some agents.
 */
export function readLimit(
  agentName: string,
  failure: Failure,
  status: AccountStatus | null,
  clock: ReadingClock,
): UsageLimit | null {
  const kindOf = LIMIT_TABLES.find(({ agent }) => agentName.includes(agent))?.kindOf ?? ANY_AGENT;
  // An agent that reported a used-up window and then failed has failed because of it.
  const kind = status?.rejected ? "limit" : kindOf(failure, asObject(failure.data) ?? {});
  if (kind === null) return null;
  const text = failure.message.replace(/^Internal error: /, "").trim();
  const told = timeInText(text, clock);
  const said = told === null ? undefined : new Date(told).toISOString();
  if (kind === "rate") return { kind, text, ...(said !== undefined && { resetsAt: said }) };
  const resetsAt = status?.rejected?.resetsAt ?? said;
  const window = status?.rejected?.window ?? windowInText(text);
  return {
    kind: resetsAt === undefined ? "quota" : "usage",
    text,
    ...(resetsAt !== undefined && { resetsAt }),
    ...(window !== undefined && { window }),
  };
}

const WINDOW_WORDS = /\b(\d+-hour|daily|weekly|monthly|session)\b(?=[^.·]* (?:limit|quota))/i;

function windowInText(text: string): string | undefined {
  return WINDOW_WORDS.exec(text)?.[1]?.toLowerCase();
}

const WINDOW_NAMES: Readonly<Record<string, string>> = {
  five_hour: "5-hour",
  seven_day: "weekly",
  seven_day_opus: "weekly Opus",
  seven_day_sonnet: "weekly Sonnet",
  seven_day_overage_included: "weekly",
  overage: "extra usage",
};
const WINDOWS_MAX = 10;
const PERCENT = 100;

/** The account's windows in an update; null if it has none. Claude sends them beside the usage. */
export function readAccountStatus(update: Json, clock: () => ReadingClock): AccountStatus | null {
  return claudeStatus(update) ?? codexStatus(update, clock);
}

/** "**codex 5h limit:** 63% left (resets 14:03 on 5 Nov)". */
const CODEX_WINDOW =
  /^\*\*(?:[^*]* )?(?<name>\d+[mhd]|Weekly) limit:\*\* (?<left>\d{1,3})% left(?: \(resets (?<time>\d\d:\d\d)(?: on (?<date>[^)]+))?\))?/gm;

/** Codex reports its windows only in the text that answers `/status`. */
function codexStatus(update: Json, clock: () => ReadingClock): AccountStatus | null {
  const body = asObject(update);
  if (body?.["sessionUpdate"] !== "agent_message_chunk") return null;
  const text = asString(asObject(body["content"])?.["text"]) ?? "";
  if (!text.startsWith("**Model:**") || !text.includes("**Session:**")) return null;
  const windows = [...text.matchAll(CODEX_WINDOW)].map(({ groups = {} }): LimitWindow => {
    const { name = "", left, time, date } = groups;
    const [one = "", other = ""] = date?.split(" ") ?? [];
    const day = date === undefined ? "" : `${/\d/.test(one) ? `${other} ${one}` : `${one} ${other}`}, `;
    const resets = time === undefined ? null : timeInText(`resets ${day}${time}`, clock());
    const used = 1 - Math.min(Number(left), PERCENT) / PERCENT;
    return {
      name: name === "Weekly" ? "weekly" : name.replace("h", "-hour").replace("d", "-day").replace("m", "-minute"),
      used,
      ...(resets !== null && { resetsAt: new Date(resets).toISOString() }),
    };
  });
  return windows.length === 0 ? null : { rejected: null, windows: windows.slice(0, WINDOWS_MAX) };
}

function claudeStatus(update: Json): AccountStatus | null {
  const rate = asObject(asObject(asObject(update)?.["_meta"])?.["_claude/rateLimit"]);
  if (!rate) return null;
  const resetsAt = isoOfSeconds(rate["resetsAt"]);
  const type = asString(rate["rateLimitType"]);
  const window = type === undefined ? undefined : (WINDOW_NAMES[type] ?? type);
  const own = windowOf(window, rate["status"] === "rejected" ? 1 : rate["utilization"], rate["resetsAt"]);
  const others = windowsIn(rate["unifiedWindows"]).filter(({ name }) => name !== own?.name);
  return {
    rejected:
      rate["status"] === "rejected"
        ? { ...(window !== undefined && { window }), ...(resetsAt !== undefined && { resetsAt }) }
        : null,
    windows: [...(own ? [own] : []), ...others].slice(0, WINDOWS_MAX),
  };
}

/** A list of windows, or an object of them by name. */
function windowsIn(windows: Json | undefined): LimitWindow[] {
  const listed = asArray(windows)?.map(asObject);
  const pairs = listed
    ? listed.map((each) => [asString(each?.["rateLimitType"]) ?? asString(each?.["name"]), each] as const)
    : Object.entries(asObject(windows) ?? {}).map(([name, each]) => [name, asObject(each)] as const);
  return pairs.flatMap(([name, each]) => {
    const shown = name === undefined ? undefined : (WINDOW_NAMES[name] ?? name);
    return windowOf(shown, each?.["utilization"], each?.["resetsAt"]) ?? [];
  });
}

/** Shares are sent from 0 to 1, by some versions in percent. */
function windowOf(name: string | undefined, share: Json | undefined, resets: Json | undefined): LimitWindow | null {
  const used = asNumber(share);
  if (name === undefined || used === undefined || used < 0) return null;
  const resetsAt = isoOfSeconds(resets);
  const fraction = used > 1 ? used / PERCENT : used;
  return { name, used: Math.min(fraction, 1), ...(resetsAt !== undefined && { resetsAt }) };
}

const SECONDS_MAX = 8.64e12;

function isoOfSeconds(seconds: Json | undefined): string | undefined {
  const value = asNumber(seconds);
  return value === undefined || value <= 0 || value > SECONDS_MAX ? undefined : new Date(value * 1_000).toISOString();
}

const ACCOUNT_CHARS_MAX = 200;

/** Whose account an agent works with, from `_auth/status_update`; null if it names none. */
export function readAccountLabel(params: JsonObject): string | null {
  const status = asObject(params["authStatus"]) ?? params;
  if (asString(status["kind"]) === "none") return null;
  const email = asString(asObject(status["account"])?.["email"]);
  const words = [asString(status["label"]), email].filter((word) => word !== undefined && word !== "");
  return words.length === 0 ? null : words.join(" · ").slice(0, ACCOUNT_CHARS_MAX);
}
