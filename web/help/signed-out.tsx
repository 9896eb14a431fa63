/** The page without a login: it says how to open the same address again. */

import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { copyText } from "../content/copy.ts";
import { route } from "../shell/route.ts";
import { access } from "../state/server.ts";
import { openCommand } from "./open-command.ts";

export function SignedOut(): VNode {
  useEffect(() => {
    // The title was that of a session.
    document.title = "Continuo";
  }, []);
  // The address is part of the command.
  void route.value;
  const isStranger = access.value === "stranger";
  const command = openCommand(location.href);
  return (
    <main class="empty">
      <h1>{isStranger ? "Another program answers at this address" : "Open this page again"}</h1>
      {isStranger ? (
        <p>
          It is not the server that opened this page: this page sends it nothing and shows nothing of it. Look
          for the program that uses the port before you trust this address.
        </p>
      ) : null}
      <p>To open this page, run this command in a terminal:</p>
      <div class="code">
        <pre class="plain" tabindex={0}>
          {command}
        </pre>
        <button
          type="button"
          class="copy"
          onClick={({ currentTarget }) => void copyText(command, currentTarget)}
        >
          Copy
        </button>
      </div>
    </main>
  );
}
