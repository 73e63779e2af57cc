import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** Constant time: the duration does not reveal how much of a guess is right. */
export function isSameSecret(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** The stored form of a secret: useless without the key, and not reversible. */
export function keyedHash(key: string, text: string): string {
  return createHmac("sha256", key).update(text).digest("base64url");
}
