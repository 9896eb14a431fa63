/** The side panel: set up, then the notes of the video that is watched. */

import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { connect, view } from "./link.ts";
import { readSettings, settings } from "./settings.ts";
import { Setup } from "./setup.tsx";

export function App(): JSX.Element {
  useEffect(() => {
    void readSettings();
    connect();
  }, []);
  if (settings.value === null) return <main />;
  if (settings.value.token === "") return <Setup settings={settings.value} />;
  const session = view.value?.sessions.find(({ key }) => key === view.value?.recording) ?? null;
  return (
    <main>
      <ol class="notes">
        {(session?.notes ?? []).map(({ noteId, text }) => (
          <li key={noteId}>{text}</li>
        ))}
      </ol>
    </main>
  );
}
