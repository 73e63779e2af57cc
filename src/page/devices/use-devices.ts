import { useEffect, useState } from "preact/hooks";
import { type DeviceList, fetchDevices, revokeDevices } from "./devices-api.ts";

const REFRESH_MS = 2_000;

export interface Devices {
  /** Null until it was read once. */
  readonly list: DeviceList | null;
  readonly problem: string;
  readonly revoke: (which: Parameters<typeof revokeDevices>[0]) => Promise<void>;
}

/** Who is signed in, read anew while it is in view. */
export function useDevices(): Devices {
  const [list, setList] = useState<DeviceList | null>(null);
  const [problem, setProblem] = useState("");
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isShown = true;
    const again = () => {
      if (isShown) timer = setTimeout(read, REFRESH_MS);
    };
    const read = () => {
      fetchDevices().then(
        (next) => {
          if (isShown) setList(next);
          again();
        },
        // A server that is away is told of elsewhere in the page.
        again,
      );
    };
    read();
    return () => {
      isShown = false;
      clearTimeout(timer);
    };
  }, [asked]);
  const revoke: Devices["revoke"] = async (which) => {
    setProblem("");
    try {
      await revokeDevices(which);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setAsked((times) => times + 1);
  };
  return { list, problem, revoke };
}
