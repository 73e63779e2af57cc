import { z } from "zod/mini";
import { describeSchemas, type JsonSchema } from "../protocol/describe-protocol.ts";
import { ShownDevice, ShownInvitation } from "../protocol/devices.ts";
import {
  API_OPERATIONS,
  ApiError,
  type ApiOperation,
  fieldsOf,
  IDEMPOTENCY_KEY_CHARS_MAX,
  isInQuery,
  outputOf,
  pathParametersOf,
} from "../protocol/http-api.ts";

const REFERENCE = "#/components/schemas/";

/** Routes of the page, the command line and monitoring, which are not commands. */
interface OtherRoute {
  readonly method: "get" | "post";
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly query?: Readonly<Record<string, "string" | readonly string[]>>;
  readonly required?: readonly string[];
  readonly body?: JsonSchema;
  readonly status?: number;
  readonly type?: string;
  readonly answer?: JsonSchema;
  readonly isOpen?: true;
}

const object = (properties: JsonSchema, required = Object.keys(properties)): JsonSchema => ({
  type: "object",
  properties,
  required,
});
const text = { type: "string" };
const whole = { type: "integer" };
const named = (name: string): JsonSchema => ({ $ref: `${REFERENCE}${name}` });

const OTHER_ROUTES: readonly OtherRoute[] = [
  {
    method: "get",
    path: "/healthz",
    id: "health",
    summary: "Whether the server is ready; 503 while it starts or stops.",
    answer: object({ status: { enum: ["ok", "unavailable"] }, version: text }),
    isOpen: true,
  },
  {
    method: "post",
    path: "/hooks/{name}",
    id: "callHook",
    summary:
      "Starts a prompt in the hook's project. The token is the hook's own secret; the body is passed on as data.",
    body: {},
    status: 202,
    answer: object({ sessionId: text }),
  },
  { method: "get", path: "/api/openapi.json", id: "describeApi", summary: "This document.", isOpen: true },
  {
    method: "get",
    path: "/api/socket-schema.json",
    id: "describeSocket",
    summary: "The messages of the socket as JSON Schema.",
    isOpen: true,
  },
  {
    method: "get",
    path: "/api/status",
    id: "status",
    summary: "Agents, processes, sessions in memory, counters. Also with a token of scope read.",
    answer: object({ agents: { type: "array" }, sessions: { type: "array" }, counters: { type: "object" } }),
  },
  {
    method: "get",
    path: "/api/metrics",
    id: "metrics",
    summary: "The same figures in the Prometheus text format. Also with a token of scope read.",
    type: "text/plain",
  },
  {
    method: "get",
    path: "/api/trace",
    id: "trace",
    summary: "The last messages of a session's agent, one JSON object per line.",
    query: { sessionId: "string" },
    required: ["sessionId"],
    type: "text/plain",
  },
  {
    method: "get",
    path: "/api/export",
    id: "exportSession",
    summary: "A session as Markdown, a web page or an importable JSON document.",
    query: { sessionId: "string", format: ["md", "html", "json"] },
    required: ["sessionId", "format"],
    type: "*/*",
  },
  {
    method: "get",
    path: "/api/export-all",
    id: "exportAll",
    summary: "All sessions as a tar file of JSON documents.",
    type: "application/x-tar",
  },
  {
    method: "post",
    path: "/api/import",
    id: "importSession",
    summary: "Imports an exported JSON document into a project.",
    query: { projectId: "string", copy: ["1"], cliType: "string" },
    required: ["projectId"],
    body: { type: "object" },
    status: 201,
    answer: object({ session: named("SessionRow") }),
  },
  {
    method: "post",
    path: "/api/backup",
    id: "backUp",
    summary: "Writes a backup into the data directory.",
    status: 201,
    answer: object({ path: text, bytes: whole, sessions: whole }),
  },
  {
    method: "post",
    path: "/api/delete",
    id: "deleteSessions",
    summary: "Deletes archived sessions, or everything.",
    body: object({ which: { enum: ["archived", "everything"] }, confirm: text }, ["which"]),
    answer: object({ sessions: whole, freedBytes: whole }),
  },
  {
    method: "get",
    path: "/api/devices",
    id: "listDevices",
    summary: "Signed-in devices.",
    answer: object({ devices: { type: "array", items: named("Device") }, isReachable: { type: "boolean" } }),
  },
  {
    method: "post",
    path: "/api/devices/revoke",
    id: "revokeDevices",
    summary: "Signs out one device by id, or all others.",
    body: { oneOf: [object({ id: text }), object({ others: { const: true } })] },
    answer: object({ revoked: { type: "array", items: text } }),
  },
  {
    method: "post",
    path: "/api/pairing",
    id: "createPairing",
    summary: "A one-time link that signs in another device.",
    status: 201,
    answer: named("Invitation"),
  },
  {
    method: "get",
    path: "/api/pairing",
    id: "readPairing",
    summary: "Whether a one-time link was used.",
    query: { id: "string" },
    required: ["id"],
    answer: object({ status: { enum: ["waiting", "used", "expired"] }, device: text }, ["status"]),
  },
  {
    method: "get",
    path: "/api/crash",
    id: "readCrash",
    summary: "A crash report, by the name that the page shows.",
    query: { name: "string" },
    required: ["name"],
    type: "text/plain",
  },
  {
    method: "post",
    path: "/api/crash",
    id: "deleteCrash",
    summary: "Deletes a crash report.",
    query: { name: "string" },
    required: ["name"],
    answer: object({ deleted: text }),
  },
  {
    method: "get",
    path: "/api/push",
    id: "readPush",
    summary: "For a browser: whether it gets notices pushed, and the key to subscribe with.",
    answer: object({ publicKey: text, isOn: { type: "boolean" } }),
  },
  {
    method: "post",
    path: "/api/push",
    id: "changePush",
    summary: "For a browser: takes its push subscription, or ends it (null).",
    body: { oneOf: [{ type: "object" }, { type: "null" }] },
    answer: object({ isOn: { type: "boolean" } }),
  },
  {
    method: "post",
    path: "/api/ticket",
    id: "createTicket",
    summary: "For a browser: an address from which it can download once. Requests with a token need none.",
    body: object({ path: text }),
    status: 201,
    answer: object({ address: text }),
  },
];

let made: JsonSchema | null = null;

/** The OpenAPI 3.1 document of all HTTP, made of the table of operations and the schemas of the protocol. */
export function openApi(version: string): JsonSchema {
  made ??= describe(version);
  return made;
}

function describe(version: string): JsonSchema {
  const operations: readonly (readonly [string, ApiOperation])[] = Object.entries(API_OPERATIONS);
  const answers = describeSchemas(
    {
      ...Object.fromEntries(operations.map(([id, operation]) => [answerName(id), outputOf(operation)])),
      Failure: ApiError,
      Device: ShownDevice,
      Invitation: ShownInvitation,
    },
    "output",
    (name) => `${REFERENCE}${name}`,
  );
  const inputs = describeSchemas(
    Object.fromEntries(operations.map(([id, operation]) => [inputName(id), z.strictObject(fieldsOf(operation))])),
    "input",
    (name) => `${REFERENCE}${sentName(name)}`,
  );
  const paths: Record<string, Record<string, JsonSchema>> = {};
  const add = (path: string, method: string, described: JsonSchema) => {
    paths[path] = { ...paths[path], [method]: described };
  };
  const bodies: Record<string, JsonSchema> = {};
  for (const [id, operation] of operations) {
    const { properties = {}, required = [] } = Input.parse(inputs[inputName(id)]);
    add(operation.path, operation.method.toLowerCase(), describeOperation(id, operation, properties, required));
    const inPath = pathParametersOf(operation.path);
    const rest = Object.entries(properties).filter(([name]) => !inPath.includes(name));
    if (!isInQuery(operation) && rest.length > 0)
      bodies[`${capital(id)}Body`] = {
        ...object(
          Object.fromEntries(rest),
          required.filter((name) => !inPath.includes(name)),
        ),
        additionalProperties: false,
      };
  }
  for (const route of OTHER_ROUTES) add(route.path, route.method, describeOther(route));
  const parts = Object.entries(inputs).filter(([name]) => !name.endsWith(INPUT));
  return {
    openapi: "3.1.0",
    info: {
      title: "Liminal Builder",
      version,
      description: "Runs AI coding agents. Programs use the same commands as the page; docs/api.md tells how.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "http://127.0.0.1:3000", description: "This machine, by default." }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer", description: "liminal tokens create" } },
      schemas: {
        ...answers,
        ...Object.fromEntries(parts.map(([name, schema]) => [sentName(name), schema])),
        ...bodies,
      },
    },
  };
}

const INPUT = "Input";
const Input = z.object({
  properties: z.optional(z.record(z.string(), z.record(z.string(), z.unknown()))),
  required: z.optional(z.array(z.string())),
});
const inputName = (id: string) => `${capital(id)}${INPUT}`;
const answerName = (id: string) => `${capital(id)}Answer`;
/** A schema as it is sent to us differs from the one that we send: fields with a default may be absent. */
const sentName = (name: string) => (name.endsWith(INPUT) ? name : `${name}Sent`);

function capital(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

const failure = {
  description: "Refused: what is wrong and what to do, with a code.",
  content: { "application/json": { schema: named("Failure") } },
};

function describeOperation(
  id: string,
  operation: ApiOperation,
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
): JsonSchema {
  const { method, path, scope, summary, status = 200 } = operation;
  const inPath = pathParametersOf(path);
  const inQuery = isInQuery(operation);
  const isStream = "isStream" in operation && operation.isStream === true;
  const parameters = [
    ...inPath.map((name) => ({ name, in: "path", required: true, schema: properties[name] ?? text })),
    ...Object.entries(properties)
      .filter(([name]) => inQuery && !inPath.includes(name))
      .map(([name, schema]) => ({ name, in: "query", required: required.includes(name), schema })),
    ...(isStream ? [header("Last-Event-ID", { type: "integer", minimum: 0 })] : []),
    ...(method !== "GET" && "command" in operation
      ? [header("Idempotency-Key", { type: "string", minLength: 1, maxLength: IDEMPOTENCY_KEY_CHARS_MAX })]
      : []),
  ];
  const hasBody = !inQuery && Object.keys(properties).some((name) => !inPath.includes(name));
  return {
    operationId: id,
    summary,
    description: `Needs the scope ${scope}.${"isForUser" in operation && operation.isForUser ? " Only for the user: tokens of programs are refused." : ""}`,
    tags: [path.split("/")[3] ?? "api"],
    ...(parameters.length > 0 && { parameters }),
    ...(hasBody && {
      requestBody: {
        required: required.some((name) => !inPath.includes(name)),
        content: { "application/json": { schema: named(`${capital(id)}Body`) } },
      },
    }),
    responses: {
      [status]: {
        description: isStream ? "Server-sent events; the data of each is one of these messages." : "Done.",
        content: { [isStream ? "text/event-stream" : "application/json"]: { schema: named(answerName(id)) } },
      },
      default: failure,
    },
  };
}

function header(name: string, schema: JsonSchema): JsonSchema {
  return { name, in: "header", required: false, schema };
}

function describeOther(route: OtherRoute): JsonSchema {
  const {
    id,
    summary,
    query = {},
    required = [],
    body,
    status = 200,
    type = "application/json",
    answer,
    isOpen,
  } = route;
  const parameters = [
    ...pathParametersOf(route.path).map((name) => ({ name, in: "path", required: true, schema: text })),
    ...Object.entries(query).map(([name, kind]) => ({
      name,
      in: "query",
      required: required.includes(name),
      schema: kind === "string" ? text : { type: "string", enum: kind },
    })),
  ];
  const schema = answer ?? (type === "application/json" ? { type: "object" } : text);
  return {
    operationId: id,
    summary,
    tags: ["server"],
    ...(isOpen && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: { "application/json": { schema: body } } } }),
    responses: { [status]: { description: "Done.", content: { [type]: { schema } } }, default: failure },
  };
}
