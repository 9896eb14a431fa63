/** The frame of the page, and what the address says is shown in it. */

import type { VNode } from "preact";

export function App(): VNode {
  return <h1>Continuo</h1>;
}
