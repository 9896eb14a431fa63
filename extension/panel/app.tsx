/** The side panel. It first asks for a server, and then shows the notes of the video that a person watches. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { LIMITS } from "../limits.ts";
import { SETTINGS, type Server, type Settings } from "../messages/messages.ts";
import { checkServer } from "../sending/access.ts";
import { failureOf } from "../sending/session.ts";
import type { Failure } from "../sending/view.ts";
import { Connect } from "./connect.tsx";
import { EarlierSessions } from "./earlier-sessions.tsx";
import { connect, view } from "./link.ts";
import { NoVideo } from "./no-video.tsx";
import { Problem } from "./problem.tsx";
import { Session } from "./session.tsx";
import { readSettings, saveSettings, settings } from "./settings.ts";
import { Setup } from "./setup.tsx";

type PanelTab = "notes" | "sessions" | "settings";

const PLACES: readonly { readonly place: PanelTab; readonly name: string }[] = [
  { place: "notes", name: "Notes" },
  { place: "sessions", name: "Sessions" },
  { place: "settings", name: "Settings" },
];

export function App(): JSX.Element {
  const [place, setPlace] = useState<PanelTab>("notes");
  useEffect(() => {
    void readSettings();
    connect();
  }, []);
  const known = settings.value;
  const problem = useServerProblem(known ?? SETTINGS);
  if (known === null) return <main />;
  const isConnected = known.token !== "";
  const connected = async (next: Settings): Promise<void> => {
    await saveSettings(next);
    setPlace("notes");
  };
  const shown = isConnected ? place : null;
  return (
    <main>
      <header>
        <h1>Continuo</h1>
        {isConnected && (
          <nav aria-label="Parts of the panel">
            {PLACES.map(({ place: to, name }) => (
              <button
                key={to}
                type="button"
                aria-current={shown === to ? "page" : undefined}
                onClick={() => setPlace(to)}
              >
                {name}
              </button>
            ))}
          </nav>
        )}
      </header>
      {problem !== null && isConnected && (
        <Problem failure={problem}>
          {problem.isAccess && (
            <button type="button" onClick={() => void saveSettings({ ...known, token: "" })}>
              Connect again
            </button>
          )}
        </Problem>
      )}
      {!isConnected && <Connect settings={known} onConnected={connected} />}
      {shown === "settings" && <Setup settings={known} onDone={() => setPlace("notes")} />}
      {shown === "sessions" && view.value !== null && <EarlierSessions view={view.value} />}
      {shown === "notes" && <Notes settings={known} onSettings={() => setPlace("settings")} />}
    </main>
  );
}

/**
 * Returns the reason why the server does not work; `null` if it works. The server is checked when the panel opens, and
 * then every few seconds, because a token can expire or be revoked at any time. After the server has worked once, this
 * returns only a refused access; the sessions themselves report a server that does not answer.
 */
function useServerProblem({ serverUrl, token }: Server): Failure | null {
  const [problem, setProblem] = useState<Failure | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    let hasWorked = false;
    const look = async (): Promise<void> => {
      const found = await checkServer({ serverUrl, token }).then(() => null, failureOf);
      if (isOver) return;
      hasWorked ||= found === null;
      setProblem(hasWorked && found?.isAccess !== true ? null : found);
      timer = setTimeout(() => void look(), LIMITS.serverCheckMs);
    };
    setProblem(null);
    if (token !== "") void look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [serverUrl, token]);
  return problem;
}

interface NotesProps {
  readonly settings: Settings;
  readonly onSettings: () => void;
}

function Notes({ settings, onSettings }: NotesProps): JSX.Element {
  const now = view.value;
  if (now === null) return <p class="empty">Starting…</p>;
  const { session } = now;
  return (
    <>
      {now.quota >= LIMITS.quotaWarning && (
        <p class="banner warn" role="alert">
          The browser's storage for data that is not sent yet is {Math.round(now.quota * 100)} % full.
        </p>
      )}
      {session === null ? (
        <NoVideo />
      ) : (
        <Session session={session} view={now} settings={settings} onSettings={onSettings} />
      )}
    </>
  );
}
