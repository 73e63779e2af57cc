/** The same call, whose failure is reported and never reaches the caller: for listeners of completed work. */
export function reporting<Args extends readonly unknown[]>(
  call: (...args: Args) => void,
  onError: (error: unknown) => void,
): (...args: Args) => void {
  return (...args) => {
    try {
      call(...args);
    } catch (error) {
      onError(error);
    }
  };
}
