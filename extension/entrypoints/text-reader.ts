/** The worker that reads the text in pictures. */

import { defineUnlistedScript } from "wxt/utils/define-unlisted-script";
import { serveTextReader } from "../sources/tesseract.ts";

export default defineUnlistedScript({ exclude: ["firefox"], main: () => serveTextReader() });
