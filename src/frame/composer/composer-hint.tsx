import { type PortletModel, usePiece } from "../portlet-model.ts";

/** One quiet line under the text: what a command still wants to know, or what resending means. */
export function ComposerHint({ model }: { model: PortletModel }) {
  const agentName = usePiece(model, (state) => state.agentName);
  const commands = usePiece(model, (state) => state.session.config.commands);
  const { text, isRepeat } = model.composer.value;
  const typed = /^\/(\S+)\s*$/.exec(text)?.[1];
  const hint = typed === undefined ? undefined : commands.find(({ name }) => name === typed)?.hint;
  const words = hint === undefined ? null : `/${typed} ${hint}`;
  if (words === null && !isRepeat) return null;
  return (
    <p class="composer-hint" role="note">
      {words ?? `This goes as a new message: ${agentName} still remembers the earlier one.`}
    </p>
  );
}
