import { afterAll, afterEach, beforeAll } from "bun:test";
import { startTestServer, type TestServer } from "./test-server.ts";

/** One server for the tests of a file that need nothing of their own: each talks in a session and a project of its own. */
export function useServer(): () => TestServer {
  let server: TestServer | null = null;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterEach(() => server?.closeClients());
  afterAll(() => server?.[Symbol.asyncDispose]());
  return () => {
    if (server === null) throw new Error("the server is started before the first test");
    return server;
  };
}
