import { describe, expect, it } from "bun:test";
import type { Json } from "../../protocol/json.ts";
import { asFailure, refusalOf } from "./agent-refusals.ts";
import { RpcError } from "./connection/acp-connection.ts";

describe("refusalOf", () => {
  it("-32000 is a matter of signing in, and names the ways", () => {
    expect(refusalOf({ code: -32000, message: "x" }, "Claude", ["Log in", "API key"])).toEqual({
      code: "AGENT_AUTH_REQUIRED",
      message: "Claude needs you to sign in first: Log in, API key.",
    });
    expect(refusalOf({ code: -32000, message: "x" }, "Claude", []).message).toContain("its own command line");
  });

  it("anything else is the agent's own message, whatever its code", () => {
    for (const code of [-32603, -32002, 401, 500, 0])
      expect(refusalOf({ code, message: "The model is busy." }, "Gemini", [])).toEqual({
        code: "AGENT_PROTOCOL_ERROR",
        message: "The model is busy.",
      });
  });
});

describe("asFailure", () => {
  const rejected = (code: number, data?: Json) => new RpcError(code, "Internal error", data);

  it("takes the code, and the detail wherever agents put it", () => {
    expect(asFailure(rejected(-32603))).toEqual({ code: -32603, message: "Internal error" });
    for (const data of ["no key", { details: "no key" }, { message: "no key" }])
      expect(asFailure(rejected(-32603, data))).toEqual({ code: -32603, message: "Internal error: no key" });
    expect(asFailure(rejected(-32603, { errorKind: "x" }))?.message).toBe("Internal error");
  });

  it("another error is no answer of the agent's: the connection is gone", () => {
    const broken = Object.assign(new Error("write"), { code: -32 });
    expect([new Error("closed"), broken, "words"].map(asFailure)).toEqual([null, null, null]);
  });
});
