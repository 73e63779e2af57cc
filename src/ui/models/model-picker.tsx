import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { findModels, type Model } from "../../presentation/model-list.ts";
import { Icon } from "../icons/icon.tsx";

/** More are not drawn at once: the search field finds them. */
const SHOWN_MODELS_MAX = 500;
const TEXT_CHARS_MAX = 200;
const GAP_PX = 4;
/** With less room below its button, the list opens where there is more. */
const ROOM_WANTED_PX = 340;
const PAGE_ROWS = 8;

interface ModelPickerProps {
  /** What the button and its list are called. */
  readonly label: string;
  readonly models: readonly Model[];
  /** Empty, with `otherwise`: none is chosen. */
  readonly value: string;
  readonly favourites: readonly string[];
  readonly lastModel?: string | undefined;
  /** Offered as the first choice, with the empty value: no model of its own. */
  readonly otherwise?: string;
  readonly isOff?: boolean;
  readonly class?: string;
  readonly onOpen?: () => void;
  readonly onChoose: (value: string) => void;
  readonly onFavour: (value: string, isFavourite: boolean) => void;
}

/** A button with the chosen model; it opens a list to search and to mark favourites in. */
export function ModelPicker(props: ModelPickerProps) {
  const { label, models, value, otherwise, isOff = false, onOpen } = props;
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const popup = useRef<HTMLDivElement>(null);
  const id = useId();
  const name = models.find((model) => model.value === value)?.name ?? (value || (otherwise ?? "Choose a model"));
  const close = () => {
    button.current?.focus();
    popup.current?.hidePopover();
  };
  return (
    <span class={`model-picker ${props.class ?? ""}`}>
      <button
        ref={button}
        type="button"
        class="model-button"
        popovertarget={id}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-label={`${label}: ${name}`}
        title={value === "" ? undefined : value}
        disabled={isOff}
      >
        <span class="truncate">{name}</span>
        <Icon name="down" class="icon-sm" />
      </button>
      <div
        ref={popup}
        id={id}
        class="model-popup"
        popover="auto"
        role="dialog"
        aria-label={label}
        onBeforeToggle={(event) => {
          if (event.newState !== "open") return;
          setOpen(true);
          onOpen?.();
        }}
        onToggle={({ newState, currentTarget }) => {
          setOpen(newState === "open");
          if (newState !== "open") return;
          // Drawn only now: before, it has no width and nothing in it can be focused.
          placeBy(currentTarget, button.current);
          focusIn(currentTarget);
        }}
        onFocusOut={({ relatedTarget, currentTarget }) => {
          if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)) currentTarget.hidePopover();
        }}
      >
        {isOpen && <ModelChoice {...props} place={() => placeBy(popup.current, button.current)} close={close} />}
      </div>
    </span>
  );
}

/** Below the button, or above it where there is more room, and inside the window. */
function placeBy(popup: HTMLElement | null, button: HTMLElement | null): void {
  if (popup === null || button === null) return;
  const { left, top, bottom } = button.getBoundingClientRect();
  const [above, below] = [top, innerHeight - bottom];
  const isBelow = below >= ROOM_WANTED_PX || below >= above;
  const { style } = popup;
  style.left = `${Math.max(GAP_PX, Math.min(left, innerWidth - popup.offsetWidth - GAP_PX))}px`;
  style.top = isBelow ? `${bottom + GAP_PX}px` : "auto";
  style.bottom = isBelow ? "auto" : `${innerHeight - top + GAP_PX}px`;
  style.setProperty("--room", `${Math.max(0, (isBelow ? below : above) - 2 * GAP_PX)}px`);
}

/** Focuses the field; on a phone the list, because the keyboard would cover it. */
function focusIn(popup: HTMLElement): void {
  const first = matchMedia("(pointer: coarse)").matches ? "[role=listbox]" : "[role=combobox]";
  popup.querySelector<HTMLElement>(first)?.focus({ preventScroll: true });
  popup.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
}

interface ModelChoiceProps extends ModelPickerProps {
  readonly place: () => void;
  readonly close: () => void;
}

function ModelChoice(props: ModelChoiceProps) {
  const { label, models, value, favourites, lastModel, otherwise, place, close, onChoose, onFavour } = props;
  const [text, setText] = useState("");
  const [wanted, setWanted] = useState(value);
  const id = useId();
  // A star or a late answer must not move rows under the pointer: the order is that of the opening.
  const [order, setOrder] = useState(favourites);
  const isTouched = useRef(false);
  useEffect(() => {
    if (!isTouched.current) setOrder(favourites);
  }, [favourites]);
  const inUse = [value, lastModel];
  const none: readonly Model[] = otherwise === undefined ? [] : [{ value: "", name: otherwise }];
  const groups = [
    ...(text.trim() === "" && none.length > 0 ? [{ name: "", models: none }] : []),
    ...findModels(models, text, order, inUse),
  ];
  const all = groups.flatMap((group) => group.models);
  const shown = all.slice(0, SHOWN_MODELS_MAX);
  const active = shown.find((model) => model.value === wanted) ?? shown[0];
  const optionId = (model: Model) => `${id}-${models.indexOf(model)}`;
  const step = (by: number) => {
    isTouched.current = true;
    const at = active === undefined ? 0 : shown.indexOf(active);
    const next = Math.abs(by) === 1 ? (at + by + shown.length) % shown.length : at + by;
    setWanted(shown[Math.max(0, Math.min(next, shown.length - 1))]?.value ?? "");
  };
  const choose = (model: Model | undefined) => {
    if (model === undefined) return;
    close();
    if (model.value !== value) onChoose(model.value);
  };
  const favour = (model: Model) => {
    isTouched.current = true;
    onFavour(model.value, !favourites.includes(model.value));
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    PageDown: () => step(PAGE_ROWS),
    PageUp: () => step(-PAGE_ROWS),
    Enter: () => choose(active),
    Escape: close,
  };
  useLayoutEffect(() => {
    place();
    addEventListener("resize", place);
    return () => removeEventListener("resize", place);
  }, []);
  const activeId = active === undefined ? undefined : optionId(active);
  useLayoutEffect(() => {
    if (activeId !== undefined) document.getElementById(activeId)?.scrollIntoView({ block: "nearest" });
  }, [activeId, order]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it handles the keys of the field and of the list in it
    <div
      class="model-choice"
      onKeyDown={(event) => {
        const isButton = event.target instanceof HTMLButtonElement && event.key === "Enter";
        const act = event.isComposing || isButton ? undefined : keys[event.key];
        // What is typed here must not reach the dialog or the session around it.
        event.stopPropagation();
        if (act === undefined) return;
        event.preventDefault();
        act();
      }}
    >
      <div class="field">
        <Icon name="search" class="icon-sm" />
        <input
          type="text"
          role="combobox"
          inputMode="search"
          enterkeyhint="done"
          aria-label={`Search ${label}`}
          aria-expanded={shown.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={activeId}
          aria-autocomplete="list"
          placeholder={models.length > 1 ? `Search ${models.length.toLocaleString("en")} models` : "Search models"}
          autocomplete="off"
          spellcheck={false}
          maxLength={TEXT_CHARS_MAX}
          value={text}
          onInput={({ currentTarget }) => {
            isTouched.current = true;
            setText(currentTarget.value);
            // The best match is the one that Enter takes.
            setWanted(findModels(models, currentTarget.value, order, inUse)[0]?.models[0]?.value ?? "");
          }}
        />
      </div>
      <div
        id={`${id}-list`}
        class="model-list"
        role="listbox"
        tabIndex={-1}
        aria-label={label}
        aria-activedescendant={activeId}
      >
        {groups.map((group) => (
          <ModelRows
            key={group.name || group.models[0]?.value}
            name={group.name}
            models={group.models.filter((model) => shown.includes(model))}
            idOf={optionId}
            active={active}
            value={value}
            favourites={favourites}
            lastModel={lastModel}
            onChoose={choose}
            onFavour={favour}
          />
        ))}
      </div>
      <p class="model-none" role="status">
        {all.length === 0
          ? "No model has these words."
          : all.length > shown.length
            ? `${(all.length - shown.length).toLocaleString("en")} more: type to find them.`
            : ""}
      </p>
      {active !== undefined && active.value !== "" && (
        <FavourButton model={active} isFavourite={favourites.includes(active.value)} onFavour={favour} />
      )}
    </div>
  );
}

interface FavourButtonProps {
  readonly model: Model;
  readonly isFavourite: boolean;
  readonly onFavour: (model: Model) => void;
}

/** The star of the selected model for the keyboard and for screen readers: an option cannot contain a button. */
function FavourButton({ model, isFavourite, onFavour }: FavourButtonProps) {
  return (
    <button type="button" class="model-favour" aria-pressed={isFavourite} onClick={() => onFavour(model)}>
      <Icon name="star" class="icon-sm" />
      <span class="truncate">
        {isFavourite ? `Remove ${model.name} from favourites` : `Add ${model.name} to favourites`}
      </span>
    </button>
  );
}

interface ModelRowsProps {
  readonly name: string;
  readonly models: readonly Model[];
  readonly idOf: (model: Model) => string;
  readonly active: Model | undefined;
  readonly value: string;
  readonly favourites: readonly string[];
  readonly lastModel: string | undefined;
  readonly onChoose: (model: Model) => void;
  readonly onFavour: (model: Model) => void;
}

function ModelRows(props: ModelRowsProps) {
  const { name, models, idOf, active, value, favourites, lastModel, onChoose, onFavour } = props;
  const rows = models.map((model) => (
    <ModelRow
      key={model.value}
      id={idOf(model)}
      model={model}
      isActive={model === active}
      isCurrent={model.value === value}
      isFavourite={favourites.includes(model.value)}
      isLast={model.value === lastModel && model.value !== ""}
      onChoose={onChoose}
      onFavour={onFavour}
    />
  ));
  if (name === "") return <>{rows}</>;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of options, which a fieldset cannot be
    <div role="group" aria-label={name}>
      <div class="model-group" aria-hidden="true">
        {name}
      </div>
      {rows}
    </div>
  );
}

interface ModelRowProps {
  readonly id: string;
  readonly model: Model;
  readonly isActive: boolean;
  readonly isCurrent: boolean;
  readonly isFavourite: boolean;
  readonly isLast: boolean;
  readonly onChoose: (model: Model) => void;
  readonly onFavour: (model: Model) => void;
}

function ModelRow({ id, model, isActive, isCurrent, isFavourite, isLast, onChoose, onFavour }: ModelRowProps) {
  const { name, value, description } = model;
  const notes = [isCurrent && "chosen", isFavourite && "favourite"].filter(Boolean);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys and keeps the focus
    // biome-ignore lint/a11y/useFocusableInteractive: the field refers to it with aria-activedescendant
    <div
      id={id}
      class="model-row"
      role="option"
      aria-selected={isActive}
      title={description ?? (value === name ? undefined : value)}
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => onChoose(model)}
    >
      <span class="model-check">{isCurrent && <Icon name="check" class="icon-sm" />}</span>
      <span class="model-words">
        <span class="truncate">{name}</span>{" "}
        {description !== undefined && description !== "" && <span class="model-about truncate">{description}</span>}
      </span>{" "}
      {isLast && <span class="tag">last used</span>}{" "}
      {notes.length > 0 && <span class="visually-hidden">({notes.join(", ")})</span>}
      {value !== "" && (
        // biome-ignore lint/a11y/noStaticElementInteractions: for the pointer; FavourButton is the same for all others
        // biome-ignore lint/a11y/useKeyWithClickEvents: as above
        <span
          class="model-star"
          data-on={isFavourite ? "" : undefined}
          title={isFavourite ? "Remove from favourites" : "Add to favourites"}
          onClick={(event) => {
            event.stopPropagation();
            onFavour(model);
          }}
        >
          <Icon name="star" class="icon-sm" />
        </span>
      )}
    </div>
  );
}
