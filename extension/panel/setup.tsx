/** Settings: the server, and what is recorded. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { browser } from "wxt/browser";
import type { Settings, Sources } from "../messages/messages.ts";
import { useLocalSpeech } from "./local-speech.tsx";
import { saveSettings } from "./settings.ts";
import { MicrophoneField, PictureTextField, Switch, TabSoundField } from "./source-fields.tsx";

export function Setup({
  settings,
  onDone,
}: {
  readonly settings: Settings;
  readonly onDone: () => void;
}): JSX.Element {
  const [sources, setSources] = useState<Sources>(settings.sources);
  const speech = useLocalSpeech(sources.lang);
  const isLeaving = sources.microphone === "recognise" && speech.state !== "available";
  const save = (event: Event): void => {
    event.preventDefault();
    if (isLeaving && !sources.voiceMayLeave) return;
    // This must run within the click: the browser accepts no request for a permission after it.
    const asked =
      sources.tabSound === "off" ? null : browser.permissions.request({ permissions: ["tabCapture"] });
    void saveSettings({ ...settings, sources }).then(async () => {
      // The status of the source says what is missing.
      await asked?.catch(() => false);
      onDone();
    });
    // Every use of the microphone needs the permission, and only a tab can ask for it.
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
        {!import.meta.env.FIREFOX && <PictureTextField sources={sources} onChange={setSources} />}
        {!import.meta.env.FIREFOX && (
          <TabSoundField sources={sources} server={settings} onChange={setSources} />
        )}
        <MicrophoneField sources={sources} server={settings} speech={speech} onChange={setSources} />
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
