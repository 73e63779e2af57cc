import { z } from "zod/mini";
import { ShownApiToken } from "./api-tokens.ts";
import { ClientMessage } from "./client-messages.ts";
import { Entry, Part } from "./entry.ts";
import { ErrorCode } from "./errors.ts";
import { FactBody } from "./facts.ts";
import { ApiError } from "./http-api.ts";
import { Json } from "./json.ts";
import { PendingRequest } from "./pending-request.ts";
import { Project } from "./project.ts";
import { AgentInfo, FactMessage, PlainServerMessage } from "./server-messages.ts";
import { Turn } from "./session-parts.ts";
import { SessionRow } from "./session-schema.ts";
import { PROTOCOL_VERSION } from "./version.ts";

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Schemas that have a name of their own in descriptions; all others stand where they are used. */
const NAMED: Readonly<Record<string, z.ZodMiniType>> = {
  AgentInfo,
  Failure: ApiError,
  ApiToken: ShownApiToken,
  Entry,
  ErrorCode,
  Json,
  Part,
  PendingRequest,
  Project,
  SessionRow,
  Turn,
};

/**
 * These schemas and all named ones that they use, as JSON Schema. `io`: as they are sent to us, or as we send them.
 * `place`: where a name is defined, as a reference.
 */
export function describeSchemas(
  schemas: Readonly<Record<string, z.ZodMiniType>>,
  io: "input" | "output",
  place: (name: string) => string,
): Readonly<Record<string, JsonSchema>> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries({ ...NAMED, ...schemas })) registry.add(schema, { id });
  const { schemas: made } = z.toJSONSchema(registry, {
    io,
    uri: place,
    unrepresentable: "any",
    // A later version may send more, and what is combined of two has the fields of both.
    override: ({ jsonSchema }) => {
      if (io === "output" && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  const plain = Object.entries(made).map(([name, schema]) => [name, withoutIds(schema)] as const);
  const all = new Map(plain);
  // Only what is used.
  const used = new Set(Object.keys(schemas));
  for (const name of used)
    for (const other of all.keys()) if (JSON.stringify(all.get(name)).includes(`"${place(other)}"`)) used.add(other);
  return Object.fromEntries(plain.filter(([name]) => used.has(name)));
}

/** Ids would change what references inside mean. */
function withoutIds({ $id: _id, $schema: _draft, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

let described: JsonSchema | null = null;

/** The language of the socket as one JSON Schema: what clients send, and what the server sends. */
export function describeSocket(): JsonSchema {
  described ??= makeSocketSchema();
  return described;
}

function makeSocketSchema(): JsonSchema {
  const place = (name: string) => `#/$defs/${name}`;
  const sent = describeSchemas({ ClientMessage }, "input", (name) => place(`${name}Sent`));
  const received = describeSchemas({ PlainServerMessage, FactBody, FactMessage }, "output", place);
  const { ClientMessage: client, ...parts } = sent;
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "https://liminal-builder.invalid/socket-schema.json",
    title: "Liminal Builder: messages of the socket",
    description: `Protocol ${PROTOCOL_VERSION}. JSON text frames on /ws: ClientMessage to the server, ServerMessage from it. Binary frames come only with output of terminals that were attached for them.`,
    oneOf: [{ $ref: place("ClientMessage") }, { $ref: place("ServerMessage") }],
    $defs: {
      ClientMessage: client,
      ServerMessage: { anyOf: [{ $ref: place("PlainServerMessage") }, { $ref: place("FactMessage") }] },
      ...Object.fromEntries(Object.entries(parts).map(([name, schema]) => [`${name}Sent`, schema])),
      ...received,
    },
  };
}
