/** True while the page is being printed. A printed page has everything that is loaded, and shows what was changed. */

import { signal } from "@preact/signals";

export const isPrinting = signal(false);

addEventListener("beforeprint", () => {
  isPrinting.value = true;
});
addEventListener("afterprint", () => {
  isPrinting.value = false;
});
