/** A start that fails must end with 1 and tell the user what to do, without a stack. */
export function unclearWords(
  where: string,
  { code, said }: { readonly code: number; readonly said: string },
  wayOut: RegExp,
): readonly string[] {
  const told = said.trim().slice(-600);
  return [
    ...(code === 1 ? [] : [`a start ${where} ended with ${code}, not with 1`]),
    ...(wayOut.test(said) ? [] : [`a start ${where} does not name its way out: ${told}`]),
    ...(/^\s+at .+:\d+/m.test(said) ? [`a start ${where} shows a stack: ${told}`] : []),
  ];
}
