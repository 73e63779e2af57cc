// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const ANSI = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/** What a terminal would have shown, as text: no colours, no cursor moves, no bells; a line keeps what was written last. */
export function plainOutput(text: string): string {
  return text
    .replace(ANSI, "")
    .replace(/\r\n/g, "\n")
    .replace(/[^\n]*\r(?=[^\n])/g, "")
    .replace(/\r/g, "")
    .replace(CONTROLS, "");
}
