/** Copies text, and reports it on the button that was pressed. */

const SAID_MS = 1_500;

export async function copyText(text: string, button: HTMLButtonElement | null = null): Promise<void> {
  let said = "Copied";
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A page from disk may not use the clipboard.
    said = copyBySelection(text) ? "Copied" : "Cannot copy";
  }
  if (button === null) return;
  const label = button.dataset.label ?? button.textContent ?? "";
  button.dataset.label = label;
  button.textContent = said;
  setTimeout(() => {
    button.textContent = label;
  }, SAID_MS);
}

function copyBySelection(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  const isDone = document.execCommand("copy");
  field.remove();
  return isDone;
}
