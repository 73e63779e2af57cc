/** Kinds that are pictures and sounds and nothing else: an SVG is a document with a life of its own. */
const SHOWN: Readonly<Record<"image" | "audio", ReadonlySet<string>>> = {
  image: new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"]),
  audio: new Set(["audio/wav", "audio/x-wav", "audio/mpeg", "audio/mp4", "audio/ogg", "audio/webm", "audio/flac"]),
};

/** A `data:` address that holds only what it says; null for anything that is not plainly a picture or a sound. */
export function mediaSource(kind: "image" | "audio", mimeType: string, data: string): string | null {
  const type = mimeType.toLowerCase();
  const bare = data.replace(/\s+/g, "");
  return SHOWN[kind].has(type) && /^[A-Za-z0-9+/]+={0,2}$/.test(bare) ? `data:${type};base64,${bare}` : null;
}
