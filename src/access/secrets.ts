import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** Constant time: how long a wrong guess takes says nothing about how wrong it is. */
export function isSameSecret(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** What of a secret may be stored: worthless without the key, and the secret cannot be had back from it. */
export function keyedHash(key: string, text: string): string {
  return createHmac("sha256", key).update(text).digest("base64url");
}
