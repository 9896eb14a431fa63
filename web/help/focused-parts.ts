/**
 * Marks the parts of the page that have the focus, because styles show more of them. A press with the mouse moves the
 * focus before it becomes a click: a part that changed its height then would move the pressed button away.
 */

const PARTS = ".top, .dock";
const ENDS = ["pointerup", "pointercancel"] as const;

export function markFocusedParts(): void {
  let isPressed = false;
  const mark = (): void => {
    if (isPressed) return;
    for (const part of document.querySelectorAll(PARTS)) {
      part.toggleAttribute("data-focused", part.contains(document.activeElement));
    }
  };
  // The focus is nowhere until it has arrived at the next element, and a click follows the end of its press.
  const markLater = (): void => void setTimeout(mark);
  addEventListener("focusin", mark);
  addEventListener("focusout", markLater);
  addEventListener("pointerdown", () => (isPressed = true), true);
  for (const end of ENDS) {
    addEventListener(
      end,
      () => {
        isPressed = false;
        markLater();
      },
      true,
    );
  }
  mark();
}
