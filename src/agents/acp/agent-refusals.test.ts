import { describe, expect, it } from "bun:test";
import { asFailure, refusalOf } from "./agent-refusals.ts";

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
  const rejected = (code: unknown, data?: unknown) => Object.assign(new Error("Internal error"), { code, data });

  it("takes the code, and the detail wherever agents put it", () => {
    expect(asFailure(rejected(-32603))).toEqual({ code: -32603, message: "Internal error" });
    for (const data of ["no key", { details: "no key" }, { message: "no key" }])
      expect(asFailure(rejected(-32603, data))).toEqual({ code: -32603, message: "Internal error: no key" });
    expect(asFailure(rejected(-32603, { errorKind: "x" }))?.message).toBe("Internal error");
  });

  it("an error without a code is no answer of the agent's: the connection is gone", () => {
    expect([asFailure(new Error("closed")), asFailure(rejected("EPIPE")), asFailure("words")]).toEqual([
      null,
      null,
      null,
    ]);
  });
});
