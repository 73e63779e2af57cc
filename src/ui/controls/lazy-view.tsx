import { type ComponentType, createElement } from "preact";
import { useEffect, useState } from "preact/hooks";

interface LazyViewProps<Props> {
  /** The same function every time, so that it is asked once. */
  readonly load: () => Promise<ComponentType<Props>>;
  readonly props: Props;
  readonly onFailed: (words: string) => void;
}

/** A part of the page that is fetched when it is first shown. */
export function LazyView<Props extends object>({ load, props, onFailed }: LazyViewProps<Props>) {
  const [view, setView] = useState<ComponentType<Props> | null>(null);
  useEffect(() => {
    load().then(
      (loaded) => setView(() => loaded),
      () => onFailed("This part of the page could not be loaded. Reload the page and try again."),
    );
  }, [load]);
  return view === null ? null : createElement(view, props);
}
