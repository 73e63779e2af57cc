export function sessionsWord(count: number): string {
  return count === 1 ? "1 session" : `${count.toLocaleString("en")} sessions`;
}
