import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { isTurnActive } from "../../protocol/session-schema.ts";
import { hasKeyboard } from "../../ui/controls/keep-focus.ts";
import { focusMessageField } from "../composer/message-field.tsx";
import { type PortletModel, usePiece } from "../portlet-model.ts";
import type { PortletStore } from "../portlet-store.ts";
import type { PanelView } from "../side-panel.tsx";
import { FileTree } from "./file-tree.tsx";
import { CloseButton, FileViewer, State } from "./file-viewer.tsx";
import { FilesStore, type Lines } from "./files-store.ts";

const stores = new WeakMap<PortletStore, FilesStore>();

function storeOf(portlet: PortletStore): FilesStore {
  const files = stores.get(portlet) ?? new FilesStore(portlet);
  stores.set(portlet, files);
  return files;
}

interface FilesPanelProps {
  readonly model: PortletModel;
  readonly view: Extract<PanelView, { name: "files" }>;
}

/** The files of the session's directory: a tree, and the open file. */
export function FilesPanel({ model, view: { place } }: FilesPanelProps) {
  const { store, panel } = model;
  const files = storeOf(store);
  const frame = useRef<HTMLDivElement>(null);
  const file = files.file.value;
  const isWorking = usePiece(model, ({ session }) => isTurnActive(session.turn));
  // When it is opened, and whenever the agent has finished.
  useEffect(() => {
    if (!isWorking) void files.refresh();
  }, [isWorking]);
  useEffect(() => {
    if (isWorking) void files.refresh();
  }, []);
  useLayoutEffect(() => {
    if (place === null) document.getElementById("file-filter")?.focus();
  }, []);
  useEffect(() => {
    if (place === null) return;
    files.reveal(place.path);
    void files.open(place);
  }, [place]);
  const isShown = file !== null && file.state !== "reading";
  useLayoutEffect(() => {
    // A file that was opened from a text or by a key gets the focus.
    if (isShown && !isTyping() && hasKeyboard(document))
      frame.current?.querySelector<HTMLElement>(".source")?.focus({ preventScroll: true });
  }, [file?.key, isShown]);
  const mention = (path: string, lines: Lines | null) => {
    insertMention(store, path, lines);
    const aside = frame.current?.closest("aside");
    // In a narrow frame it covers the message.
    if (aside && getComputedStyle(aside).position === "absolute") panel.close();
    focusMessageField(document, store);
  };
  return (
    <div class="files-frame focus-inset" data-shows={file === null ? "tree" : "file"} ref={frame} tabIndex={-1}>
      <FileTree files={files} choose={(path) => void files.open({ path, lines: null })} />
      {file === null ? (
        <section class="viewer" aria-label="No file">
          <header class="viewer-head">
            <div class="end">
              <CloseButton close={() => panel.close()} />
            </div>
          </header>
          <State icon="file" words="Choose a file to see it here. A path in the conversation opens its file, too." />
        </section>
      ) : (
        <FileViewer files={files} file={file} mention={mention} close={() => panel.close()} />
      )}
    </div>
  );
}

function isTyping(): boolean {
  return document.activeElement instanceof HTMLTextAreaElement;
}

/** `@path:9-13`, as a mention of the composer: the file is attached as a link. */
function insertMention(store: PortletStore, path: string, lines: Lines | null): void {
  const range = lines === null ? "" : lines.from === lines.to ? `:${lines.from}` : `:${lines.from}-${lines.to}`;
  const { text } = store.composer;
  const space = text === "" || /\s$/.test(text) ? "" : " ";
  // A name that is not UTF-8 has no URI.
  if (path.isWellFormed()) {
    const whole = `${store.state.directory}/${path}`;
    const uri = `file://${whole.split("/").map(encodeURIComponent).join("/")}`;
    store.change({ type: "attached", parts: [{ type: "link", uri, name: path }] });
  }
  store.type(`${text}${space}@${path}${range} `);
}
