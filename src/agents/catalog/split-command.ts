/** A command line split into words like a shell would, and run by none: quotes and backslashes work, nothing expands. */
export function splitCommand(line: string): string[] {
  const words: string[] = [];
  let word = "";
  let inWord = false;
  let quote: string | null = null;
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at);
    if (char === "\\" && quote !== "'" && at + 1 < line.length) {
      word += line.charAt(++at);
      inWord = true;
    } else if (quote !== null) {
      if (char === quote) quote = null;
      else word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      inWord = true;
    } else if (/\s/.test(char)) {
      if (inWord) words.push(word);
      word = "";
      inWord = false;
    } else {
      word += char;
      inWord = true;
    }
  }
  return inWord ? [...words, word] : words;
}
