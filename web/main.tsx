/** The viewer: every session of this machine, in a page. */

import { render } from "preact";
import { App } from "./shell/app.tsx";
import { followAddress } from "./shell/route.ts";
import { applyTheme } from "./shell/theme-button.tsx";
import { enter, signedOut } from "./state/server.ts";

applyTheme();
try {
  await enter();
} catch {
  signedOut.value = true;
}
followAddress();
const place = document.getElementById("app");
if (place !== null) render(<App />, place);
