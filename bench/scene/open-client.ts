import { randomUUID } from "node:crypto";
import { Connection } from "../../src/client/connection.ts";
import type { ClientRequest } from "../../src/client/pending-requests.ts";
import type { SessionId } from "../../src/protocol/ids.ts";
import { CliType } from "../../src/protocol/ids.ts";
import type { ServerMessage } from "../../src/protocol/server-messages.ts";
import { within } from "../measure/wait-until.ts";
import type { BenchServer } from "./start-server.ts";

type Type = ServerMessage["type"];

/** The product's own client, in this process. */
export interface BenchClient extends Disposable {
  readonly connection: Connection;
  /** Sends a request, and checks that the answer has the type that the protocol promises. */
  ask<Expected extends Type>(
    request: ClientRequest,
    expected: Expected,
  ): Promise<Extract<ServerMessage, { type: Expected }>>;
}

export function openClient({ socketUrl, port }: Pick<BenchServer, "socketUrl" | "port">): BenchClient {
  const connection = new Connection({
    url: socketUrl,
    world: {
      openSocket: (url) => new WebSocket(url),
      now: Date.now,
      after: (ms, call) => {
        const timer = setTimeout(call, ms);
        return () => clearTimeout(timer);
      },
      random: Math.random,
      newId: randomUUID,
      probe: async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok,
    },
  });
  return {
    connection,
    async ask(request, expected) {
      const answer = await within(`the answer to ${request.type}`, connection.request(request));
      if (!isOf(answer, expected))
        throw new Error(`${request.type} was answered by ${answer.type}, not by ${expected}`);
      return answer;
    },
    [Symbol.dispose]: () => connection.close(),
  };
}

/** A new session of an agent, in a project of its own. */
export async function createSession(client: BenchClient, directory: string, cliType: string): Promise<SessionId> {
  const { projects } = await client.ask({ type: "project:list" }, "project:list");
  const known = projects.find(({ path }) => path === directory);
  const project = known ?? (await client.ask({ type: "project:add", path: directory }, "project:added")).project;
  const request = { type: "session:create", projectId: project.id, cliType: CliType.parse(cliType) } as const;
  return (await client.ask(request, "session:created")).sessionId;
}

function isOf<Expected extends Type>(
  message: ServerMessage,
  expected: Expected,
): message is Extract<ServerMessage, { type: Expected }> {
  return message.type === expected;
}
