/** The side panel. */

import { render } from "preact";
import { App } from "../../panel/app.tsx";

const root = document.querySelector("#app");
if (root !== null) render(<App />, root);
