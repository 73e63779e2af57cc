import { resizeSidebar, SIDEBAR_PX_MAX, SIDEBAR_PX_MIN, sidebarLayout } from "./sidebar-layout.ts";

const KEY_STEP_PX = 16;

/** The edge that is dragged. While it is, the frames ignore the pointer, or they would swallow it. */
export function SidebarGrip() {
  const { width } = sidebarLayout.value;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator that can be moved is a widget, which <hr> is not
    <div
      class="sidebar-grip"
      role="separator"
      aria-orientation="vertical"
      aria-label="Resize sidebar"
      aria-valuemin={SIDEBAR_PX_MIN}
      aria-valuemax={SIDEBAR_PX_MAX}
      aria-valuenow={width}
      tabIndex={0}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        document.body.dataset["dragging"] = "";
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) resizeSidebar(event.clientX);
      }}
      onLostPointerCapture={() => {
        delete document.body.dataset["dragging"];
      }}
      onKeyDown={(event) => {
        const steps = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (steps === undefined) return;
        event.preventDefault();
        resizeSidebar(width + steps * KEY_STEP_PX);
      }}
    />
  );
}
