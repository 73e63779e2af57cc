import { isModelOption, modelsOf } from "../../presentation/model-list.ts";
import type { CliType } from "../../protocol/ids.ts";
import type { ConfigOption } from "../../protocol/session-parts.ts";
import { ModelPicker } from "../../ui/models/model-picker.tsx";
import type { Shell } from "../state/shell.ts";
import { type AgentModels, useAgentOptions } from "./use-agent-options.ts";

type SelectOption = Extract<ConfigOption, { type: "select" }>;

/** Those with a meaning that every agent shares come first, in this order. */
const CATEGORIES = ["model", "thought_level", "mode"];

interface StartOptionsProps {
  readonly shell: Shell;
  readonly cliType: CliType;
  readonly agentName: string;
  /** Shown while no options are known. */
  readonly otherwise?: string;
}

/** The options of new sessions of an agent: model, effort, mode. The agent reports them in its first session. */
export function StartOptions({ shell, cliType, agentName, otherwise }: StartOptionsProps) {
  const agent = useAgentOptions(shell, cliType);
  const { options } = agent;
  const shown = startOptions(options ?? []);
  if (shown.length === 0)
    return otherwise === undefined ? null : <span class="hint">{options !== null && otherwise}</span>;
  return (
    <span class="start-options">
      {shown.map((option) => (
        <StartOption key={option.id} agent={agent} option={option} label={`${option.name} of ${agentName}`} />
      ))}
    </span>
  );
}

function startOptions(options: readonly ConfigOption[]): readonly SelectOption[] {
  const selects = options.filter((option) => option.type === "select");
  return CATEGORIES.flatMap((category) => selects.filter((option) => option.category === category));
}

interface StartOptionProps {
  readonly agent: AgentModels;
  readonly option: SelectOption;
  readonly label: string;
}

function StartOption({ agent, option, label }: StartOptionProps) {
  const onChoose = (value: string) => agent.choose(option.id, value);
  if (!isModelOption(option)) return <OptionSelect option={option} label={label} onChoose={onChoose} />;
  return (
    <ModelPicker
      class="boxed"
      label={label}
      models={modelsOf(option)}
      value={option.currentValue}
      favourites={agent.favourites}
      lastModel={agent.lastModel}
      onOpen={agent.read}
      onChoose={onChoose}
      onFavour={agent.favour}
    />
  );
}

interface OptionSelectProps {
  readonly option: SelectOption;
  readonly label: string;
  readonly onChoose: (value: string) => void;
}

function OptionSelect({ option: { name, currentValue, options }, label, onChoose }: OptionSelectProps) {
  const values = options.flatMap((one) => ("options" in one ? one.options : [one]));
  return (
    <select
      class="native-select"
      aria-label={label}
      title={name}
      value={currentValue}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
    >
      {/* Some agents start with a value that they do not list. */}
      {!values.some(({ value }) => value === currentValue) && <option value={currentValue}>{currentValue}</option>}
      {values.map((one) => (
        <option key={one.value} value={one.value}>
          {one.name}
        </option>
      ))}
    </select>
  );
}
