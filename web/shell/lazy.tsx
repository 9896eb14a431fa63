/** Parts of the page that are loaded when they are first shown. */

import { signal } from "@preact/signals";
import type { FunctionComponent } from "preact";

export function lazily<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
): FunctionComponent<Props> {
  const loaded = signal<{ readonly part: FunctionComponent<Props> } | null>(null);
  let begun = false;
  const begin = async (): Promise<void> => {
    begun = true;
    loaded.value = { part: await load() };
  };
  return function Lazy(props: Props) {
    if (!begun) void begin();
    if (loaded.value === null) return null;
    const { part: Part } = loaded.value;
    return <Part {...props} />;
  };
}
