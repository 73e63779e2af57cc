/**
 * Copies a text to the clipboard. Without the clipboard API (plain http in a LAN) or its permission, it uses
 * `execCommand`.
 */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch (error) {
    const put = (event: ClipboardEvent): void => {
      event.clipboardData?.setData("text/plain", text);
      event.preventDefault();
    };
    document.addEventListener("copy", put, { once: true });
    const isDone = document.execCommand("copy");
    document.removeEventListener("copy", put);
    if (!isDone) throw error;
  }
}
