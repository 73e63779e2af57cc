/** Where a page leads: the host first, which is what counts, then the whole address. */
export function PageAddress({ url }: { url: string }) {
  const { host } = new URL(url);
  return (
    <>
      <p>
        It leads to <strong class="question-host">{host}</strong>:
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long address scrolls, and what scrolls must be reachable by keyboard */}
      <p class="mono question-address" tabIndex={0}>
        {url}
      </p>
      {host.includes("xn--") && (
        <p role="alert">
          The name of this site uses letters that can be mistaken for others. Open it only if you know it.
        </p>
      )}
    </>
  );
}

/** Only ever from the user's own click; the page learns nothing of where it was opened. */
export function openPage(url: string): void {
  window.open(url, "_blank", "noopener,noreferrer");
}
