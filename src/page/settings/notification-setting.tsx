import { useState } from "preact/hooks";
import { type NotificationLevel, notificationLevel, setNotificationLevel } from "../notification-level.ts";
import { Choice } from "../permissions/choice.tsx";

const LEVEL_WORDS: Readonly<Record<NotificationLevel, string>> = {
  off: "Never",
  blocked: "When an agent waits for you or failed",
  all: "Also when a turn finishes",
};

const BLOCKED =
  "This browser does not let the page notify you. Allow notifications for it beside the address, then choose again.";

/** The browser is asked only here, when the user wants to be told. */
export function NotificationSetting() {
  const [problem, setProblem] = useState("");
  const choose = async (level: NotificationLevel) => {
    setProblem("");
    if (level !== "off" && !(await mayNotify())) {
      setProblem(BLOCKED);
      setNotificationLevel("off");
      return;
    }
    setNotificationLevel(level);
  };
  return (
    <>
      <div class="setting">
        <span>Notify me when I'm away</span>
        <Choice
          label="Notify me when I'm away"
          words={LEVEL_WORDS}
          value={notificationLevel.value}
          onChoose={(level) => void choose(level)}
        />
      </div>
      <p class="hint" role="status">
        {problem || "The tab title and icon always show how many sessions are waiting."}
      </p>
    </>
  );
}

async function mayNotify(): Promise<boolean> {
  if (!("Notification" in globalThis)) return false;
  return (await Notification.requestPermission()) === "granted";
}
