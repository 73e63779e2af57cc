import { useEffect, useState } from "preact/hooks";
import { type AgentsStatus, fetchAgentsStatus } from "./agents-status.ts";

const REFRESH_MS = 2_000;

export type StatusReading =
  | { readonly phase: "reading" }
  | { readonly phase: "read"; readonly status: AgentsStatus }
  | { readonly phase: "failed" };

/** What runs, read anew while it is in view and once more when `asked` changes; nothing is asked when it is not shown. */
export function useAgentsStatus(asked: unknown): StatusReading {
  const [reading, setReading] = useState<StatusReading>({ phase: "reading" });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isShown = true;
    const show = (next: StatusReading) => {
      if (!isShown) return;
      setReading(next);
      timer = setTimeout(read, REFRESH_MS);
    };
    const read = () => {
      fetchAgentsStatus().then(
        (status) => show({ phase: "read", status }),
        () => show({ phase: "failed" }),
      );
    };
    read();
    return () => {
      isShown = false;
      clearTimeout(timer);
    };
  }, [asked]);
  return reading;
}
