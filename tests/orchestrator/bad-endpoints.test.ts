import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateCertificate } from "../../src/operations/tls/generate-certificate.ts";
import { startModelServer } from "../agents/model-server/model-server.ts";
import { AgentDriver } from "../builtin-agent/agent-driver.ts";
import { temporaryDirectory } from "../builtin-agent/temporary-directory.ts";
import { KEY } from "./model-env.ts";
import { ALL_KNOWN, ENDED, notices } from "./with-model.ts";

type Kind = "openai" | "anthropic";

/** A kind of endpoint that does not work, and what the user is told. */
interface BadEndpoint {
  readonly answer: (kind: Kind, request: Request) => Response | Promise<Response>;
  readonly told: RegExp;
  /** Where no retry can help, it is asked once. */
  readonly isFinal?: boolean;
  /** It is given up because it says nothing, by an agent that waits for a short time only. */
  readonly isSilent?: boolean;
}

const STREAM = { "content-type": "text/event-stream" };
const PAGE = "<!doctype html><title>Sign in</title>";
const CHECK_ADDRESS = /Check the address \(Settings, Built-in agent\)/;

/** The start of an answer in each dialect, and the piece that says a word. */
const BEGIN: Readonly<Record<Kind, string>> = {
  openai: "",
  anthropic: `event: message_start\ndata: ${JSON.stringify({
    type: "message_start",
    message: {
      id: "m",
      type: "message",
      role: "assistant",
      model: "m",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  })}\n\nevent: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n`,
};
const WORD: Readonly<Record<Kind, (word: string) => string>> = {
  openai: (word) =>
    `data: ${JSON.stringify({
      id: "c",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta: { role: "assistant", content: word }, finish_reason: null }],
    })}\n\n`,
  anthropic: (word) =>
    `event: content_block_delta\ndata: ${JSON.stringify({
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text: word },
    })}\n\n`,
};
const ERROR_EVENT: Readonly<Record<Kind, string>> = {
  openai: 'data: {"error":{"message":"the graphics card is on fire","type":"server_error","code":null}}\n\n',
  anthropic:
    'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"the graphics card is on fire"}}\n\n',
};

function failure(kind: Kind, status: number, message: string, headers: Record<string, string> = {}): Response {
  const error = { type: "invalid_request_error", message };
  const body = kind === "openai" ? { error: { ...error, code: null, param: null } } : { type: "error", error };
  return Response.json(body, { status, headers });
}

/** An event stream that sends these pieces, and then ends, says nothing more, or goes on for ever. */
function stream(pieces: readonly string[], then: "end" | "silence" | (() => string)): Response {
  const left = [...pieces];
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = left.shift() ?? (typeof then === "function" ? then() : undefined);
      if (next !== undefined) controller.enqueue(new TextEncoder().encode(next));
      else if (then === "end") controller.close();
      else await new Promise(() => undefined);
    },
  });
  return new Response(body, { headers: STREAM });
}

const ENDPOINTS: Readonly<Record<string, BadEndpoint>> = {
  "400 tools": {
    answer: (kind) => failure(kind, 400, "m does not support tools"),
    told: /answered 400: m does not support tools\. Check the API .*can use tools/,
    isFinal: true,
  },
  "400 too long": {
    answer: (kind) => failure(kind, 400, "prompt is too long: 9 tokens > 8 maximum"),
    told: /does not fit into the model's context\. .*the context size/,
  },
  "401": {
    answer: (kind) => failure(kind, 401, `no ${KEY}`),
    told: /answered 401: no \[key\]\. Check the key/,
    isFinal: true,
  },
  "402": { answer: (kind) => failure(kind, 402, "pay"), told: /answered 402: pay\. Check the account/, isFinal: true },
  "403": { answer: (kind) => failure(kind, 403, "no"), told: /answered 403: no\. Check the key/, isFinal: true },
  "404": {
    answer: (kind) => failure(kind, 404, "no m"),
    told: /404: no m\. .*whether there is a model "m"/,
    isFinal: true,
  },
  "405 without words": {
    answer: () => new Response(null, { status: 405 }),
    told: /answered 405.*Check the address/,
    isFinal: true,
  },
  "413": { answer: (kind) => failure(kind, 413, "big"), told: /answered 413: big\. .*does not fit/ },
  "429 for hours": {
    answer: (kind) => failure(kind, 429, "slow down", { "retry-after": "7200" }),
    told: /It asks to wait 120 minutes/,
    isFinal: true,
  },
  "429 always": {
    answer: (kind) => failure(kind, 429, "slow down"),
    told: /429: slow down\. I tried 6 times\. Wait a while/,
  },
  "500 always": {
    answer: (kind) => failure(kind, 500, "oops"),
    told: /500: oops\. I tried 6 times\. The endpoint has a problem/,
  },
  "502 with a page": {
    answer: () => new Response("<h1>Bad gateway</h1>", { status: 502, headers: { "content-type": "text/html" } }),
    told: /answered 502.*I tried 6 times\. The endpoint has a problem/,
  },
  "529": { answer: (kind) => failure(kind, 529, "overloaded"), told: /529: overloaded\. I tried 6 times/ },
  "a web page": {
    answer: () => new Response(PAGE, { headers: { "content-type": "text/html" } }),
    told: /answered with a web page, not with a model's answer\. Check the address/,
    isFinal: true,
  },
  JSON: {
    answer: () => Response.json({ status: "ok" }),
    told: /answered with JSON \(\{"status":"ok"\}\), not with a model's answer\./,
    isFinal: true,
  },
  "a redirect": {
    answer: () => new Response(null, { status: 307, headers: { location: "http://127.0.0.1:9/login?from=x" } }),
    told: /answered with a redirect to http:\/\/127\.0\.0\.1:9\/login, not with a model's answer\. Check the address/,
    isFinal: true,
  },
  "nothing at all": { answer: () => stream([], "end"), told: /broke off its answer\. I tried 6 times/ },
  "204": {
    answer: () => new Response(null, { status: 204 }),
    told: /answered with nothing, not with a model's answer\. Check the address/,
    isFinal: true,
  },
  "cut off": {
    answer: (kind) => stream([BEGIN[kind], WORD[kind]("half")], "end"),
    told: /broke off its answer\. I tried 6 times/,
  },
  "broken events": {
    answer: () => stream(['data: {"id": \n\n', "data: nonsense\n\n"], "end"),
    told: /sent something that is not a model's answer\. I tried 6 times\. Check the address/,
  },
  "an error in the stream": {
    answer: (kind) => stream([ERROR_EVENT[kind]], "end"),
    told: /the graphics card is on fire\. I tried 6 times\. The endpoint has a problem/,
  },
  "headers and silence": {
    answer: () => stream([], "silence"),
    told: /sent nothing for 1 s\. Check that it is up/,
    isFinal: true,
    isSilent: true,
  },
  "a word and silence": {
    answer: (kind) => stream([BEGIN[kind], WORD[kind]("half")], "silence"),
    told: /sent nothing for 1 s\. Check that it is up/,
    isFinal: true,
    isSilent: true,
  },
  "signs of life for ever": {
    answer: () => stream([], () => ": still here\n\n"),
    told: /sent nothing for 1 s\. Check that it is up/,
    isFinal: true,
    isSilent: true,
  },
  "words for ever": {
    answer: (kind) => stream([BEGIN[kind]], () => WORD[kind]("w".repeat(20_000))),
    told: /did not end its answer within 2000000 characters\. Ask for less/,
    isFinal: true,
  },
};

for (const kind of ["openai", "anthropic"] as const)
  test(`O-13 every kind of bad endpoint (${kind}) ends the turn with advice, and the next message is answered`, async () => {
    const asked = new Map<string, number>();
    await using bad = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      idleTimeout: 0,
      fetch: (request) => {
        const name = decodeURIComponent(new URL(request.url).pathname.split("/")[1] ?? "");
        asked.set(name, (asked.get(name) ?? 0) + 1);
        return ENDPOINTS[name]?.answer(kind, request) ?? new Response("no such case", { status: 418 });
      },
    });
    using mute = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
    using rude = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: { open: (socket) => void socket.end(), data: () => undefined },
    });
    using other = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: { data: (socket) => void socket.end("SSH-2.0-OpenSSH_9\r\n") },
    });
    const { cert, key } = await generateCertificate(["localhost"], Date.now());
    await using secret = Bun.serve({ hostname: "127.0.0.1", port: 0, tls: { cert, key }, fetch: () => new Response() });
    await using model = startModelServer();
    using directory = temporaryDirectory();
    const file = join(directory.path, "model.json");
    const env = { LIMINAL_MODEL_FILE: file, LIMINAL_MODEL_RETRY_MS: "0" };
    await using agent = new AgentDriver({ directory: directory.path, env });
    await using hasty = new AgentDriver({ directory: directory.path, env: { ...env, LIMINAL_MODEL_SILENT_MS: "300" } });
    const sessionId = await agent.open(ALL_KNOWN);
    const hastySession = await hasty.open(ALL_KNOWN);
    const told: string[] = [];
    const ask = async (url: string, isSilent = false) => {
      writeFileSync(file, JSON.stringify({ kind, url, model: "m", key: KEY }));
      const answer = isSilent ? hasty.prompt(hastySession, "say: x") : agent.prompt(sessionId, "say: x");
      return answer.then(
        () => "answered",
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
    };
    for (const [name, { told: words, isFinal, isSilent }] of Object.entries(ENDPOINTS)) {
      const said = await ask(`http://127.0.0.1:${bad.port}/${encodeURIComponent(name)}/v1`, isSilent);
      told.push(said);
      expect(`${name}: ${said}`).toMatch(words);
      if (isFinal) expect(asked.get(name) ?? 0).toBeLessThanOrEqual(1);
    }
    const places: readonly (readonly [string, RegExp, boolean?])[] = [
      ["http://127.0.0.1:9/v1", /Could not connect to 127\.0\.0\.1:9 \(connection refused\)\. I tried 6 times/],
      ["http://no-such-host.invalid/v1", /host not found|sent nothing/, true],
      [`http://127.0.0.1:${mute.port}/v1`, /sent nothing for 1 s\. Check that it is up/, true],
      [`http://127.0.0.1:${rude.port}/v1`, /\(connection closed\)\. I tried 6 times/],
      [`http://127.0.0.1:${other.port}/v1`, /\(what is there does not speak HTTP\)\. Check the address/],
      [`https://127.0.0.1:${bad.port}/v1`, /\(what is there does not speak TLS; try http:\/\/\)\. Check the address/],
      [
        `https://127.0.0.1:${secret.port}/v1`,
        /\(certificate not trusted\)\. Check the address\. .*NODE_EXTRA_CA_CERTS/,
      ],
    ];
    for (const [url, words, isSilent] of places) {
      const said = await ask(url, isSilent);
      told.push(said);
      expect(`${url}: ${said}`).toMatch(words);
    }
    expect(told.length).toBeGreaterThanOrEqual(22);
    // Each says what to do, and none says the key.
    expect(told.filter((words) => !/Check |Wait |Start |Ask |wait \d+ minutes|problem: /.test(words))).toEqual([]);
    expect(told.join("\n")).not.toContain(KEY);
    expect(told.filter((words) => CHECK_ADDRESS.test(words)).length).toBeGreaterThan(5);
    expect(notices(agent).some((line) => line.includes("(5 of 5)"))).toBe(true);
    writeFileSync(file, JSON.stringify({ kind, url: `${model.origin}/v1`, model: "m", key: KEY }));
    expect(await agent.prompt(sessionId, "say: Well again.")).toEqual(ENDED);
  }, 120_000);
