// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const ANSI = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/** What a terminal would have shown, as text: no colours, no cursor moves, no bells; a line keeps what was written last. */
export function plainOutput(text: string): string {
  return text.replace(ANSI, "").split("\n").map(lastWritten).join("\n").replace(CONTROLS, "");
}

/** A carriage return starts the line again, unless it is at its end. By hand: a pattern would try from every character. */
function lastWritten(line: string): string {
  let end = line.length;
  while (line.charAt(end - 1) === "\r") end -= 1;
  return line.slice(end === 0 ? 0 : line.lastIndexOf("\r", end - 1) + 1, end);
}
