/**
 * The script that runs once in each page of the sites that the person allowed, isolated from the page's own scripts. It
 * is not a content script of WXT, because those send the page a message that reveals the extension.
 */

import { defineUnlistedScript } from "wxt/utils/define-unlisted-script";
import { PageWatcher } from "../watching/page.ts";

declare global {
  var continuoWatches: PageWatcher | undefined;
}

export default defineUnlistedScript(() => {
  globalThis.continuoWatches ??= new PageWatcher();
});
