import { describe, expect, it } from "bun:test";
import { isSameSecret } from "../access/secrets.ts";
import { SessionId } from "../protocol/ids.ts";
import { SessionTokens } from "./session-tokens.ts";

const SESSION = SessionId.parse("builtin:one");
const tokens = (secret = "secret", isAlive = true) =>
  new SessionTokens({ secret, isSameSecret, isAlive: async () => isAlive });

describe("SessionTokens", () => {
  it("O-2 a token identifies its session and no other, however often it is derived", async () => {
    expect(await tokens().sessionOf(tokens().tokenOf(SESSION))).toBe(SESSION);
    expect(tokens().tokenOf(SESSION)).toBe(tokens().tokenOf(SESSION));
  });

  it("O-2 ends with its session, and with the secret it was derived from", async () => {
    const token = tokens().tokenOf(SESSION);
    expect(await tokens("secret", false).sessionOf(token)).toBeNull();
    expect(await tokens("other").sessionOf(token)).toBeNull();
  });

  it("O-2 is valid in one spelling only", async () => {
    const token = tokens().tokenOf(SESSION);
    const [name = "", signature = ""] = token.split(".");
    for (const odd of [
      "",
      ".",
      name,
      `${name}.`,
      `.${signature}`,
      `${token}.`,
      `${token}=`,
      ` ${token}`,
      `${token} `,
      `${name}..${signature}`,
    ])
      expect(await tokens().sessionOf(odd)).toBeNull();
    // The last character of the signature has bits that decoding drops.
    const last = signature.at(-1) ?? "";
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (const other of alphabet.replace(last, ""))
      expect(await tokens().sessionOf(`${name}.${signature.slice(0, -1)}${other}`)).toBeNull();
  });
});
