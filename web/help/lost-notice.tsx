/** Reports that the server does not answer: no action is possible on the page until it answers again. */

import type { VNode } from "preact";
import { isLost } from "../state/server.ts";

export function LostNotice(): VNode | null {
  if (!isLost.value) return null;
  return (
    <p class="lost-notice" role="alert">
      <b>The server does not answer.</b> What you see may be out of date, and nothing can be sent. What you
      write stays. The page goes on by itself when <code>continuo view</code> runs again.
    </p>
  );
}
