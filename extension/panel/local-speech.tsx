/**
 * Two abilities that depend on the browser and on the build of the extension: recognising speech, and reading text in
 * frames.
 */

import type { JSX } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import type { Server } from "../messages/messages.ts";
import { installSpeech, type LocalSpeech, localSpeech } from "../sources/recognition.ts";
import { TEXT_DATA } from "../sources/tesseract.ts";
import { whisperPlace } from "../sources/whisper.ts";
import { hasFile } from "../sources/worker-reader.ts";

export interface LocalSpeechView {
  /** `null` until the browser has answered. */
  readonly state: LocalSpeech | "failed" | null;
  readonly install: () => void;
}

export function useLocalSpeech(lang: string): LocalSpeechView {
  const [state, setState] = useState<LocalSpeechView["state"]>(null);
  useEffect(() => {
    let isOver = false;
    setState(null);
    void localSpeech(lang).then((answer) => !isOver && setState(answer));
    return () => {
      isOver = true;
    };
  }, [lang]);
  const install = (): void => {
    setState("downloading");
    void installSpeech(lang).then((isThere) => setState(isThere ? "available" : "failed"));
  };
  return { state, install };
}

/** True if the extension or the server has the files of Whisper; false until that is known. */
export function useWhisper({ serverUrl, token }: Server): boolean {
  const ask = useCallback(
    async () => (await whisperPlace({ serverUrl, token })) !== null,
    [serverUrl, token],
  );
  return useAnswer(ask) ?? false;
}

/** True if the extension has the reader of text in frames; `null` until that is known. */
export function useTextReader(): boolean | null {
  return useAnswer(hasTextReader);
}

function useAnswer(ask: () => Promise<boolean>): boolean | null {
  const [answer, setAnswer] = useState<boolean | null>(null);
  useEffect(() => void ask().then(setAnswer), [ask]);
  return answer;
}

function hasTextReader(): Promise<boolean> {
  return hasFile(TEXT_DATA);
}

/** Says whether the browser recognises a language, and offers the button that downloads the language. */
export function LanguageState({
  speech: { state, install },
  lang,
}: {
  readonly speech: LocalSpeechView;
  readonly lang: string;
}): JSX.Element | null {
  const name = lang === "" ? "the language of this browser" : lang;
  if (state === "downloadable") {
    return (
      <div>
        <small>
          The browser can download {name} from the browser's maker. After that, speech stays on this machine.
        </small>
        <button type="button" onClick={install}>
          Get the language
        </button>
      </div>
    );
  }
  const text = {
    available: `The browser recognises ${name} on this machine: nothing leaves it.`,
    downloading: `The browser gets ${name}…`,
    failed: `The browser could not get ${name}.`,
    unavailable: `This browser does not recognise ${name} on this machine.`,
  };
  return state === null ? null : <small role="status">{text[state]}</small>;
}
