const KILOBYTE = 1024;
const UNITS = ["B", "kB", "MB", "GB"] as const;

/** "812 kB", "1.4 GB". */
export function sizeWords(bytes: number): string {
  const step = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log(bytes) / Math.log(KILOBYTE)));
  const value = bytes / KILOBYTE ** step;
  return `${value < 10 && step > 0 ? value.toFixed(1) : Math.round(value)} ${UNITS[step]}`;
}
