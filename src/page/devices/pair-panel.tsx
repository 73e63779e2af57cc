import { useEffect, useRef, useState } from "preact/hooks";
import { ignore } from "../../lib/ignore.ts";
import type { PairingOutcome, ShownInvitation } from "../../protocol/devices.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { copyText } from "../../ui/markdown/copy-text.ts";
import { fetchPairing, makeInvitation } from "./devices-api.ts";

const LOOK_AGAIN_MS = 1_000;
const WAITING: PairingOutcome = { status: "waiting" };

/** A link for one other device, once, as text and as a picture; it says when it was used. */
export function PairPanel({ onClose }: { onClose: () => void }) {
  const { made, status, problem, again } = useInvitation();
  return (
    <section class="pair-panel" aria-label="Pair a device">
      {problem !== "" && (
        <p class="error-text" role="alert">
          {problem}
        </p>
      )}
      {made && status.status === "waiting" && <OpenInvitation key={made.id} made={made} />}
      <p class="pair-status" role="status">
        {statusWords(made, status)}
      </p>
      <div class="row">
        {(status.status !== "waiting" || problem !== "") && (
          <button type="button" class="button" onClick={again}>
            <Icon name="refresh" class="icon-sm" />
            New link
          </button>
        )}
        <button type="button" class="button" onClick={onClose}>
          {status.status === "used" ? "Done" : "Close"}
        </button>
      </div>
    </section>
  );
}

function statusWords(made: ShownInvitation | null, { status, device }: PairingOutcome): string {
  if (!made) return "Making a link …";
  switch (status) {
    case "waiting": {
      const until = new Date(made.expiresAt).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
      return `It works once, until ${until}. Waiting for the other device…`;
    }
    case "used":
      return `${device ?? "The device"} was paired. The link is used up.`;
    case "expired":
      return "The link is too old. Make a new one.";
    default:
      return status satisfies never;
  }
}

function OpenInvitation({ made: { links, certificate, isReachable } }: { made: ShownInvitation }) {
  const [link, setLink] = useState(links[0] ?? "");
  const [isCopied, setCopied] = useState(false);
  const copy = () => void copyText(link).then(() => setCopied(true));
  return (
    <>
      {!isReachable && (
        <p class="pair-note">
          Only this machine can open the link. For other devices start the server with{" "}
          <code>liminal serve --host 0.0.0.0</code>.
        </p>
      )}
      <QrPicture text={link} />
      <div class="pair-words">
        <p>Scan this with the other device, or open the link there.</p>
        {links.length > 1 && (
          <label class="pair-address">
            <span>Address</span>
            <select
              class="native-select"
              value={link}
              onChange={({ currentTarget }) => {
                setLink(currentTarget.value);
                setCopied(false);
              }}
            >
              {links.map((one) => (
                <option key={one} value={one}>
                  {new URL(one).host}
                </option>
              ))}
            </select>
          </label>
        )}
        <div class="pair-link">
          <div class="field">
            <input type="text" class="mono" readOnly aria-label="Link" value={link} />
          </div>
          <button type="button" class="button" onClick={copy}>
            <Icon name={isCopied ? "check" : "copy"} class="icon-sm" />
            {isCopied ? "Copied" : "Copy"}
          </button>
        </div>
        {certificate && (
          <p class="pair-certificate">
            {certificate.isGenerated && "The other browser warns about the certificate, since it is your own. "}
            Its SHA-256 fingerprint is <span class="mono">{certificate.fingerprint}</span>
          </p>
        )}
      </div>
    </>
  );
}

function QrPicture({ text }: { text: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let isShown = true;
    import("./draw-qr.ts").then(({ drawQr }) => {
      if (isShown) place.current?.replaceChildren(drawQr(text));
    }, ignore("the link beside it leads to the same place"));
    return () => {
      isShown = false;
    };
  }, [text]);
  return <div class="pair-qr" ref={place} />;
}

function useInvitation() {
  const [made, setMade] = useState<ShownInvitation | null>(null);
  const [status, setStatus] = useState<PairingOutcome>(WAITING);
  const [problem, setProblem] = useState("");
  const [times, setTimes] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isShown = true;
    const failed = (error: unknown) => isShown && setProblem(error instanceof Error ? error.message : String(error));
    const look = (id: string) => {
      fetchPairing(id).then((next) => {
        if (!isShown) return;
        setStatus(next);
        if (next.status === "waiting") timer = setTimeout(() => look(id), LOOK_AGAIN_MS);
      }, failed);
    };
    setMade(null);
    setStatus(WAITING);
    setProblem("");
    makeInvitation().then((next) => {
      if (!isShown) return;
      setMade(next);
      look(next.id);
    }, failed);
    return () => {
      isShown = false;
      clearTimeout(timer);
    };
  }, [times]);
  return { made, status, problem, again: () => setTimes((known) => known + 1) };
}
