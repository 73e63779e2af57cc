import type { PreviewItem } from "../../protocol/permission-policy.ts";

const WOULD_WORDS: Readonly<Record<PreviewItem["would"], string>> = { allow: "allowed", deny: "denied", ask: "asked" };

/** What the rule would have changed; requests it leaves as they are, are only counted. */
export function RulePreview({ items }: { readonly items: readonly PreviewItem[] }) {
  const answered = items.filter(({ differs }) => differs);
  return (
    <div class="rule-preview" role="status">
      <p class="hint">
        {items.length === 0
          ? "Nothing was asked here yet."
          : `${answered.length} of the last ${items.length} requests would have been answered by it.`}
      </p>
      {answered.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <ul class="permission-list" tabIndex={0} aria-label="Requests the rule would have answered">
          {answered.map(({ permissionId, what, would, why }) => (
            <li key={permissionId}>
              <span class={would === "allow" ? "tag" : "tag warn"}>{WOULD_WORDS[would]}</span>
              <span class="permission-what">
                <span class="mono">{what}</span>
                <span class="hint">{why}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
