import type { ComponentChildren } from "preact";
import { Icon } from "../../ui/icons/icon.tsx";
import type { Trouble } from "../state/trouble.ts";

/** An error, its details, and the buttons that may fix it. */
export function TroubleNotice({ trouble, children }: { trouble: Trouble; children?: ComponentChildren }) {
  const { message, details } = trouble;
  return (
    <div class="notice" data-severity="error" role="alert">
      <Icon name="fail" />
      <div class="body">
        <p class="told">{message}</p>
        {details !== undefined && details !== "" && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
          <section class="told-details" tabIndex={0} aria-label="Details">
            {details}
          </section>
        )}
        {children && <div class="actions">{children}</div>}
      </div>
    </div>
  );
}
