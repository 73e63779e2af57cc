import { z } from "zod";
import type { ProjectRole, ServerRole } from "../../src/protocol/people.ts";
import { SocketClient } from "./socket-client.ts";
import type { TestServer } from "./test-server.ts";

const Added = z.object({ person: z.object({ id: z.string(), name: z.string() }) });
const Invited = z.object({ links: z.array(z.string()) });
const Made = z.object({ secret: z.string() });

interface Wanted {
  readonly role?: ServerRole;
  readonly roles?: Readonly<Record<string, ProjectRole>>;
}

/** Somebody who was added by the owner, and has signed in by the link that they got. */
export class TestPerson {
  readonly id: string;
  readonly name: string;
  readonly server: TestServer;
  /** Of their browser: cookie and page key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of a program of theirs that may do all that they may. */
  readonly token: string;

  private constructor(
    server: TestServer,
    known: { id: string; name: string; token: string },
    headers: TestPerson["headers"],
  ) {
    this.server = server;
    this.id = known.id;
    this.name = known.name;
    this.token = known.token;
    this.headers = headers;
  }

  static async add(
    server: TestServer,
    name: string,
    { role = "member", roles = {} }: Wanted = {},
  ): Promise<TestPerson> {
    const { person } = Added.parse(await ask(server, "/api/v1/people", { name, role }));
    for (const [projectId, given] of Object.entries(roles))
      await ask(server, `/api/v1/people/${person.id}/roles`, { projectId, role: given });
    const headers = await signInBy(server, await invite(server, person.id));
    const made = await fetch(`${server.origin}/api/v1/tokens`, {
      method: "POST",
      headers: { ...headers, Origin: server.origin },
      body: JSON.stringify({ name: `Program of ${name}`, scope: "admin" }),
    });
    const { secret } = Made.parse(await made.json());
    return new TestPerson(server, { ...person, token: secret }, headers);
  }

  connect(server = this.server): Promise<SocketClient> {
    return SocketClient.connect({ url: `ws://127.0.0.1:${server.port}/ws?token=${this.token}` });
  }

  /** As their program. */
  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return this.server.fetch(path, { ...init, headers: { Authorization: `Bearer ${this.token}` } });
  }

  /** As their browser. */
  browse(path: string, init: RequestInit = {}): Promise<Response> {
    return this.server.fetch(path, { ...init, headers: { ...this.headers, Origin: this.server.origin } });
  }
}

/** As the owner. */
export async function ask(server: TestServer, path: string, body: object, method = "POST"): Promise<unknown> {
  const answer = await server.fetch(path, {
    method,
    body: JSON.stringify(body),
    headers: { Authorization: `Bearer ${server.token}` },
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** The link that signs in one device of a person. */
export async function invite(server: TestServer, personId: string): Promise<string> {
  const { links } = Invited.parse(await ask(server, `/api/v1/people/${personId}/invitation`, {}));
  return links[0] ?? "";
}

/** Presses the button of the page behind the link, as a browser. */
export async function signInBy(server: TestServer, link: string): Promise<Readonly<Record<string, string>>> {
  const answer = await fetch(`${server.origin}/pair`, {
    method: "POST",
    body: new URLSearchParams({ code: new URL(link).searchParams.get("code") ?? "" }),
    headers: { Origin: server.origin, Accept: "text/html" },
    redirect: "manual",
  });
  const key = /#key=([\w-]+)/.exec(answer.headers.get("location") ?? "")?.[1];
  const cookie = answer.headers.get("set-cookie")?.split(";")[0];
  if (key === undefined || cookie === undefined) throw new Error(`the link did not sign in: ${answer.status}`);
  return { Cookie: cookie, "X-Liminal-Key": key };
}
