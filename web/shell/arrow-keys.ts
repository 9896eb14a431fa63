/** The arrow keys, Home and End in a menu that unfolds: they move from line to line, and wrap at its ends. */

const STEPS: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at, count) => (at + 1) % count,
  ArrowUp: (at, count) => (at <= 0 ? count : at) - 1,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** For `keydown` in the `details` of a menu. On the button of the menu, an arrow opens it. */
export function moveInMenu(event: KeyboardEvent & { readonly currentTarget: HTMLDetailsElement }): void {
  const menu = event.currentTarget;
  const step = STEPS[event.key];
  const isArrow = event.key.startsWith("Arrow");
  if (step === undefined || event.ctrlKey || event.metaKey || event.altKey || !(menu.open || isArrow)) return;
  // The page does not scroll or go to another turn.
  event.preventDefault();
  event.stopPropagation();
  menu.open = true;
  const lines = [...menu.querySelectorAll<HTMLElement>("li :is(button, a, input):not(:disabled)")];
  const at = lines.indexOf(menu.ownerDocument.activeElement as HTMLElement);
  if (lines.length > 0) lines[step(at, lines.length)]?.focus();
}
