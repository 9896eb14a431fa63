/** Settings: the server, and what is recorded. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { browser } from "wxt/browser";
import type { Settings, Sources } from "../messages/messages.ts";
import { canRecognise, canRecogniseHere } from "../sources/recognition.ts";
import { saveSettings } from "./settings.ts";

export function Setup({
  settings,
  onDone,
}: {
  readonly settings: Settings;
  readonly onDone: () => void;
}): JSX.Element {
  const [sources, setSources] = useState<Sources>(settings.sources);
  const [isLocal, setLocal] = useState(false);
  const { microphone, lang } = sources;
  useEffect(() => {
    void canRecogniseHere(lang).then(setLocal);
  }, [lang]);
  const isLeaving = microphone === "recognise" && !isLocal;
  const save = (event: Event): void => {
    event.preventDefault();
    if (isLeaving && !sources.voiceMayLeave) return;
    // Within the press: the browser asks for nothing later.
    const asked =
      sources.tabSound === "off" ? null : browser.permissions.request({ permissions: ["tabCapture"] });
    void saveSettings({ ...settings, sources }).then(async () => {
      // The status of the source says what is missing.
      await asked?.catch(() => false);
      onDone();
    });
    // Both ways to hear need the permission, which only a tab can ask for.
    const isNew = sources.microphone !== "off" && settings.sources.microphone === "off";
    if (isNew) void browser.tabs.create({ url: `${location.origin}/microphone.html` });
  };
  return (
    <form class="scroll setup" onSubmit={save}>
      <h2>Settings</h2>
      <div class="connection">
        <p>
          Connected to <strong>{settings.serverUrl}</strong>
        </p>
        <button type="button" onClick={() => void saveSettings({ ...settings, token: "" })}>
          Disconnect
        </button>
      </div>
      <fieldset>
        <legend>What is recorded</legend>
        <Switch
          label="Captions"
          isOn={sources.captions}
          onChange={(captions) => setSources({ ...sources, captions })}
        />
        <Switch
          label="Captions that the page draws itself (a guess)"
          isOn={sources.pageCaptions}
          onChange={(pageCaptions) => setSources({ ...sources, pageCaptions })}
        />
        <Switch
          label="Frames of the video"
          isOn={sources.frames}
          onChange={(frames) => setSources({ ...sources, frames })}
        />
        {!import.meta.env.FIREFOX && (
          <TabSound sources={sources} onChange={(tabSound) => setSources({ ...sources, tabSound })} />
        )}
        <label>
          Microphone
          <select
            value={sources.microphone}
            onChange={({ currentTarget }) =>
              setSources({ ...sources, microphone: microphoneOf(currentTarget.value) })
            }
          >
            <option value="off">Off</option>
            <option value="record">Recorded, and transcribed by your server</option>
            {canRecognise() && (
              <option value="recognise">
                {isLocal
                  ? "Recognised by the browser, on this machine"
                  : "Recognised by the browser's maker, over the internet"}
              </option>
            )}
          </select>
          {microphone !== "off" && (
            <small>
              It listens only while the video plays in the tab in front and this panel is open; the button
              shows MIC then.
            </small>
          )}
        </label>
        {isLeaving && (
          <label class="switch leaves">
            <input
              type="checkbox"
              required
              checked={sources.voiceMayLeave}
              onChange={({ currentTarget }) =>
                setSources({ ...sources, voiceMayLeave: currentTarget.checked })
              }
            />
            <span>
              My voice may leave this machine: this browser does not recognise {lang === "" ? "speech" : lang}{" "}
              here, and sends it to a service of its maker (Chrome: Google).
            </span>
          </label>
        )}
        <label>
          Language that you speak
          <input
            placeholder="en-GB"
            pattern="[a-zA-Z0-9\-]{0,35}"
            value={sources.lang}
            onInput={({ currentTarget }) => setSources({ ...sources, lang: currentTarget.value })}
          />
        </label>
        <label>
          Seconds between frames
          <input
            type="number"
            min="1"
            max="600"
            value={sources.frameEveryMs / 1000}
            onInput={({ currentTarget }) =>
              setSources({
                ...sources,
                frameEveryMs: Math.max(1, Math.round(Number(currentTarget.value))) * 1000,
              })
            }
          />
        </label>
      </fieldset>
      <button type="submit" class="main">
        Save
      </button>
    </form>
  );
}

interface TabSoundProps {
  readonly sources: Sources;
  readonly onChange: (tabSound: Sources["tabSound"]) => void;
}

function TabSound({ sources: { tabSound }, onChange }: TabSoundProps): JSX.Element {
  return (
    <label>
      Sound of the tab
      <select
        value={tabSound}
        onChange={({ currentTarget }) =>
          onChange(TAB_SOUNDS.find((one) => one === currentTarget.value) ?? "off")
        }
      >
        <option value="off">Off</option>
        <option value="without-captions">Where a video has no captions</option>
        <option value="always">Always</option>
      </select>
      {tabSound !== "off" && (
        <small>
          Your server transcribes it with the transcriber of its configuration. It is recorded only while the
          video plays, and you hear it as before.
        </small>
      )}
    </label>
  );
}

const TAB_SOUNDS: readonly Sources["tabSound"][] = ["without-captions", "always"];

function microphoneOf(value: string): Sources["microphone"] {
  return value === "record" || value === "recognise" ? value : "off";
}

interface SwitchProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

function Switch({ label, isOn, onChange }: SwitchProps): JSX.Element {
  return (
    <label class="switch">
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      {label}
    </label>
  );
}
