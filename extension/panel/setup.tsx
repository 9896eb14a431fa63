/** Settings: the server, and what is recorded. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { browser } from "wxt/browser";
import type { Settings, Sources } from "../messages/messages.ts";
import { canRecognise } from "../sources/recognition.ts";
import { saveSettings } from "./settings.ts";

export function Setup({
  settings,
  onDone,
}: {
  readonly settings: Settings;
  readonly onDone: () => void;
}): JSX.Element {
  const [sources, setSources] = useState<Sources>(settings.sources);
  const save = (event: Event): void => {
    event.preventDefault();
    void saveSettings({ ...settings, sources }).then(onDone);
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
          label="Frames of the video"
          isOn={sources.frames}
          onChange={(frames) => setSources({ ...sources, frames })}
        />
        <label>
          Microphone
          <select
            value={sources.microphone}
            onChange={({ currentTarget }) =>
              setSources({ ...sources, microphone: microphoneOf(currentTarget.value) })
            }
          >
            <option value="off">Off</option>
            <option value="record">Recorded, and transcribed by the server</option>
            {canRecognise() && <option value="recognise">Recognised by the browser</option>}
          </select>
        </label>
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
