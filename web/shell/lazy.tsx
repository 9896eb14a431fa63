/** Parts of the page that are loaded when they are first shown. */

import { signal } from "@preact/signals";
import type { FunctionComponent } from "preact";

/** `meantime` is shown until the part is there. */
export function lazily<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
  meantime?: FunctionComponent<Props>,
): FunctionComponent<Props> {
  const loaded = signal<{ readonly part: FunctionComponent<Props> } | null>(null);
  let begun = false;
  const begin = async (): Promise<void> => {
    begun = true;
    loaded.value = { part: await load() };
  };
  return function Lazy(props: Props) {
    if (!begun) void begin();
    const Part = loaded.value?.part ?? meantime;
    return Part === undefined ? null : <Part {...props} />;
  };
}
