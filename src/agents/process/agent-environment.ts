/** Belong to whoever started us, not to an agent: package managers, runtimes, other agents, and our own secrets. */
const SCRUBBED = [
  /^npm_/i,
  /^BUN_/,
  /^NODE_OPTIONS$/,
  /^NODE_ENV$/,
  /^NODE_CHANNEL_/,
  /^INIT_CWD$/,
  /^ELECTRON_RUN_AS_NODE$/,
  /^CLAUDECODE$/,
  /^CLAUDE_CODE_(ENTRYPOINT|SSE_PORT)$/,
  /^LIMINAL_(?:(?:MCP_)?TOKEN|MODEL_KEY)$/,
];

export type Environment = Readonly<Record<string, string>>;

/** What an agent process inherits, and what is laid over it; the later wins. */
export function agentEnvironment(
  inherited: Readonly<Record<string, string | undefined>>,
  ...overlays: readonly Environment[]
): Environment {
  const kept = Object.entries(inherited).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && !SCRUBBED.some((pattern) => pattern.test(pair[0])),
  );
  return Object.assign(Object.fromEntries(kept), ...overlays);
}
