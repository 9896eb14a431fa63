/** The worker that turns speech into text, with the files of Whisper in the extension or on the person's server. */

import { defineUnlistedScript } from "wxt/utils/define-unlisted-script";
import { serveWhisper } from "../sources/whisper-worker.ts";

export default defineUnlistedScript({ exclude: ["firefox"], main: () => serveWhisper() });
