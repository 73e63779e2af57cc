import { type PortletModel, usePiece } from "../portlet-model.ts";

/** How much of the model's context is used: a ring and a number, the exact counts on hover. */
export function UsageMeter({ model }: { model: PortletModel }) {
  const usage = usePiece(model, (state) => state.session.config.usage);
  if (usage === null || usage.size <= 0) return null;
  const percent = Math.min(100, Math.round((usage.used / usage.size) * 100));
  const words = `${usage.used.toLocaleString("en")} of ${usage.size.toLocaleString("en")} tokens`;
  return (
    <span class="meter" title={words} style={{ "--value": percent }}>
      <span class="ring" role="img" aria-label={`Context used: ${words}`} />
      <span class="label">{percent}%</span>
    </span>
  );
}
