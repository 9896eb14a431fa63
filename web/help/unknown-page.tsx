/** The page for an address that names no page. */

import type { VNode } from "preact";
import { useEffect } from "preact/hooks";

export function UnknownPage(): VNode {
  useEffect(() => {
    document.title = "No such page · Continuo";
  }, []);
  return (
    <main class="empty">
      <h1>There is no page at this address</h1>
      <p>The address may have been cut, or it may be one of a later version.</p>
      <p>
        <a href="#/">All sessions</a>
      </p>
    </main>
  );
}
