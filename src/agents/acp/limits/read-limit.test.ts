import { describe, expect, it } from "bun:test";
import type { Json } from "../../../protocol/json.ts";
import { readAccountLabel, readAccountStatus, readLimit } from "./read-limit.ts";
import { timeInText } from "./time-in-text.ts";

const at = (now: string, zone = "UTC") => ({ now: Date.parse(now), zone });
const time = (text: string, now: string, zone?: string) => {
  const found = timeInText(text, at(now, zone));
  return found === null ? null : new Date(found).toISOString();
};

describe("[CV-20] the time in the text of a limit", () => {
  const CASES: readonly [title: string, text: string, now: string, zone: string, expected: string | null][] = [
    ["later today", "resets 11:50pm (UTC)", "2026-11-15T20:00:00Z", "Europe/Berlin", "2026-11-15T23:50:00.000Z"],
    ["over midnight", "resets 2:10am (UTC)", "2026-11-15T22:00:00Z", "UTC", "2026-11-16T02:10:00.000Z"],
    [
      "over midnight of the zone",
      "resets 12:30am (America/New_York)",
      "2026-11-16T04:00:00Z",
      "UTC",
      "2026-11-16T05:30:00.000Z",
    ],
    ["without minutes", "resets 3pm (Europe/Berlin)", "2026-07-01T10:00:00Z", "UTC", "2026-07-01T13:00:00.000Z"],
    ["noon", "resets 12pm (UTC)", "2026-07-01T10:00:00Z", "UTC", "2026-07-01T12:00:00.000Z"],
    ["midnight", "resets 12am (UTC)", "2026-07-01T10:00:00Z", "UTC", "2026-07-02T00:00:00.000Z"],
    ["of this minute", "resets 11:50pm (UTC)", "2026-11-15T23:50:40Z", "UTC", "2026-11-15T23:50:00.000Z"],
    ["already past means tomorrow", "resets 11:50pm (UTC)", "2026-11-15T23:55:00Z", "UTC", "2026-11-16T23:50:00.000Z"],
    ["with a date", "resets Nov 18, 10:54pm (UTC)", "2026-11-15T23:55:00Z", "UTC", "2026-11-18T22:54:00.000Z"],
    ["over the year's end", "resets Jan 2, 1am (UTC)", "2026-12-30T12:00:00Z", "UTC", "2027-01-02T01:00:00.000Z"],
    [
      "just before the year's end",
      "resets Dec 31, 11:59pm (UTC)",
      "2027-01-01T00:01:00Z",
      "UTC",
      "2026-12-31T23:59:00.000Z",
    ],
    ["New Year's Eve without a date", "resets 1am (UTC)", "2026-12-31T23:00:00Z", "UTC", "2027-01-01T01:00:00.000Z"],
    ["in our zone", "try again at 11:51 PM.", "2026-11-15T20:00:00Z", "Europe/Berlin", "2026-11-15T22:51:00.000Z"],
    [
      "with date and year",
      "or try again at Nov 16th, 2026 12:02 AM.",
      "2026-11-15T20:00:00Z",
      "Europe/Berlin",
      "2026-11-15T23:02:00.000Z",
    ],
    ["a zone nobody knows", "resets 11:50pm (Mars/Base)", "2026-11-15T20:00:00Z", "UTC", "2026-11-15T23:50:00.000Z"],
    [
      "after clocks went forward",
      "resets 9am (Europe/Berlin)",
      "2026-03-28T22:00:00Z",
      "UTC",
      "2026-03-29T07:00:00.000Z",
    ],
    [
      "an hour that clocks skip",
      "resets 2:30am (Europe/Berlin)",
      "2026-03-28T22:00:00Z",
      "UTC",
      "2026-03-29T01:30:00.000Z",
    ],
    ["after clocks went back", "resets 9am (Europe/Berlin)", "2026-10-24T22:00:00Z", "UTC", "2026-10-25T08:00:00.000Z"],
    [
      "an hour that comes twice",
      "resets 2:30am (Europe/Berlin)",
      "2026-10-24T22:00:00Z",
      "UTC",
      "2026-10-25T00:30:00.000Z",
    ],
    ["its second coming", "resets 2:30am (Europe/Berlin)", "2026-10-25T00:45:00Z", "UTC", "2026-10-25T01:30:00.000Z"],
    ["a span", "Please try again in 11.054s.", "2026-11-15T20:00:00Z", "UTC", "2026-11-15T20:00:11.054Z"],
    ["a long span", "Your quota will reset after 3h2m5s.", "2026-11-15T20:00:00Z", "UTC", "2026-11-15T23:02:05.000Z"],
    ["a span in words", "try again in 2 days 4 hours", "2026-11-15T20:00:00Z", "UTC", "2026-11-18T00:00:00.000Z"],
    ["no time at all", "Quota exceeded. Check your plan and billing details.", "2026-11-15T20:00:00Z", "UTC", null],
    ["a number that is no time", "resets 5 times", "2026-11-15T20:00:00Z", "UTC", null],
    ["a time that no clock shows", "resets 25:70", "2026-11-15T20:00:00Z", "UTC", null],
  ];
  for (const [title, text, now, zone, expected] of CASES)
    it(title, () => {
      expect(time(text, now, zone)).toBe(expected);
    });
});

const CLAUDE = "@agentclientprotocol/claude-agent-acp";
const CODEX = "@agentclientprotocol/codex-acp";
const NOW = at("2026-11-15T20:00:00Z");

describe("[CV-20] [CV-21] the limit behind a failure", () => {
  const CASES: readonly [
    title: string,
    agent: string,
    code: number,
    message: string,
    data: Json,
    expected: object | null,
  ][] = [
    [
      ...([
        "Claude's 5-hour limit",
        CLAUDE,
        -32603,
        "Internal error: You've hit your 5-hour limit · resets 11:50pm (UTC)",
      ] as const),
      { errorKind: "rate_limit" },
      {
        kind: "usage",
        window: "5-hour",
        resetsAt: "2026-11-15T23:50:00.000Z",
        text: "You've hit your 5-hour limit · resets 11:50pm (UTC)",
      },
    ],
    [
      ...([
        "Claude's weekly limit",
        CLAUDE,
        -32603,
        "You've hit your weekly limit · resets Nov 18, 10:54pm (UTC)",
      ] as const),
      { errorKind: "rate_limit" },
      { kind: "usage", window: "weekly", resetsAt: "2026-11-18T22:54:00.000Z" },
    ],
    [
      ...(["Claude without credits", CLAUDE, -32603, "You're out of usage credits"] as const),
      { errorKind: "rate_limit" },
      { kind: "quota", text: "You're out of usage credits" },
    ],
    [
      ...(["a plain 429 of Claude's model", CLAUDE, -32603, "Request rejected (429)"] as const),
      { errorKind: "rate_limit" },
      { kind: "rate", text: "Request rejected (429)" },
    ],
    [
      ...(["a 529 of Claude's model", CLAUDE, -32603, "Overloaded (529)"] as const),
      { errorKind: "server_error" },
      null,
    ],
    [
      ...([
        "Codex's limit of today",
        CODEX,
        -32603,
        "You've hit your usage limit. Upgrade to Pro or try again at 11:51 PM.",
      ] as const),
      { codexErrorInfo: "usageLimitExceeded" },
      { kind: "usage", resetsAt: "2026-11-15T23:51:00.000Z" },
    ],
    [
      ...([
        "Codex's limit of another day",
        CODEX,
        -32603,
        "You've hit your usage limit. Try again at Nov 16th, 2026 12:02 AM.",
      ] as const),
      { codexErrorInfo: "usageLimitExceeded" },
      { kind: "usage", resetsAt: "2026-11-16T00:02:00.000Z" },
    ],
    [
      ...(["Codex's quota", CODEX, -32603, "Quota exceeded. Check your plan and billing details."] as const),
      { codexErrorInfo: "usageLimitExceeded" },
      { kind: "quota" },
    ],
    [
      ...([
        "a plain 429 of Codex's model",
        CODEX,
        0,
        "exceeded retry limit, last status: 429 Too Many Requests",
      ] as const),
      null,
      { kind: "rate" },
    ],
    [...(["any other failure of Codex", CODEX, -32603, "stream disconnected"] as const), null, null],
    [
      ...(["Gemini's daily quota", "gemini-cli", 429, "You have exhausted your daily quota on this model."] as const),
      null,
      { kind: "quota", window: "daily" },
    ],
    [...(["a plain 429 of Gemini's model", "gemini-cli", 429, "Resource busy"] as const), null, { kind: "rate" }],
    [
      ...([
        "OpenCode's provider",
        "opencode",
        -32603,
        "Rate limit reached for gpt-5. Please try again in 11.054s.",
      ] as const),
      null,
      { kind: "rate", resetsAt: "2026-11-15T20:00:11.054Z" },
    ],
    [...(["an unknown agent", "someone", -32603, "The usage limit is reached"] as const), null, { kind: "quota" }],
    [...(["an unknown agent's other trouble", "someone", -32603, "disk limit is full"] as const), null, null],
  ];
  for (const [title, agent, code, message, data, expected] of CASES)
    it(title, () => {
      const limit = readLimit(agent, { code, message, data }, null, NOW);
      if (expected === null) expect(limit).toBeNull();
      else expect(limit).toMatchObject(expected);
      if (limit?.kind !== "usage") expect(limit?.kind === "rate" ? undefined : limit?.resetsAt).toBeUndefined();
    });

  it("reported windows take precedence over the text", () => {
    const rejected = { status: "rejected", resetsAt: 1_794_787_200, rateLimitType: "seven_day" };
    const status = readAccountStatus(
      { sessionUpdate: "usage_update", _meta: { "_claude/rateLimit": rejected } },
      () => NOW,
    );
    const message = "You've hit your 5-hour limit · resets 11:50pm (UTC)";
    const limit = readLimit(CLAUDE, { code: -32603, message, data: { errorKind: "rate_limit" } }, status, NOW);
    expect(limit).toEqual({ kind: "usage", window: "weekly", resetsAt: "2026-11-16T00:00:00.000Z", text: message });
  });

  it("a warning reports how much is used, and is not a limit", () => {
    const rate = {
      ...{ status: "allowed_warning", utilization: 0.92, resetsAt: 1_794_787_200, rateLimitType: "five_hour" },
      unifiedWindows: { seven_day: { utilization: 41, resetsAt: 1_795_000_000 }, five_hour: { utilization: 92 } },
    };
    expect(readAccountStatus({ _meta: { "_claude/rateLimit": rate } }, () => NOW)).toEqual({
      rejected: null,
      windows: [
        { name: "5-hour", used: 0.92, resetsAt: "2026-11-16T00:00:00.000Z" },
        { name: "weekly", used: 0.41, resetsAt: "2026-11-18T11:06:40.000Z" },
      ],
    });
    expect(readAccountStatus({ sessionUpdate: "usage_update", used: 1 }, () => NOW)).toBeNull();
    expect(
      readAccountStatus(
        { _meta: { "_claude/rateLimit": { status: 7, resetsAt: "soon", unifiedWindows: 3 } } },
        () => NOW,
      ),
    ).toEqual({
      rejected: null,
      windows: [],
    });
  });

  it("[CV-20] Codex reports its windows in the answer to /status; the same text of a model is ignored", () => {
    const said = (text: string) => ({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
    const windows = [
      "**codex 5h limit:** 8% left (resets 22:03)",
      "**codex Weekly limit:** 59% left (resets 09:30 on 18 Nov)",
      "**codex 30m limit:** 100% left",
    ];
    const status = ["**Model:** gpt", "**Session:** `1`", "", ...windows, "**Credits:** 3"].join("  \n");
    expect(readAccountStatus(said(status), () => ({ now: Date.parse("2026-11-15T20:00:00Z"), zone: "UTC" }))).toEqual({
      rejected: null,
      windows: [
        { name: "5-hour", used: 0.92, resetsAt: "2026-11-15T22:03:00.000Z" },
        { name: "weekly", used: expect.closeTo(0.41), resetsAt: "2026-11-18T09:30:00.000Z" },
        { name: "30-minute", used: 0 },
      ],
    });
    expect(readAccountStatus(said(windows.join("\n")), () => NOW)).toBeNull();
    expect(
      readAccountStatus(said("**Model:** gpt  \n**Session:** `1`  \n**Limits:** data not available yet"), () => NOW),
    ).toBeNull();
  });

  it("an account is named as the agent names it", () => {
    const account = { kind: "account", label: "Claude Max", account: { plan: "max", email: "ada@example.org" } };
    expect(readAccountLabel({ authStatus: account })).toBe("Claude Max · ada@example.org");
    expect(readAccountLabel({ authStatus: { kind: "api_key", label: "Anthropic API key" } })).toBe("Anthropic API key");
    expect(readAccountLabel({ authStatus: { kind: "none", label: "Not logged in" } })).toBeNull();
    expect(readAccountLabel({})).toBeNull();
  });
});
