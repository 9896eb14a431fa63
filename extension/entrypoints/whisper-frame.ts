/** The script of the sealed page: starts the worker whose code it receives, and passes the ports on to it. */

import { defineUnlistedScript } from "wxt/utils/define-unlisted-script";

export default defineUnlistedScript({
  exclude: ["firefox"],
  main: () => {
    const start = ({ source, data, ports }: MessageEvent<string>): void => {
      if (source !== parent) return;
      removeEventListener("message", start);
      const worker = new Worker(URL.createObjectURL(new Blob([data], { type: "text/javascript" })));
      worker.postMessage(null, [...ports]);
    };
    addEventListener("message", start);
  },
});
