/** The fields of Settings for single sources, each with what it costs and what leaves the machine. */

import type { JSX } from "preact";
import type { Sources } from "../messages/messages.ts";
import { canRecognise } from "../sources/recognition.ts";

interface FieldProps {
  readonly sources: Sources;
  readonly onChange: (sources: Sources) => void;
}

interface SwitchProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

export function Switch({ label, isOn, onChange }: SwitchProps): JSX.Element {
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

export function PictureTextField({ sources, onChange }: FieldProps): JSX.Element {
  const { frames, pictureText } = sources;
  return (
    <>
      <Switch
        label="Text in frames, such as slides"
        isOn={pictureText}
        onChange={(isOn) => onChange({ ...sources, pictureText: isOn })}
      />
      {pictureText && (
        <small>
          {frames ? "" : "Only frames that you capture are read. "}
          It is read on this machine, in Latin letters, best in English: up to a second and 150 MB of memory
          for a frame. The text stays when the picture is removed.
        </small>
      )}
    </>
  );
}

export function TabSoundField({ sources, onChange }: FieldProps): JSX.Element {
  const { tabSound } = sources;
  return (
    <label>
      Sound of the tab
      <select
        value={tabSound}
        onChange={({ currentTarget }) =>
          onChange({ ...sources, tabSound: TAB_SOUNDS.find((one) => one === currentTarget.value) ?? "off" })
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

interface MicrophoneProps extends FieldProps {
  /** The browser recognises speech on this machine. */
  readonly isLocal: boolean;
}

export function MicrophoneField({ sources, isLocal, onChange }: MicrophoneProps): JSX.Element {
  const { microphone, lang, voiceMayLeave } = sources;
  return (
    <>
      <label>
        Microphone
        <select
          value={microphone}
          onChange={({ currentTarget }) =>
            onChange({ ...sources, microphone: microphoneOf(currentTarget.value) })
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
            It listens only while the video plays in the tab in front and this panel is open; the button shows
            MIC then.
          </small>
        )}
      </label>
      {microphone === "recognise" && !isLocal && (
        <label class="switch leaves">
          <input
            type="checkbox"
            required
            checked={voiceMayLeave}
            onChange={({ currentTarget }) => onChange({ ...sources, voiceMayLeave: currentTarget.checked })}
          />
          <span>
            My voice may leave this machine: this browser does not recognise {lang === "" ? "speech" : lang}{" "}
            here, and sends it to a service of its maker (Chrome: Google).
          </span>
        </label>
      )}
    </>
  );
}

function microphoneOf(value: string): Sources["microphone"] {
  return value === "record" || value === "recognise" ? value : "off";
}
