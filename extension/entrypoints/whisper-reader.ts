/** The worker that turns speech into text, if the extension has the files of Whisper. */

import { defineUnlistedScript } from "wxt/utils/define-unlisted-script";
import { serveWhisper } from "../sources/whisper-worker.ts";

export default defineUnlistedScript({ exclude: ["firefox"], main: () => serveWhisper() });
