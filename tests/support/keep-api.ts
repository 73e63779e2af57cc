// Writes the descriptions of HTTP and the socket: npm run keep-api

import { join } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { openApi } from "../../src/bridge/openapi.ts";
import { describeSocket } from "../../src/protocol/describe-protocol.ts";
import { ROOT } from "./test-server.ts";

/** The descriptions that are kept as files, by their path in the repository. */
export const API_FILES: Readonly<Record<string, () => string>> = {
  "docs/openapi.json": () => `${JSON.stringify(openApi(packageJson.version), null, 1)}\n`,
  "docs/socket-schema.json": () => `${JSON.stringify(describeSocket(), null, 1)}\n`,
};

if (import.meta.main)
  for (const [path, make] of Object.entries(API_FILES)) {
    await Bun.write(join(ROOT, path), make());
    console.log(path);
  }
