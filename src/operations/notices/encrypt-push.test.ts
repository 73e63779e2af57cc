import { expect, it } from "bun:test";
import { createPublicKey, verify } from "node:crypto";
import { encryptPush, makeVapidKeys, vapidHeader } from "./encrypt-push.ts";

it("X-47 encrypts the example of RFC 8291 to the bytes in the RFC", () => {
  const message = encryptPush(
    "When I grow up, I want to be a watermelon",
    {
      publicKey: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
      auth: "BTBZMqHH6r4Tts7J_aSIgg",
    },
    {
      salt: Buffer.from("DGv6ra1nlYgDCS1FRnbzlw", "base64url"),
      privateKey: Buffer.from("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw", "base64url"),
    },
  );
  expect(message.toString("base64url")).toBe(
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
  );
});

it("X-47 the token names the service, ends within a day, and is signed by the key that goes with it", () => {
  const keys = makeVapidKeys();
  const [, token = "", key] =
    /^vapid t=(.+), k=(.+)$/.exec(vapidHeader("https://push.example/a/b?c", keys, 1_000)) ?? [];
  expect(key).toBe(keys.publicKey);
  const [head = "", claims = "", signature = ""] = token.split(".");
  const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
  expect(read(head)).toEqual({ typ: "JWT", alg: "ES256" });
  expect(read(claims)).toMatchObject({ aud: "https://push.example", exp: 1 + 12 * 60 * 60 });
  const point = Buffer.from(keys.publicKey, "base64url");
  const jwk = {
    kty: "EC",
    crv: "P-256",
    x: point.subarray(1, 33).toString("base64url"),
    y: point.subarray(33).toString("base64url"),
  };
  const publicKey = createPublicKey({ format: "jwk", key: jwk });
  const isGenuine = verify(
    "sha256",
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  expect(isGenuine).toBe(true);
});
