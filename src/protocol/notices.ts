import { z } from "zod/mini";

export const NOTICE_TARGETS_MAX = 20;
export const NOTICE_URL_CHARS_MAX = 2_000;
export const NOTICE_SECRET_CHARS_MIN = 16;
export const NOTICE_SECRET_CHARS_MAX = 200;
export const NOTICE_AFTER_MS_MAX = 3_600_000;
/** Long enough for what resolves by itself: a rule that answers, the next message of the queue. */
export const NOTICE_AFTER_MS_DEFAULT = 1_000;

/** The subject of a notice: an agent asks, its turn failed, it met a usage limit, its turn ended. */
export const NoticeEvent = z.enum(["asks", "failed", "limit", "done"]);
export type NoticeEvent = z.infer<typeof NoticeEvent>;
export const NOTICE_EVENTS = NoticeEvent.options;

export const NoticeFormat = z.enum(["ntfy", "json"]);
export type NoticeFormat = z.infer<typeof NoticeFormat>;

const HTTP = "expected an address that starts with http:// or https://, for example https://ntfy.sh/my-topic";
const PASSWORD = "remove the user and password from the address; ntfy takes an access token as ?auth=…";

/** Where a notice is sent. It may contain a secret: a topic, or a token in its query. */
export const NoticeUrl = z.string({ error: HTTP }).check(
  z.trim(),
  z.maxLength(NOTICE_URL_CHARS_MAX),
  z.refine((text) => /^https?:$/.test(parseUrl(text)?.protocol ?? ""), { error: HTTP, abort: true }),
  z.refine((text) => parseUrl(text)?.username === "" && parseUrl(text)?.password === "", { error: PASSWORD }),
);

function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

const rest = {
  format: z.enum(NoticeFormat.options, { error: 'expected "ntfy" or "json"' }),
  on: z
    .array(z.enum(NOTICE_EVENTS, { error: `expected any of ${NOTICE_EVENTS.join(", ")}` }), {
      error: `expected a list with any of ${NOTICE_EVENTS.join(", ")}`,
    })
    .check(z.minLength(1, { error: "choose at least one event" }), z.maxLength(NOTICE_EVENTS.length)),
  /** A notice is sent only if the session still needs the user after this time. */
  afterMs: z._default(
    z.int({ error: "expected a whole number of milliseconds" }).check(
      z.minimum(0),
      z.maximum(NOTICE_AFTER_MS_MAX, {
        error: `expected at most ${NOTICE_AFTER_MS_MAX} (one hour)`,
      }),
    ),
    NOTICE_AFTER_MS_DEFAULT,
  ),
};

const hook = {
  /** Signs what is sent in the format `json`. */
  secret: z.optional(
    z
      .string()
      .check(
        z.minLength(NOTICE_SECRET_CHARS_MIN, { error: `expected at least ${NOTICE_SECRET_CHARS_MIN} characters` }),
        z.maxLength(NOTICE_SECRET_CHARS_MAX),
      ),
  ),
  /** Also notices that someone has seen on a page: for programs, which do not use pages. */
  always: z.optional(z.boolean()),
};

/** One of `notify` in config.json. */
export const NoticeTarget = z.object({ url: NoticeUrl, ...rest, ...hook }, { error: "expected an object: { … }" });
export type NoticeTarget = z.infer<typeof NoticeTarget>;

/** A target as clients see it. */
export const ShownNoticeTarget = z.object({
  targetId: z.string(),
  /** Its address without the query, which may contain a token. */
  address: z.string(),
  format: NoticeFormat,
  on: z.array(NoticeEvent),
  afterMs: z.int(),
  isSigned: z.optional(z.boolean()),
  always: z.optional(z.boolean()),
  /** How the newest notice ended. */
  last: z.optional(z.object({ at: z.string(), problem: z.optional(z.string()) })),
});
export type ShownNoticeTarget = z.infer<typeof ShownNoticeTarget>;

const targetId = z.string().check(z.minLength(1), z.maxLength(100));
export const NOTICE_REQUESTS = {
  "notify:list": {},
  /** Without `targetId` a new one. Without `url`, `secret` or `always` these stay. */
  "notify:save": { targetId: z.optional(targetId), url: z.optional(NoticeUrl), ...rest, ...hook },
  "notify:remove": { targetId },
  /** Sends one notice now; refused with the reason if it is not accepted. */
  "notify:test": { targetId },
};
/** Answers `notify:list`, `notify:save` and `notify:remove`; every client receives changes. */
export const NOTICE_ANSWERS = { "notify:targets": { targets: z.array(ShownNoticeTarget) } };
