import { useRef } from "preact/hooks";
import { type MenuItem, openMenu } from "../../ui/controls/open-menu.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { agentIconName } from "../../ui/icons/icon-shapes.ts";
import { keyWords } from "../../ui/keys/key-bindings.ts";
import { type PortletModel, usePiece } from "../portlet-model.ts";

/** The icon of the session's agent; its menu has the ways to continue the conversation elsewhere. */
export function AgentMenu({ model }: { model: PortletModel }) {
  const button = useRef<HTMLButtonElement>(null);
  const cliType = usePiece(model, (state) => state.cliType);
  const agentName = usePiece(model, (state) => state.agentName);
  const canHandBack = usePiece(model, (state) => state.canHandBack && state.session.away === null);
  if (cliType === null) return null;
  const { store } = model;
  const items: readonly MenuItem[] = [
    { words: "Continue with…", icon: "fork", end: keyWords("continue"), act: () => store.show("continue") },
    ...(canHandBack
      ? [
          {
            words: "Continue in a terminal…",
            icon: "open",
            end: keyWords("handback"),
            act: () => store.show("handback"),
          } as const,
        ]
      : []),
  ];
  return (
    <button
      ref={button}
      type="button"
      class="icon-button agent-mark"
      aria-haspopup="menu"
      aria-expanded="false"
      aria-label={`Agent: ${agentName}`}
      title={`${agentName}: continue with another agent`}
      onClick={() => button.current && openMenu(button.current, `Agent: ${agentName}`, items)}
    >
      <Icon name={agentIconName(cliType)} class="agent" />
    </button>
  );
}
