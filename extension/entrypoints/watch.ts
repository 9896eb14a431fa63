/**
 * Runs in pages of the sites that the person allowed, in a world of its own, once in each. It is no content script of
 * WXT: those say to the page that they are there.
 */

import { defineUnlistedScript } from "wxt/utils/define-unlisted-script";
import { PageWatcher } from "../watching/page.ts";

declare global {
  var continuoWatches: PageWatcher | undefined;
}

export default defineUnlistedScript(() => {
  globalThis.continuoWatches ??= new PageWatcher();
});
