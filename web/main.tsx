/** The viewer: every session of this machine, in a page. */

import { render } from "preact";
import { App } from "./shell/app.tsx";
import { followAddress } from "./shell/route.ts";
import { applyTheme } from "./shell/theme-button.tsx";

applyTheme();
const hasCode = (): boolean => location.hash.startsWith("#code=");
if (hasCode()) await (await import("./state/login.ts")).logIn();
// A new address in a tab that already shows the page.
addEventListener("hashchange", () => {
  if (hasCode()) location.reload();
});
followAddress();
const place = document.getElementById("app");
if (place !== null) render(<App />, place);
void import("./help/preload.ts").then(({ loadLater }) => loadLater());
void import("./help/focused-parts.ts").then(({ markFocusedParts }) => markFocusedParts());
void import("./state/lost-server.ts").then(({ watchServer }) => watchServer());
void import("./inbox/inbox-state.ts").then(({ followInbox }) => followInbox());
