import { createCipheriv, createECDH, createHmac, createPrivateKey, randomBytes, sign } from "node:crypto";

const CURVE = "prime256v1";
const RECORD_BYTES = 4_096;
const SALT_BYTES = 16;
const KEY_BYTES = 16;
const NONCE_BYTES = 12;
const LAST_RECORD = 2;
const TOKEN_AGE_S = 12 * 60 * 60;

/** The keys that a browser made for its subscription, as base64url. */
export interface SubscriptionKeys {
  readonly publicKey: string;
  readonly auth: string;
}

/** The server's own key pair, as base64url: by it a push service verifies the sender that the browser has allowed. */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** The random values of RFC 8291; a test passes those of the RFC's example. */
interface Chance {
  readonly salt: Buffer;
  readonly privateKey: Buffer;
}

export function makeVapidKeys(): VapidKeys {
  const pair = createECDH(CURVE);
  pair.generateKeys();
  return { publicKey: pair.getPublicKey("base64url"), privateKey: pair.getPrivateKey("base64url") };
}

/** RFC 8291 with the content coding aes128gcm: only the browser can read it, not even its push service. */
export function encryptPush(text: string, { publicKey, auth }: SubscriptionKeys, chance?: Chance): Buffer {
  const own = createECDH(CURVE);
  if (chance) own.setPrivateKey(chance.privateKey);
  else own.generateKeys();
  const salt = chance?.salt ?? randomBytes(SALT_BYTES);
  const theirs = Buffer.from(publicKey, "base64url");
  const ours = own.getPublicKey();
  const shared = hmac(Buffer.from(auth, "base64url"), own.computeSecret(theirs));
  const input = hmac(shared, Buffer.concat([Buffer.from("WebPush: info\0"), theirs, ours, Buffer.from([1])]));
  const secret = hmac(salt, input);
  const key = hmac(secret, Buffer.from("Content-Encoding: aes128gcm\0\x01")).subarray(0, KEY_BYTES);
  const nonce = hmac(secret, Buffer.from("Content-Encoding: nonce\0\x01")).subarray(0, NONCE_BYTES);
  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  const sealed = [cipher.update(text, "utf8"), cipher.update(Buffer.from([LAST_RECORD])), cipher.final()];
  const size = Buffer.alloc(4);
  size.writeUInt32BE(RECORD_BYTES);
  return Buffer.concat([salt, size, Buffer.from([ours.length]), ours, ...sealed, cipher.getAuthTag()]);
}

/** RFC 8292: the sender and the service, for half a day. */
export function vapidHeader(endpoint: string, { publicKey, privateKey }: VapidKeys, nowMs: number): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const claims = {
    aud: new URL(endpoint).origin,
    exp: Math.floor(nowMs / 1_000) + TOKEN_AGE_S,
    sub: "mailto:nobody@liminal-builder.invalid",
  };
  const signed = `${encode({ typ: "JWT", alg: "ES256" })}.${encode(claims)}`;
  const point = Buffer.from(publicKey, "base64url");
  const half = (point.length - 1) / 2;
  const key = createPrivateKey({
    format: "jwk",
    key: {
      kty: "EC",
      crv: "P-256",
      x: point.subarray(1, 1 + half).toString("base64url"),
      y: point.subarray(1 + half).toString("base64url"),
      d: privateKey,
    },
  });
  const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" }).toString("base64url");
  return `vapid t=${signed}.${signature}, k=${publicKey}`;
}

function hmac(key: Buffer, data: Buffer): Buffer {
  return createHmac("sha256", key).update(data).digest();
}
