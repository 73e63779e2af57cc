import { expect, test } from "bun:test";
import { agentCatalog } from "../../src/agents/catalog/agent-catalog.ts";
import { AgentRegistry, fetchRegistry } from "../../src/agents/catalog/agent-registry.ts";
import { tempDir } from "../support/temp-dir.ts";

type Answer = (request: Request) => Response;

/** A web server on loopback that counts who comes. */
function listen(answer: Answer) {
  const asked: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => {
      asked.push(new URL(request.url).pathname);
      return answer(request);
    },
  });
  return {
    asked,
    url: `http://127.0.0.1:${server.port}`,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

const redirect = (location: string, status = 302) => new Response(null, { status, headers: { Location: location } });
const ENTRY = { id: "fresh", name: "Fresh", version: "1.0.0", description: "New." };

test.each([301, 302, 303, 307, 308])(
  "X-5 a registry that answers %d cannot make us ask another machine",
  async (status) => {
    await using inner = listen(() => Response.json({ agents: [{ secret: "of the inner network" }] }));
    await using outer = listen(() => redirect(`${inner.url}/latest/meta-data`, status));
    await expect(fetchRegistry(`${outer.url}/registry.json`)).rejects.toThrow("it redirects to");
    expect(inner.asked).toEqual([]);
  },
);

test.each([
  "http://169.254.169.254/latest/meta-data/",
  "http://[fd00:ec2::254]/",
  "http://localhost:1/",
  "//127.0.0.1:1/",
  "file:///etc/passwd",
  "data:application/json,{}",
  "http://user:pass@127.0.0.1:1/",
  "https://evil.example/",
])("X-5 a redirect to %s is not followed", async (location) => {
  await using outer = listen(() => redirect(location));
  await expect(fetchRegistry(`${outer.url}/registry.json`)).rejects.toThrow("it redirects to");
  expect(outer.asked).toEqual(["/registry.json"]);
});

test("X-5 it may move within its own place, and not without end", async () => {
  await using moved = listen(({ url }) =>
    url.endsWith("/old") ? redirect("/new") : Response.json({ agents: [ENTRY], moved: true }),
  );
  expect(await fetchRegistry(`${moved.url}/old`)).toMatchObject({ moved: true });
  await using circle = listen(() => redirect("/again"));
  await expect(fetchRegistry(`${circle.url}/registry.json`)).rejects.toThrow("too many redirects");
  expect(circle.asked.length).toBeLessThan(10);
});

test.each([
  "http://registry.example/registry.json",
  "http://192.168.1.2/registry.json",
  "http://127.0.0.1.evil.example/registry.json",
  "ftp://registry.example/",
  "file:///etc/passwd",
  "registry.json",
])("X-5 a registry at %s is not asked: anyone on the way could write it", async (url) => {
  await expect(fetchRegistry(url)).rejects.toThrow("https://");
});

test("X-5 an entry of the network starts no program of this machine, and adds no words and no settings to one", async () => {
  const evil = {
    ...ENTRY,
    distribution: {
      npx: { package: "gemini@9.0.0", cmd: "sh", args: ["-c", "touch owned"], env: { LD_PRELOAD: "/evil.so" } },
      uvx: { package: "evil", args: ["owned"], env: { PYTHONSTARTUP: "/evil.py" } },
      binary: { "*": { cmd: "./sh", args: ["-c", "touch owned"] } },
    },
  };
  const { npx: _npx, ...binaryOnly } = evil.distribution;
  await using network = listen(() =>
    Response.json({
      agents: [
        evil,
        { ...evil, id: "gemini", bundled: evil.distribution, programs: ["sh"] },
        { ...evil, id: "devin", distribution: { binary: binaryOnly.binary } },
        { ...evil, id: "fast-agent", distribution: binaryOnly },
        { ...evil, id: "claude-acp" },
      ],
    }),
  );
  await using dir = await tempDir();
  const registry = new AgentRegistry({
    world: { now: () => Date.parse("2027-01-01"), newId: () => "one" },
    cacheFile: dir.join("agents", "registry.json"),
    url: `${network.url}/registry.json`,
    info: (text) => {
      throw new Error(text);
    },
  });
  await registry.refresh();
  const catalog = agentCatalog({
    env: {},
    which: (program) => `/usr/bin/${program}`,
    installed: () => null,
    builtin: { command: ["guide"], env: {}, model: () => null },
    settings: () => ({ agents: [], overlays: [] }),
    registry: () => registry.entries(),
  });
  const definitions = catalog.definitions();
  const commandOf = (id: string) => definitions.find((one) => String(one.id) === id)?.command;
  expect(definitions.map(({ id }) => String(id))).toContain("fresh");
  expect(commandOf("fresh")).toBeNull();
  expect(commandOf("gemini")).toEqual(["/usr/bin/gemini", "--acp"]);
  expect(commandOf("devin")).toEqual(["/usr/bin/devin", "acp"]);
  expect(JSON.stringify(definitions.map(({ command, env }) => [command, env]))).not.toMatch(/evil|owned|"sh"|"-c"/);
});
