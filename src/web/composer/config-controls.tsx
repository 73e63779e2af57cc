import type { ConfigOption } from "../../protocol/session-parts.ts";
import { Icon } from "../icons/icon.tsx";
import { type PortletModel, usePiece } from "../portlet/portlet-model.ts";

type Select = Extract<ConfigOption, { type: "select" }>;
type Toggle = Extract<ConfigOption, { type: "boolean" }>;
type Choice = Select["options"][number];

/** Whatever the agent lets the user choose in this session, mode and model included, in its order. */
export function ConfigControls({ model }: { model: PortletModel }) {
  const options = usePiece(model, (state) => state.session.config.options);
  const isOff = usePiece(model, (state) => !state.isConnected);
  const choose = (id: string, value: string | boolean) => model.store.configure(id, value);
  return (
    <div class="config">
      {options.map((option) =>
        option.type === "select" ? (
          <SelectControl key={option.id} option={option} isOff={isOff} choose={choose} />
        ) : (
          <ToggleControl key={option.id} option={option} isOff={isOff} choose={choose} />
        ),
      )}
    </div>
  );
}

interface ControlProps<Option> {
  readonly option: Option;
  readonly isOff: boolean;
  readonly choose: (id: string, value: string | boolean) => void;
}

function SelectControl({ option, isOff, choose }: ControlProps<Select>) {
  return (
    <span class="select" title={option.description ?? option.name}>
      <select
        aria-label={option.name}
        value={option.currentValue}
        disabled={isOff}
        onChange={(event) => {
          const { value } = event.currentTarget;
          // The agent decides: until it says so, the choice stays what it was.
          event.currentTarget.value = option.currentValue;
          choose(option.id, value);
        }}
      >
        {option.options.map((choice) => (
          <ChoiceItem key={"group" in choice ? choice.group : choice.value} choice={choice} />
        ))}
      </select>
      <Icon name="down" class="icon-sm" />
    </span>
  );
}

function ChoiceItem({ choice }: { choice: Choice }) {
  if (!("group" in choice)) return <option value={choice.value}>{choice.name}</option>;
  return (
    <optgroup label={choice.name}>
      {choice.options.map(({ value, name }) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </optgroup>
  );
}

function ToggleControl({ option, isOff, choose }: ControlProps<Toggle>) {
  return (
    <label class="select toggle" title={option.description ?? option.name}>
      <input
        type="checkbox"
        checked={option.currentValue}
        disabled={isOff}
        onChange={(event) => {
          const { checked } = event.currentTarget;
          event.currentTarget.checked = option.currentValue;
          choose(option.id, checked);
        }}
      />
      {option.name}
    </label>
  );
}
