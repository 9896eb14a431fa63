/**
 * A button that opens a list of actions. The list closes when an action is chosen, when Escape is pressed, and when the
 * focus leaves the list.
 */

import type { ComponentChildren, JSX } from "preact";
import { useRef } from "preact/hooks";

interface Props {
  /** The name for screen readers, if the visible text "More" does not say enough. */
  readonly label?: string;
  /** Buttons. */
  readonly children: ComponentChildren;
}

export function Menu({ label, children }: Props): JSX.Element {
  const menu = useRef<HTMLDetailsElement>(null);
  const close = (): void => menu.current?.removeAttribute("open");
  return (
    <details
      class="menu"
      ref={menu}
      onKeyDown={({ key }) => {
        if (key === "Escape") close();
      }}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) close();
      }}
    >
      <summary aria-label={label}>More</summary>
      {/* A click, or a key that presses one of its buttons. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: its buttons are what is pressed. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a key on a button is a click. */}
      <div onClick={close}>{children}</div>
    </details>
  );
}
