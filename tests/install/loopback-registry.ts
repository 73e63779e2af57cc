import { createHash } from "node:crypto";

/** One version of a package, as its author would publish it. */
export interface PublishedPackage {
  readonly name: string;
  readonly version: string;
  /** Fields of package.json beside name and version. */
  readonly manifest?: Readonly<Record<string, unknown>>;
  /** Paths inside the package and their content. */
  readonly files?: Readonly<Record<string, string>>;
  /** The archive as it is, gzipped, in place of one made of the fields above. */
  readonly archive?: Uint8Array<ArrayBuffer>;
  /** Promises another content than the one that is served. */
  readonly tampered?: boolean;
}

interface Served {
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly tarball: Uint8Array<ArrayBuffer>;
}

/** A package registry on loopback that serves what a test publishes. */
export class LoopbackRegistry implements AsyncDisposable {
  readonly #server: Bun.Server<undefined>;
  readonly #packages = new Map<string, Map<string, Served>>();
  /** Every path that was asked for. */
  readonly asked: string[] = [];
  #hold: { readonly released: Promise<void>; readonly arrived: () => void } | null = null;

  constructor() {
    this.#server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => this.#answer(request) });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/`;
  }

  async publish(one: PublishedPackage): Promise<void> {
    const fields = { name: one.name, version: one.version, ...one.manifest };
    const entries = Object.entries({ "package.json": JSON.stringify(fields), ...one.files });
    const packed = new Bun.Archive(Object.fromEntries(entries.map(([path, text]) => [`package/${path}`, text])), {
      compress: "gzip",
    });
    const tarball = one.archive ?? (await packed.bytes());
    const digest = createHash("sha512").update(tarball);
    if (one.tampered) digest.update("and something else");
    const dist = {
      tarball: `${this.url}${one.name}/-/${one.version}.tgz`,
      integrity: `sha512-${digest.digest("base64")}`,
    };
    const versions = this.#packages.get(one.name) ?? new Map<string, Served>();
    versions.set(one.version, { manifest: { ...fields, dist }, tarball });
    this.#packages.set(one.name, versions);
  }

  /** From now on tarballs are kept back: `arrived` settles with the first request for one. */
  holdTarballs(): { readonly arrived: Promise<void>; readonly release: () => void } {
    const arrived = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    this.#hold = { released: released.promise, arrived: arrived.resolve };
    return { arrived: arrived.promise, release: released.resolve };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    const path = decodeURIComponent(new URL(request.url).pathname).slice(1);
    this.asked.push(path);
    const tarball = /^(.+)\/-\/(.+)\.tgz$/.exec(path);
    if (!tarball) return this.#packument(path);
    const served = this.#packages.get(tarball[1] ?? "")?.get(tarball[2] ?? "");
    if (this.#hold) {
      this.#hold.arrived();
      await this.#hold.released;
    }
    return served ? new Response(served.tarball) : new Response("not found", { status: 404 });
  }

  #packument(name: string): Response {
    const versions = this.#packages.get(name);
    if (!versions) return Response.json({ error: "not found" }, { status: 404 });
    const manifests = [...versions].map(([version, { manifest }]) => [version, manifest]);
    const latest = [...versions.keys()].at(-1);
    return Response.json({ name, "dist-tags": { latest }, versions: Object.fromEntries(manifests) });
  }
}
