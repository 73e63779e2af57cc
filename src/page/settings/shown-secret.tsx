import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../../ui/icons/icon.tsx";
import { copyText } from "../../ui/markdown/copy-text.ts";

interface ShownSecretProps {
  /** Its kind: "Token", for example. */
  readonly label: string;
  readonly secret: string;
  /** Its owner. */
  readonly children: ComponentChildren;
  readonly onClose: () => void;
}

/** A secret that the server has just created and returns only once. */
export function ShownSecret({ label, secret, children, onClose }: ShownSecretProps) {
  const [isCopied, setCopied] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  return (
    <section class="token-secret" aria-label={`New ${label.toLowerCase()}`}>
      <p>
        {children} Copy it now: <strong>it is not shown again</strong>.
      </p>
      <div class="row">
        <div class="field">
          <input
            ref={field}
            type="text"
            class="mono"
            readOnly
            aria-label={label}
            value={secret}
            onFocus={({ currentTarget }) => currentTarget.select()}
          />
        </div>
        <button type="button" class="button" onClick={() => void copyText(secret).then(() => setCopied(true))}>
          <Icon name={isCopied ? "check" : "copy"} class="icon-sm" />
          {isCopied ? "Copied" : "Copy"}
        </button>
        <button type="button" class="button" onClick={onClose}>
          Done
        </button>
      </div>
    </section>
  );
}
