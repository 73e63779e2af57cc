// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/;

/** Whether there is anything in it that a terminal would act on; blanks, tabs and line feeds are text. */
export function hasControls(text: string): boolean {
  return CONTROLS.test(text);
}
