/** The service worker of Chromium, the background page of Firefox. */

import { defineBackground } from "wxt/utils/define-background";
import { runWorker } from "../tabs/worker.ts";

export default defineBackground({ type: "module", main: () => runWorker() });
