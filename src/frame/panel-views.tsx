import { ChangesPanel } from "./changes/changes-panel.tsx";
import { FilesPanel } from "./files/files-panel.tsx";

/** The views of the side panel. A separate script, which `side-panel-slot.tsx` loads. */
export const PANEL_VIEWS = { files: FilesPanel, changes: ChangesPanel };
