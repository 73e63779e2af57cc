import type { Browser } from "playwright-core";
import { z } from "zod";
import type { Frame } from "./camera.ts";
import { animatedWebp, type Patch } from "./write-webp.ts";

/** In pixels of the page. */
export const PICTURE = { width: 960, height: 660 };
const CAPTION_HEIGHT = 44;
export const SCALE = 1.75;

const Drawn = z.object({
  /** Base64; null when nothing changed. */
  webp: z.nullable(z.string()),
  x: z.number(),
  y: z.number(),
  width: z.number(),
  height: z.number(),
});

/**
 * Runs in an empty page: draws a picture with its pointer and its caption, and encodes the rectangle that is different from
 * the picture before, with what is the same left transparent. Chromium's quality 1 is WebP without loss, which is small for
 * up to 256 colours: a rectangle keeps its most frequent ones, and the shades at the edges of letters take the nearest.
 */
const DRAW = `(() => {
  const [W, H, BAR, S] = [${PICTURE.width}, ${PICTURE.height}, ${CAPTION_HEIGHT}, ${SCALE}];
  const canvas = new OffscreenCanvas(W * S, (H + BAR) * S);
  const ink = canvas.getContext("2d", { willReadFrequently: true });
  const arrow = new Path2D("M0 0 L0 17 L4.2 13.2 L6.9 19.3 L9.6 18.1 L6.9 12.2 L12.4 12.2 Z");
  const COLOURS = 255;
  let before = null;
  const distance = (a, b) => {
    let sum = 0;
    for (const shift of [0, 8, 16]) sum += (((a >>> shift) & 255) - ((b >>> shift) & 255)) ** 2;
    return sum;
  };
  const fewColours = (pixels) => {
    const counts = new Map();
    for (const pixel of pixels) if (pixel !== 0) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
    if (counts.size <= COLOURS) return;
    const kept = [...counts].sort(([, a], [, b]) => b - a).slice(0, COLOURS).map(([colour]) => colour);
    const nearest = new Map(kept.map((colour) => [colour, colour]));
    for (const colour of counts.keys())
      if (!nearest.has(colour)) nearest.set(colour, kept.reduce((best, one) => (distance(one, colour) < distance(best, colour) ? one : best)));
    for (let at = 0; at < pixels.length; at += 1) if (pixels[at] !== 0) pixels[at] = nearest.get(pixels[at]);
  };
  return async ({ png, pointer, caption }) => {
    const bytes = Uint8Array.from(atob(png), (c) => c.charCodeAt(0));
    const shot = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    ink.setTransform(1, 0, 0, 1, 0, 0);
    ink.drawImage(shot, 0, 0);
    ink.setTransform(S, 0, 0, S, 0, 0);
    ink.fillStyle = "#e2e4ee";
    ink.fillRect(0, H, W, BAR);
    ink.fillStyle = "#f0f1f7";
    ink.fillRect(0, H + 1, W, BAR - 1);
    ink.fillStyle = "#161a2e";
    ink.font = "bold 17px Helvetica, Arial, sans-serif";
    ink.textAlign = "center";
    ink.textBaseline = "middle";
    ink.fillText(caption, W / 2, H + BAR / 2 + 1);
    if (pointer !== null) {
      ink.translate(Math.round(pointer.x), Math.round(pointer.y));
      ink.fillStyle = "#161a2e";
      ink.strokeStyle = "#ffffff";
      ink.lineWidth = 3;
      ink.lineJoin = "round";
      ink.stroke(arrow);
      ink.fill(arrow);
    }
    const now = new Uint32Array(ink.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    let [left, top, right, bottom] = [canvas.width, canvas.height, -1, -1];
    for (let y = 0, at = 0; y < canvas.height; y += 1)
      for (let x = 0; x < canvas.width; x += 1, at += 1)
        if (before === null || before[at] !== now[at]) {
          if (x < left) left = x;
          if (x > right) right = x;
          if (y < top) top = y;
          if (y > bottom) bottom = y;
        }
    const old = before;
    before = now;
    if (right < 0) return { webp: null, x: 0, y: 0, width: 0, height: 0 };
    const [x, y] = [left - (left % 2), top - (top % 2)];
    const [width, height] = [right - x + 1, bottom - y + 1];
    const patch = new ImageData(width, height);
    const pixels = new Uint32Array(patch.data.buffer);
    for (let row = 0, to = 0; row < height; row += 1)
      for (let column = 0, at = (y + row) * canvas.width + x; column < width; column += 1, at += 1, to += 1)
        if (old === null || old[at] !== now[at]) pixels[to] = now[at];
    fewColours(pixels);
    const part = new OffscreenCanvas(width, height);
    part.getContext("2d").putImageData(patch, 0, 0);
    const blob = await part.convertToBlob({ type: "image/webp", quality: 1 });
    const packed = new Uint8Array(await blob.arrayBuffer());
    let text = "";
    for (const byte of packed) text += String.fromCharCode(byte);
    return { webp: btoa(text), x, y, width, height };
  };
})()`;

/** The frames as one animated picture; each holds only what is different from the one before. */
export async function drawFilm(browser: Browser, frames: readonly Frame[]): Promise<Buffer> {
  await using page = await browser.newPage();
  const draw = await page.evaluateHandle<(frame: object) => Promise<unknown>>(DRAW);
  const patches: Patch[] = [];
  for (const { png, pointer, caption, forMs } of frames) {
    const told = await draw.evaluate((drawn, frame) => drawn(frame), {
      png: png.toString("base64"),
      pointer,
      caption,
    });
    const { webp, ...place } = Drawn.parse(told);
    const last = patches.at(-1);
    if (webp !== null) patches.push({ webp: Buffer.from(webp, "base64"), ...place, forMs });
    else if (last !== undefined) patches.splice(-1, 1, { ...last, forMs: last.forMs + forMs });
  }
  return animatedWebp({ width: PICTURE.width * SCALE, height: (PICTURE.height + CAPTION_HEIGHT) * SCALE }, patches);
}
