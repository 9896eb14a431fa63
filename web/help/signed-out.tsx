/** The page without a login: it says how to open the same address again. */

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { copyText } from "../content/copy.ts";
import { IS_PHONE } from "../shell/choices.ts";
import { route } from "../shell/route.ts";
import { access } from "../state/server.ts";
import { openCommand } from "./open-command.ts";

export function SignedOut(): VNode {
  useEffect(() => {
    // The title was that of a session.
    document.title = "Continuo";
  }, []);
  // The page is drawn again when the address changes, because the address is part of the command.
  void route.value;
  if (IS_PHONE) return <PairAgain />;
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

/**
 * An app on the home screen of an iPhone shares nothing with the browser that was paired, so the link is pasted there.
 */
function PairAgain(): VNode {
  const link = useSignal("");
  const code = codeIn(link.value);
  return (
    <main class="empty">
      <h1>Pair this phone</h1>
      <p>
        It is not paired, or no longer: a pairing ends after a week, when it is revoked, and when the viewer
        ends. On the computer, open Phones in the viewer, or run this command, and scan the code:
      </p>
      <pre class="plain">continuo view --pair</pre>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (code !== null) location.hash = code;
        }}
      >
        <label>
          Or paste the link{" "}
          <input
            type="text"
            autocomplete="off"
            spellcheck={false}
            value={link.value}
            onInput={({ currentTarget }) => {
              link.value = currentTarget.value;
            }}
          />
        </label>{" "}
        <button type="submit" disabled={code === null}>
          Pair
        </button>
      </form>
    </main>
  );
}

/** The code of a link to this server; `null` for any other text. */
function codeIn(link: string): string | null {
  if (!URL.canParse(link.trim())) return null;
  const { origin, hash } = new URL(link.trim());
  return origin === location.origin && hash.startsWith("#code=") ? hash : null;
}
