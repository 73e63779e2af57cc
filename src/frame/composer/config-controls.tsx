import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { ignore } from "../../lib/ignore.ts";
import { isModelOption, modelsOf } from "../../presentation/model-list.ts";
import type { PlainServerMessage } from "../../protocol/server-messages.ts";
import type { ConfigOption } from "../../protocol/session-parts.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { ModelPicker } from "../../ui/models/model-picker.tsx";
import { type PortletModel, usePiece } from "../portlet-model.ts";

type Select = Extract<ConfigOption, { type: "select" }>;
type Toggle = Extract<ConfigOption, { type: "boolean" }>;
type Choice = Select["options"][number];

const MENU_ID = "more-options";
const MENU_GAP_PX = 6;

/**
 * The agent's options for this session, mode and model included, in its order. Options that do not fit
 * into the row are in a menu at its end: nothing is cut off, and the row stays one line.
 */
export function ConfigControls({ model }: { model: PortletModel }) {
  const options = usePiece(model, (state) => state.session.config.options);
  const isOff = usePiece(model, (state) => !state.isConnected);
  const choose = (id: string, value: string | boolean) => model.store.configure(id, value);
  const row = useRef<HTMLDivElement>(null);
  const fitting = useFitting(row, options);
  const control = (option: ConfigOption) =>
    isModelOption(option) ? (
      <ModelControl key={option.id} model={model} option={option} isOff={isOff} choose={choose} />
    ) : option.type === "select" ? (
      <SelectControl key={option.id} option={option} isOff={isOff} choose={choose} />
    ) : (
      <ToggleControl key={option.id} option={option} isOff={isOff} choose={choose} />
    );
  const rest = options.slice(fitting);
  return (
    <div class="config" ref={row}>
      {options.slice(0, fitting).map(control)}
      {rest.length > 0 && <MoreOptions count={rest.length} isAll={fitting === 0} controls={rest.map(control)} />}
    </div>
  );
}

/** How many options fit side by side, measured before anything is painted. */
function useFitting(row: { readonly current: HTMLDivElement | null }, options: readonly ConfigOption[]): number {
  const [widthPx, setWidthPx] = useState(0);
  const [measured, setMeasured] = useState({ options, widthPx: -1, count: options.length });
  useLayoutEffect(() => {
    const { current } = row;
    if (current === null) return;
    const observer = new ResizeObserver(() => setWidthPx(current.clientWidth));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  // Without options nothing is measured: that would lay out the whole frame, each time one is loaded.
  const isCurrent = options.length === 0 || (measured.options === options && measured.widthPx === widthPx);
  useLayoutEffect(() => {
    const { current } = row;
    if (isCurrent || current === null) return;
    // All of them are in the row for this measurement.
    const widths = [...current.querySelectorAll<HTMLElement>(":scope > .select")].map((one) => one.offsetWidth);
    setMeasured({ options, widthPx, count: countFitting(widths, current.clientWidth) });
  });
  return isCurrent ? measured.count : options.length;
}

const GAP_PX = 2;
/** The button for the rest. */
const MORE_WIDTH_PX = 56;

function countFitting(widths: readonly number[], roomPx: number): number {
  const total = widths.reduce((sum, width) => sum + width + GAP_PX, 0);
  if (total <= roomPx) return widths.length;
  let used = MORE_WIDTH_PX;
  return widths.findIndex((width) => {
    used += width + GAP_PX;
    return used > roomPx;
  });
}

interface MoreOptionsProps {
  readonly count: number;
  readonly isAll: boolean;
  readonly controls: preact.ComponentChildren;
}

function MoreOptions({ count, isAll, controls }: MoreOptionsProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const place = (menu: HTMLElement) => {
    const { left, top } = button.current?.getBoundingClientRect() ?? { left: 0, top: 0 };
    menu.style.insetInlineStart = `${Math.max(MENU_GAP_PX, Math.min(left, window.innerWidth - menu.offsetWidth - MENU_GAP_PX))}px`;
    menu.style.bottom = `${window.innerHeight - top + MENU_GAP_PX}px`;
    menu.style.maxHeight = `${Math.max(0, top - MENU_GAP_PX * 2)}px`;
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class="select more-options"
        popovertarget={MENU_ID}
        aria-label={isAll ? "Options" : `More options: ${count}`}
        aria-expanded={isOpen}
      >
        {isAll ? "Options" : `+${count}`}
        <Icon name="down" class="icon-sm" />
      </button>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a popover in every browser */}
      <div
        id={MENU_ID}
        class="options-menu"
        popover="auto"
        role="group"
        aria-label="More options"
        onToggle={(event) => {
          setOpen(event.newState === "open");
          if (event.newState === "open") place(event.currentTarget);
        }}
      >
        {controls}
      </div>
    </>
  );
}

interface ControlProps<Option> {
  readonly option: Option;
  readonly isOff: boolean;
  readonly choose: (id: string, value: string | boolean) => void;
}

const NO_FAVOURITES: readonly string[] = [];

/** The model has a list to search, with the favourites of its agent: they are asked for when it opens. */
function ModelControl({ model, option, isOff, choose }: ControlProps<Select> & { readonly model: PortletModel }) {
  const cliType = usePiece(model, (state) => state.cliType);
  const [known, setKnown] = useState<Extract<PlainServerMessage, { type: "agent:options" }> | null>(null);
  const take = (answer: PlainServerMessage) => {
    if (answer.type === "agent:options") setKnown(answer);
  };
  if (cliType === null) return null;
  const { store } = model;
  return (
    <span class="select" title={option.description ?? option.name}>
      <span class="option-name" aria-hidden="true">
        {option.name}
      </span>
      <ModelPicker
        label={option.name}
        models={modelsOf(option)}
        value={option.currentValue}
        favourites={known?.favourites ?? NO_FAVOURITES}
        lastModel={known?.lastModel}
        isOff={isOff}
        onOpen={() => {
          store.request({ type: "agent:options", cliType }).then(take, ignore("all models are there without it"));
        }}
        // The agent decides: until it confirms, the old one stays.
        onChoose={(value) => choose(option.id, value)}
        onFavour={(value, favourite) => {
          store
            .request({ type: "agent:favourite", cliType, model: value, favourite })
            .then(take, (error: Error) => store.notify(error.message));
        }}
      />
    </span>
  );
}

function SelectControl({ option, isOff, choose }: ControlProps<Select>) {
  return (
    <span class="select" title={option.description ?? option.name}>
      <span class="option-name" aria-hidden="true">
        {option.name}
      </span>
      <span class="option-value">
        <select
          aria-label={option.name}
          value={option.currentValue}
          disabled={isOff}
          onChange={(event) => {
            const { value } = event.currentTarget;
            // The agent decides: until it confirms, the old value stays.
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
