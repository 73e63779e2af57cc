import { useEffect, useState } from "preact/hooks";
import { z } from "zod/mini";
import { askServer } from "../own-server.ts";

const Stand = z.object({ publicKey: z.string(), isOn: z.boolean() });
const Refused = z.object({ error: z.string() });

/** Notices to this device, also while no page is open: off until the user enables them, here and in the browser. */
export function PushChoice() {
  const [stand, setStand] = useState<z.infer<typeof Stand> | null>(null);
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);
  const canPush = "serviceWorker" in navigator && "PushManager" in globalThis;
  useEffect(() => {
    if (!canPush) return;
    const read = async () => setStand(Stand.safeParse(await (await askServer("/api/push")).json()).data ?? null);
    read().catch(() => setProblem("The server is not responding. Try again when it is back."));
  }, []);
  if (!canPush)
    return <p class="hint">This browser pushes notices only to pages with an https address. See Devices.</p>;
  const change = async (isOn: boolean) => {
    setProblem("");
    setBusy(true);
    try {
      setProblem(await (isOn && stand !== null ? subscribe(stand.publicKey) : unsubscribe()));
      setStand(Stand.safeParse(await (await askServer("/api/push")).json()).data ?? stand);
    } catch {
      setProblem("The browser did not subscribe. Check its settings for notifications, and try again.");
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <label class="setting">
        <span>Push notices to this device</span>
        <input
          type="checkbox"
          class="check"
          checked={stand?.isOn === true}
          disabled={stand === null || isBusy}
          onChange={({ currentTarget }) => void change(currentTarget.checked)}
        />
      </label>
      {problem !== "" && (
        <p class="error-text" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

/** The error; empty for none. */
async function subscribe(publicKey: string): Promise<string> {
  if ((await Notification.requestPermission()) !== "granted")
    return "The browser does not allow notifications here. Allow them in its settings for this page, and try again.";
  const { pushManager } = await navigator.serviceWorker.ready;
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
  return tell(subscription.toJSON());
}

async function unsubscribe(): Promise<string> {
  const subscription = await (await navigator.serviceWorker.ready).pushManager.getSubscription();
  await subscription?.unsubscribe();
  return tell(null);
}

async function tell(subscription: PushSubscriptionJSON | null): Promise<string> {
  const answer = await askServer("/api/push", { method: "POST", body: JSON.stringify(subscription) });
  return answer.ok ? "" : (Refused.safeParse(await answer.json()).data?.error ?? "The server refused it. Try again.");
}
