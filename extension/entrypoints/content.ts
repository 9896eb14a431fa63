/** Runs in pages of the sites that the person allowed, in a world of its own, once in each. */

import { defineContentScript } from "wxt/utils/define-content-script";
import { PageWatcher } from "../watching/page.ts";

declare global {
  var continuoWatches: PageWatcher | undefined;
}

export default defineContentScript({
  registration: "runtime",
  main: () => {
    globalThis.continuoWatches ??= new PageWatcher();
  },
});
