/** The viewer: every session of this machine, in a page. */

import { render } from "preact";
import { App } from "./shell/app.tsx";
import { followAddress } from "./shell/route.ts";
import { applyTheme } from "./shell/theme-button.tsx";
import { enter, signedOut } from "./state/server.ts";

/** Set by the build: the style of what is not on the page at first. */
declare const CONTINUO_LATER_STYLE: string;

applyTheme();
try {
  await enter();
} catch {
  signedOut.value = true;
}
followAddress();
const place = document.getElementById("app");
if (place !== null) render(<App />, place);
const later = document.createElement("link");
later.rel = "stylesheet";
later.href = CONTINUO_LATER_STYLE;
document.head.append(later);
