/** The fields of Settings for single sources, each with its cost and the data that leaves the machine. */

import type { JSX } from "preact";
import { MICROPHONES, type Server, type Sources, TAB_TRANSCRIBERS } from "../messages/messages.ts";
import { canRecognise } from "../sources/recognition.ts";
import {
  LanguageState,
  type LocalSpeechView,
  useLocalSpeech,
  useTextReader,
  useWhisper,
} from "./local-speech.tsx";

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
  const isThere = useTextReader();
  if (isThere === false) {
    return (
      <small>
        Text in frames cannot be read: this build has no reader. Continuo as one file has it, and the
        extension that is built from the repository.
      </small>
    );
  }
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

interface SoundProps extends FieldProps {
  /** Recordings are sent to this server, and Whisper may come from it. */
  readonly server: Server;
}

export function TabSoundField({ sources, server, onChange }: SoundProps): JSX.Element {
  const { tabSound, tabTranscriber, filmLang } = sources;
  const speech = useLocalSpeech(filmLang);
  const isThere = useWhisper(server);
  return (
    <>
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
          <small>It is heard only while the video plays, and you hear it as before.</small>
        )}
      </label>
      {tabSound !== "off" && (
        <label>
          Who transcribes it
          <select
            value={tabTranscriber}
            onChange={({ currentTarget }) =>
              onChange({
                ...sources,
                tabTranscriber: TAB_TRANSCRIBERS.find((one) => one === currentTarget.value) ?? "server",
              })
            }
          >
            <option value="server">Your server</option>
            {canRecognise() && <option value="browser">The browser, on this machine</option>}
            {isThere && <option value="whisper">Whisper, on this machine</option>}
          </select>
          {tabTranscriber === "server" && <small>{leavesFor(server.serverUrl)}</small>}
        </label>
      )}
      {tabSound !== "off" && tabTranscriber !== "server" && (
        <>
          <label>
            Language of the videos
            <input
              placeholder="en-GB"
              pattern="[a-zA-Z0-9\-]{0,35}"
              value={filmLang}
              onInput={({ currentTarget }) => onChange({ ...sources, filmLang: currentTarget.value })}
            />
          </label>
          {tabTranscriber === "browser" && <LanguageState speech={speech} lang={filmLang} />}
          {tabTranscriber === "whisper" && <small>{WHISPER_STAYS}</small>}
        </>
      )}
    </>
  );
}

const WHISPER_STAYS = "Recordings stay on this machine, and are gone when Whisper has made words of them.";

/** Says to which programs a recording is sent; shown before anything is recorded. */
function leavesFor(serverUrl: string): string {
  return `Each recording leaves the browser for ${serverUrl}, and from there for the transcriber of its configuration.`;
}

const TAB_SOUNDS: readonly Sources["tabSound"][] = ["without-captions", "always"];

interface MicrophoneProps extends SoundProps {
  readonly speech: LocalSpeechView;
}

export function MicrophoneField({ sources, server, speech, onChange }: MicrophoneProps): JSX.Element {
  const { microphone, lang, voiceMayLeave } = sources;
  const isLocal = speech.state === "available";
  const isThere = useWhisper(server);
  return (
    <>
      <label>
        Microphone
        <select
          value={microphone}
          onChange={({ currentTarget }) =>
            onChange({
              ...sources,
              microphone: MICROPHONES.find((one) => one === currentTarget.value) ?? "off",
            })
          }
        >
          <option value="off">Off</option>
          <option value="record">Recorded, for your server</option>
          {canRecognise() && (
            <option value="recognise">
              {isLocal
                ? "Recognised by the browser, on this machine"
                : "Recognised by the browser's maker, over the internet"}
            </option>
          )}
          {isThere && <option value="whisper">Whisper, on this machine</option>}
        </select>
        {microphone !== "off" && (
          <small>
            {microphone === "whisper" && `${WHISPER_STAYS} `}
            {microphone === "record" && `${leavesFor(server.serverUrl)} `}
            It listens only while the video plays in the tab in front and this panel is open; the button shows
            MIC then.
          </small>
        )}
      </label>
      {microphone === "recognise" && <LanguageState speech={speech} lang={lang} />}
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
