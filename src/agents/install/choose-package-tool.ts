import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

export interface PackageTool {
  readonly kind: "bun" | "npm";
  readonly program: string;
}

interface ToolSurroundings {
  readonly bun: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly which: (program: string) => string | null;
}

/** Settings that say where packages come from and how they are reached. */
const SOURCE_SETTING =
  /^\s*(?:@[^:\s]+:registry|registry|(?:\/\/.*)?_(?:auth|authToken|password)|https?-proxy|proxy|ca|cafile)\s*=/m;

/**
 * Our own Bun, which reads the user's .npmrc, its bunfig and the environment. Only npm reads npm's machine-wide
 * settings; where those say where packages come from, npm fetches them.
 */
export function choosePackageTool({ bun, env, which }: ToolSurroundings): PackageTool {
  const npm = which("npm");
  const settings = npm && machineSettings(env, which);
  if (npm && settings && existsSync(settings) && SOURCE_SETTING.test(readFileSync(settings, "utf8")))
    return { kind: "npm", program: npm };
  return { kind: "bun", program: bun };
}

function machineSettings(env: ToolSurroundings["env"], which: ToolSurroundings["which"]): string | null {
  const named = env["npm_config_globalconfig"] ?? env["NPM_CONFIG_GLOBALCONFIG"];
  if (named) return named;
  const node = which("node");
  const prefix = env["npm_config_prefix"] ?? env["NPM_CONFIG_PREFIX"] ?? env["PREFIX"];
  if (prefix) return join(prefix, "etc/npmrc");
  return node && join(dirname(dirname(realpathSync(node))), "etc/npmrc");
}
