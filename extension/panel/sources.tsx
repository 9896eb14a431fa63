/**
 * The sources of a session: the amount of evidence of each, the button for its remedy, and the pause of the microphone.
 */

import type { JSX } from "preact";
import { browser } from "wxt/browser";
import type { Settings } from "../messages/messages.ts";
import type { EngineView } from "../sending/engine.ts";
import { useNow } from "./now.ts";
import { saveSettings } from "./settings.ts";
import { type Remedy, type SourceStatus, sourceStatuses } from "./source-status.ts";

interface Props {
  readonly view: EngineView;
  readonly settings: Settings;
  readonly onSettings: () => void;
}

export function SourceList({ view, settings, onSettings }: Props): JSX.Element {
  const nowMs = useNow();
  const { sources } = settings;
  const { report, position, microphone, tabSound, textFailure } = view;
  const mend = (remedy: Remedy): void => {
    const openTab = (url: string): void => void browser.tabs.create({ url });
    if (remedy.type === "settings") onSettings();
    else if (remedy.type === "open-file") openTab(remedy.url);
    else if (remedy.type === "microphone") openTab(`${location.origin}/microphone.html`);
    else void saveSettings({ ...settings, sources: { ...sources, pageCaptions: true } });
  };
  return (
    <section class="sources" aria-label="Sources">
      <ul>
        {sourceStatuses({ sources, report, position, microphone, tabSound, textFailure, nowMs }).map(
          (status) => (
            <SourceLine key={status.source} status={status} onMend={mend} />
          ),
        )}
      </ul>
      {sources.microphone !== "off" && (
        <MicrophonePause settings={settings} isOn={microphone.state === "listening"} />
      )}
    </section>
  );
}

interface SourceLineProps {
  readonly status: SourceStatus;
  readonly onMend: (remedy: Remedy) => void;
}

function SourceLine({ status, onMend }: SourceLineProps): JSX.Element {
  const { source, tone, text, hint, remedy } = status;
  return (
    <li>
      <p class={`status ${tone}`}>
        <span class="dot" aria-hidden="true" />
        <span>
          {source}: {text}
        </span>
      </p>
      {remedy !== null && (
        <button type="button" class="mend" onClick={() => onMend(remedy)}>
          {remedy.label}
        </button>
      )}
      {hint !== "" && <p class="hint">{hint.replaceAll("`", "")}</p>}
    </li>
  );
}

/** The microphone stays paused until the button is pressed again, even after a restart of the browser. */
function MicrophonePause({
  settings,
  isOn,
}: {
  readonly settings: Settings;
  readonly isOn: boolean;
}): JSX.Element {
  const { isMicrophonePaused } = settings;
  return (
    <button
      type="button"
      class={`pause ${isOn ? "on" : ""}`}
      aria-pressed={isMicrophonePaused}
      onClick={() => void saveSettings({ ...settings, isMicrophonePaused: !isMicrophonePaused })}
    >
      {isMicrophonePaused ? "Go on listening" : "Pause the microphone"}
    </button>
  );
}
