/** Puts a text into the clipboard. Without the interface for it (plain http in a LAN) or its permission, the old command does it. */
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
