/** Parts of the page that are loaded when they are first shown. */

import { signal } from "@preact/signals";
import type { FunctionComponent } from "preact";

/** A server that is started again answers within some seconds. */
const RETRY_MS = 1_000;

/** `meantime` is shown until the part is there. A part that does not load is requested again until it loads. */
export function lazily<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
  meantime?: FunctionComponent<Props>,
): FunctionComponent<Props> {
  const loaded = signal<{ readonly part: FunctionComponent<Props> } | null>(null);
  const isFailing = signal(false);
  let begun = false;
  const begin = async (): Promise<void> => {
    begun = true;
    try {
      loaded.value = { part: await load() };
    } catch {
      isFailing.value = true;
      setTimeout(() => void begin(), RETRY_MS);
    }
  };
  return function Lazy(props: Props) {
    if (!begun) void begin();
    const Loaded = loaded.value?.part;
    if (Loaded !== undefined) return <Loaded {...props} />;
    const Meantime = meantime;
    return (
      <>
        {isFailing.value ? (
          <p class="notice bad" role="alert">
            This part of the page has not loaded yet. If it does not come, reload the page.
          </p>
        ) : null}
        {Meantime === undefined ? null : <Meantime {...props} />}
      </>
    );
  };
}
