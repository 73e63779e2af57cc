/** The JSON-RPC and ACP codes that this agent uses. */
export const RPC_CODE = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  authRequired: -32000,
  notFound: -32002,
  cancelled: -32800,
} as const;

/** A refusal that is sent to the client unchanged. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** A param is missing or has the wrong type. */
export function invalidParams(message: string): RpcError {
  return new RpcError(RPC_CODE.invalidParams, message);
}

/** The client refused our request: a failure of the skill, never the prompt's answer. */
export class ClientRefusal extends Error {
  override readonly name = "ClientRefusal";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
