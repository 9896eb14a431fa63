/** The frame of the page, and what the address says is shown in it. */

import type { VNode } from "preact";
import { ListPage } from "../list/list.tsx";
import { signedOut } from "../state/server.ts";
import { HelpButton } from "./help.tsx";
import { lazily } from "./lazy.tsx";
import { route } from "./route.ts";
import { ThemeButton } from "./theme-button.tsx";

/** The list is there without them. */
const HealthPage = lazily(async () => (await import("../health/health.tsx")).HealthPage);
const SessionPage = lazily(async () => (await import("../session/session.tsx")).SessionPage);

export function App(): VNode {
  const place = route.value;
  return (
    <>
      <header class="top">
        <a class="brand" href="#/" aria-current={place.page === "list" ? "page" : undefined}>
          Continuo
        </a>
        <span class="space" />
        <a class="top-link" href="#/health" aria-current={place.page === "health" ? "page" : undefined}>
          Health
        </a>
        <HelpButton />
        <ThemeButton />
      </header>
      {signedOut.value ? (
        <SignedOut />
      ) : place.page === "list" ? (
        <ListPage />
      ) : place.page === "health" ? (
        <HealthPage />
      ) : (
        <SessionPage key={place.key} sessionKey={place.key} turn={place.turn} tab={place.tab} />
      )}
    </>
  );
}

function SignedOut(): VNode {
  return (
    <main class="empty">
      <h1>This page is no longer signed in</h1>
      <p>
        Run <code>continuo view</code> in a terminal: it opens the viewer with a new address, which works
        once.
      </p>
    </main>
  );
}
