import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const GZIP_LEVEL = 9;

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

/** Writes a file with its `.gz` and `.br` beside it, so that the server compresses nothing at run time. */
export async function writeCompressed(
  path: string,
  content: Uint8Array,
): Promise<{ gzipBytes: number; brotliBytes: number }> {
  const [gzipped, brotli] = await Promise.all([
    gzipAsync(content, { level: GZIP_LEVEL }),
    brotliAsync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }),
  ]);
  await mkdir(dirname(path), { recursive: true });
  await Promise.all([writeFile(path, content), writeFile(`${path}.gz`, gzipped), writeFile(`${path}.br`, brotli)]);
  return { gzipBytes: gzipped.byteLength, brotliBytes: brotli.byteLength };
}
