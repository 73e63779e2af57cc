import { ICON_SHAPES, type IconName } from "./icon-shapes.ts";

/** An icon is decoration: its parent has the name. */
export function Icon({ name, class: className = "" }: { name: IconName; class?: string }) {
  return (
    <svg
      class={className === "" ? "icon" : `icon ${className}`}
      viewBox="0 0 16 16"
      aria-hidden="true"
      data-icon={name}
    >
      {ICON_SHAPES[name].map((shape) =>
        shape.startsWith("!") ? (
          <path key={shape} d={shape.slice(1)} fill="currentColor" stroke="none" />
        ) : (
          <path key={shape} d={shape} />
        ),
      )}
    </svg>
  );
}
