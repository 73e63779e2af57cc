import { type ComponentChildren, Fragment } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../../ui/icons/icon.tsx";

/** The subject of the form: an item of the list, or a new one. Each opening of the form is an object of its own. */
interface Editing<Item> {
  readonly item: Item | null;
}

interface ListWithFormProps<Item> {
  /** The id of the heading that names the list. */
  readonly headingId: string;
  /** Null until they are known. */
  readonly items: readonly Item[] | null;
  readonly keyOf: (item: Item) => string;
  /** Opens the form for a new item. */
  readonly addWords: string;
  /** The `li` of an item. `edit` opens its form; `leave` moves the focus before the item is removed. */
  readonly row: (item: Item, list: { readonly edit: () => void; readonly leave: () => void }) => ComponentChildren;
  /** `save` sends one request at a time, and closes this form after a success, whatever is open by then. */
  readonly form: (item: Item | null, form: OpenForm) => ComponentChildren;
  /** Content between the list and its button; `done` moves the focus when it is removed. */
  readonly between?: (done: () => void) => ComponentChildren;
  readonly problem: string;
  readonly hint: ComponentChildren;
}

/** The form that is open, as its fields see it. */
interface OpenForm {
  readonly save: (ask: () => Promise<boolean>) => void;
  readonly cancel: () => void;
}

/** A list of settings, a button to add one, and one form at a time below it. */
export function ListWithForm<Item>(props: ListWithFormProps<Item>) {
  const { headingId, items, keyOf, addWords, row, form, between, problem, hint } = props;
  const [editing, setEditing] = useState<Editing<Item> | null>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const shown = useRef(editing);
  shown.current = editing;
  const asked = useRef<Editing<Item> | null>(null);
  const open = (item: Item) => {
    // The form of the same item stays, and what is typed in it.
    const isOpen = editing?.item != null && keyOf(editing.item) === keyOf(item);
    if (!isOpen) setEditing({ item });
  };
  const close = (form: Editing<Item>) => {
    if (shown.current !== form) return;
    // A user who has moved the focus elsewhere meanwhile keeps it there.
    const isHere = addButton.current?.closest("section")?.querySelector("form")?.contains(document.activeElement);
    if (isHere) addButton.current?.focus();
    setEditing(null);
  };
  const save = async (form: Editing<Item>, ask: () => Promise<boolean>) => {
    if (asked.current === form) return;
    asked.current = form;
    const isSaved = await ask();
    if (asked.current === form) asked.current = null;
    if (isSaved) close(form);
  };
  return (
    <>
      {items !== null && items.length > 0 && (
        <ul class="notice-targets" aria-labelledby={headingId}>
          {items.map((item) =>
            row(item, {
              edit: () => open(item),
              leave: () => {
                if (editing?.item != null && keyOf(editing.item) === keyOf(item)) setEditing(null);
                addButton.current?.focus();
              },
            }),
          )}
        </ul>
      )}
      {between?.(() => addButton.current?.focus())}
      <div class="row">
        <button
          type="button"
          ref={addButton}
          class="button"
          aria-expanded={editing !== null && editing.item === null}
          onClick={() => setEditing(editing !== null && editing.item === null ? null : { item: null })}
        >
          <Icon name="plus" class="icon-sm" />
          {addWords}
        </button>
      </div>
      {editing !== null && (
        <Fragment key={editing.item === null ? "new" : `of ${keyOf(editing.item)}`}>
          {form(editing.item, { save: (ask) => void save(editing, ask), cancel: () => close(editing) })}
        </Fragment>
      )}
      {problem !== "" && (
        <p class="error-text" role="alert">
          {problem}
        </p>
      )}
      <p class="hint">{hint}</p>
    </>
  );
}

interface SettingsFormProps {
  /** What the form is called. */
  readonly label: string;
  /** The id of its text below the fields, which is their description. */
  readonly problemId: string;
  readonly problem: string;
  readonly saveWords: string;
  readonly onSubmit: () => void;
  readonly onCancel: () => void;
  readonly children: ComponentChildren;
}

/** The frame of such a form: its first field is focused, Enter saves. */
export function SettingsForm(props: SettingsFormProps) {
  const { label, problemId, problem, saveWords, onSubmit, onCancel, children } = props;
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => form.current?.querySelector<HTMLElement>("input, textarea")?.focus(), []);
  return (
    <form
      ref={form}
      class="notice-form"
      aria-label={label}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
      <p id={problemId} class="error-text" role="status">
        {problem}
      </p>
      <div class="row">
        <button type="submit" class="button primary">
          {saveWords}
        </button>
        <button type="button" class="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
