/** What may be attached by its bytes: kinds that every model with eyes or ears reads, and none that can hold a script. */
export const IMAGE_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
export const AUDIO_TYPES: readonly string[] = ["audio/wav", "audio/mpeg", "audio/ogg", "audio/webm", "audio/mp4"];

/** How many bytes a base64 text stands for. */
export function base64Bytes(data: string): number {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((data.length * 3) / 4) - padding);
}
