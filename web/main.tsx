/** The viewer: every session of this machine, in a page. */

import { render } from "preact";
import { App } from "./shell/app.tsx";

const place = document.getElementById("app");
if (place !== null) render(<App />, place);
