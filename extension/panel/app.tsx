/** The side panel: set up, then the notes of the video that is watched. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { LIMITS } from "../limits.ts";
import { EarlierSessions } from "./earlier-sessions.tsx";
import { connect, view } from "./link.ts";
import { NoVideo } from "./no-video.tsx";
import { Session } from "./session.tsx";
import { readSettings, settings } from "./settings.ts";
import { Setup } from "./setup.tsx";

type Place = "notes" | "sessions" | "settings";

const PLACES: readonly { readonly place: Place; readonly name: string }[] = [
  { place: "notes", name: "Notes" },
  { place: "sessions", name: "Sessions" },
  { place: "settings", name: "Settings" },
];

export function App(): JSX.Element {
  const [place, setPlace] = useState<Place>("notes");
  useEffect(() => {
    void readSettings();
    connect();
  }, []);
  const known = settings.value;
  if (known === null) return <main />;
  const shown = known.token === "" ? "settings" : place;
  return (
    <main>
      <header>
        <h1>Continuo</h1>
        <nav aria-label="Parts of the panel">
          {PLACES.map(({ place: to, name }) => (
            <button
              key={to}
              type="button"
              aria-current={shown === to ? "page" : undefined}
              disabled={known.token === "" && to !== "settings"}
              onClick={() => setPlace(to)}
            >
              {name}
            </button>
          ))}
        </nav>
      </header>
      {shown === "settings" && <Setup settings={known} onDone={() => setPlace("notes")} />}
      {shown === "sessions" && view.value !== null && <EarlierSessions view={view.value} />}
      {shown === "notes" && <Notes />}
    </main>
  );
}

function Notes(): JSX.Element {
  const now = view.value;
  if (now === null) return <p class="empty">Starting…</p>;
  const { session } = now;
  return (
    <>
      {now.quota >= LIMITS.quotaWarning && (
        <p class="banner warn" role="alert">
          The browser's room for what waits is {Math.round(now.quota * 100)} % full.
        </p>
      )}
      {session === null ? <NoVideo /> : <Session session={session} view={now} />}
    </>
  );
}
