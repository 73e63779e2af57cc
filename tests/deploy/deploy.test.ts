import { describe, expect, it } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { readConfig } from "../../src/operations/config.ts";
import { loadConfigFile } from "../../src/operations/config-file.ts";
import { objectFor, podIdentity } from "../../src/places/pod.ts";
import { connectionSettings } from "../../src/store/postgres/connection-settings.ts";
import { ROOT } from "../support/test-server.ts";
import { unknownFields } from "./object-schemas.ts";

const COMPOSE = join(ROOT, "deploy/compose");
const KUSTOMIZE = join(ROOT, "deploy/kubernetes");
const TOKEN = "a-token-of-the-team";

/** Every variable that the program reads as a setting of a server. */
function settingsRead(env: Readonly<Record<string, string>>, args: readonly string[]) {
  const read = new Set<string>();
  const config = readConfig(
    new Proxy<Record<string, string | undefined>>(env, {
      get: (target, name) => {
        if (typeof name === "string") read.add(name);
        return target[String(name)];
      },
    }),
    args,
  );
  return { config, read };
}

const Service = z.looseObject({
  command: z.optional(z.array(z.string())),
  environment: z.optional(z.record(z.string(), z.string())),
  volumes: z.optional(z.array(z.string())),
});
const ComposeFile = z.looseObject({
  services: z.record(z.string(), Service),
  volumes: z.record(z.string(), z.unknown()),
});

/** With what Compose puts in for variables. */
function composeFile(path: string) {
  const values: Readonly<Record<string, string>> = { LIMINAL_TOKEN: TOKEN };
  const text = readFileSync(path, "utf8").replaceAll(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_, name: string, kind?: string, rest?: string) => values[name] ?? (kind === "-" ? (rest ?? "") : ""),
  );
  return ComposeFile.parse(Bun.YAML.parse(text));
}

const objectsOf = (file: string): unknown[] => [Bun.YAML.parse(readFileSync(join(KUSTOMIZE, file), "utf8"))].flat();

describe("[SC-47] the compose file of a team", () => {
  const { services, volumes } = composeFile(join(COMPOSE, "compose.yaml"));
  const servers = Object.entries(services).filter(([, { environment }]) => environment?.["LIMINAL_REPLICA_HOST"]);

  it("has two servers, whose settings are those that the program reads, and a valid configuration", () => {
    expect(servers.map(([name]) => name)).toEqual(["server-1", "server-2"]);
    for (const [name, { environment = {}, command = [] }] of servers) {
      const { config, read } = settingsRead({ HOME: "/", ...environment }, command.slice(1));
      expect(Object.keys(environment).filter((variable) => !read.has(variable))).toEqual([]);
      expect(config).toMatchObject({ replicaHost: name, token: TOKEN, host: "0.0.0.0", tls: { kind: "none" } });
      expect(() => connectionSettings(config.databaseUrl ?? "")).not.toThrow();
    }
    // A misspelled one would be found.
    expect(settingsRead({ HOME: "/" }, []).read.has("LIMINAL_REPLICA_HOTS")).toBe(false);
  });

  it("gives each server a data directory of its own, and the same database and settings", () => {
    const own = servers.map(([, { volumes: mounted = [] }]) => mounted.find((one) => one.endsWith(":/data")));
    expect(new Set(own).size).toBe(2);
    const rest = servers.map(([name, { environment = {}, volumes: mounted = [], ...others }]) => ({
      ...others,
      environment: { ...environment, LIMINAL_REPLICA_HOST: "" },
      mounted: mounted.filter((one) => !own.includes(one)),
      name: name.replace(/\d/, ""),
    }));
    expect(rest[0]).toEqual(rest[1] as never);
    const socket = "socket:/var/run/postgresql";
    for (const { mounted } of rest) expect(mounted).toContain(socket);
    expect(services["database"]?.volumes).toContain(socket);
    const named = Object.values(services).flatMap(({ volumes: mounted = [] }) =>
      mounted.map((one) => one.split(":")[0]),
    );
    expect(named.filter((one) => one && !one.startsWith(".") && !(one in volumes))).toEqual([]);
  });

  it("has a proxy before both, and settings that the program accepts", () => {
    const proxy = readFileSync(join(COMPOSE, "Caddyfile"), "utf8");
    expect(proxy).toContain(servers.map(([name]) => `${name}:3000`).join(" "));
    expect(proxy).toContain("health_uri /healthz");
    const { places, problems } = loadConfigFile(join(COMPOSE, "config.json"), {});
    expect(problems).toEqual([]);
    expect(places).toHaveLength(1);
  });
});

it("[SC-47] the compose file of one server and the image set only variables that the program reads", () => {
  const docker = readFileSync(join(ROOT, "Dockerfile"), "utf8");
  const set = [...docker.matchAll(/\b(LIMINAL_\w+)=(\S+)/g)].map(([, name = "", value = ""]) => [name, value]);
  expect(set.length).toBeGreaterThan(2);
  const { read } = settingsRead({ HOME: "/", ...Object.fromEntries(set) }, ["--host", "0.0.0.0", "--insecure"]);
  expect(set.filter(([name = ""]) => !read.has(name))).toEqual([]);
  expect(Object.keys(composeFile(join(ROOT, "compose.yaml")).services)).toEqual(["liminal"]);
});

const Kustomization = z.strictObject({
  ...{ apiVersion: z.string(), kind: z.literal("Kustomization"), resources: z.array(z.string()) },
  configMapGenerator: z.array(
    z.strictObject({
      ...{ name: z.string(), literals: z.optional(z.array(z.string())), files: z.optional(z.array(z.string())) },
    }),
  ),
  images: z.array(z.strictObject({ name: z.string(), newName: z.string(), newTag: z.string() })),
});
const Environment = z.looseObject({ name: z.string(), value: z.optional(z.string()) });
const StatefulSet = z.looseObject({
  spec: z.looseObject({
    serviceName: z.string(),
    replicas: z.int(),
    template: z.looseObject({
      spec: z.looseObject({
        serviceAccountName: z.string(),
        containers: z.array(
          z.looseObject({ args: z.optional(z.array(z.string())), env: z.optional(z.array(Environment)) }),
        ),
      }),
    }),
  }),
});

describe("[SC-47] the kustomize folder of a team", () => {
  const kustomization = Kustomization.parse(objectsOf("kustomization.yaml")[0]);
  const objects = kustomization.resources.flatMap(objectsOf);
  const find = (kind: string): unknown =>
    objects.find((one) => z.looseObject({ kind: z.string() }).parse(one).kind === kind);

  it("has objects by the schemas of Kubernetes, without a field that they do not know", () => {
    expect(objects).toHaveLength(7);
    for (const object of [...objects, ...objectsOf("agent-pod.yaml")]) expect(unknownFields(object)).toEqual([]);
    const files = readdirSync(KUSTOMIZE).filter((name) => name !== "kustomization.yaml");
    const used = [
      ...kustomization.resources,
      ...kustomization.configMapGenerator.flatMap(({ files: own = [] }) => own),
    ];
    expect(files.sort()).toEqual(used.sort());
  });

  it("would be refused with a misspelled field, or a value of another kind", () => {
    const set = JSON.stringify(find("StatefulSet"));
    expect(unknownFields(JSON.parse(set.replace("readinessProbe", "readynessProbe")))).toEqual([
      "spec.template.spec.containers.0.readynessProbe",
    ]);
    expect(() => unknownFields(JSON.parse(set.replace('"replicas":2', '"replicas":"2"')))).toThrow("replicas");
  });

  it("starts two servers with settings that the program reads", () => {
    const { spec } = StatefulSet.parse(find("StatefulSet"));
    expect(spec.replicas).toBe(2);
    const [{ args = [], env = [] } = {}] = spec.template.spec.containers;
    const [settings] = kustomization.configMapGenerator;
    const literals = (settings?.literals ?? []).map((text): [string, string] => [
      text.split("=")[0] ?? "",
      text.split("=")[1] ?? "",
    ]);
    const values: Readonly<Record<string, string>> = {
      LIMINAL_DATABASE_URL: "postgres://liminal:secret@db/liminal",
      LIMINAL_TOKEN: TOKEN,
    };
    const ours = env.filter(({ name }) => name.startsWith("LIMINAL_"));
    const named = ours.map(({ name, value }): [string, string] => [
      name,
      (value ?? values[name] ?? "").replace("$(POD_NAME)", "liminal-0"),
    ]);
    const all = Object.fromEntries([...named, ...literals]);
    const { config, read } = settingsRead({ HOME: "/", ...all }, args.slice(1));
    expect(Object.keys(all).filter((name) => !read.has(name))).toEqual([]);
    // Its own name in the service that has one for each.
    expect(config).toMatchObject({ replicaHost: `liminal-0.${spec.serviceName}`, tls: { kind: "generated" } });
    expect(config.allowedHosts).toEqual(["liminal.example"]);
  });

  it("may do for pods what places ask of it, and has a template that makes a pod", async () => {
    const Role = z.looseObject({
      rules: z.array(z.looseObject({ resources: z.array(z.string()), verbs: z.array(z.string()) })),
    });
    const rights = Role.parse(find("Role")).rules.flatMap(({ resources, verbs }) =>
      resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)),
    );
    for (const needed of ["get pods", "list pods", "create pods", "delete pods", "create pods/exec", "list events"])
      expect(rights).toContain(needed);
    const { places, problems } = loadConfigFile(join(KUSTOMIZE, "config.json"), {});
    expect(problems).toEqual([]);
    const [place] = places;
    if (place?.kind !== "kubernetes") throw new Error("there is no place with pods");
    const template = { ...place.template, from: { kind: "file", path: join(KUSTOMIZE, "agent-pod.yaml") } as const };
    const made = await objectFor("pods", template, podIdentity("server", "pods", "one"));
    expect(unknownFields(made)).toEqual([]);
  });
});
