/** Sharing: one file that contains the session, masked, and the receipt of the masked secrets. */

import { visibleLine } from "@continuo/core/transcript";
import { exportPath, SAVED_ELEMENT } from "@continuo/core/wire/machine";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { bytes } from "../content/words.ts";
import { fetchFile, saveFile } from "../state/files.ts";
import type { SessionState } from "./session-state.ts";

type Run = (work: () => Promise<VNode | null>) => Promise<void>;

/** The file is created and saved at once: it stays with the person, who reads the receipt before sending the file. */
export function ShareForm({ state, run }: { state: SessionState; run: Run }): VNode {
  useEffect(() => {
    void run(async () => {
      const { blob, name } = await fetchFile(exportPath(state.key, { format: "html", secrets: "masked" }));
      const notes = notesIn(await blob.text());
      saveFile(blob, name);
      return <Shared file={new File([blob], name, { type: "text/html" })} notes={notes} />;
    });
  }, []);
  return (
    <p class="dim" role="status">
      Making the file…
    </p>
  );
}

/** The sentences of the file about itself; the first one is about masked secrets. */
export function notesIn(page: string): readonly string[] {
  const [, ...parts] = page.split(`id="${SAVED_ELEMENT}">`);
  const [, list] =
    /^\{"savedAt":"[^"]*","notes":(\[(?:"(?:[^"\\]|\\.)*",?)*\])/u.exec(parts.at(-1) ?? "") ?? [];
  if (list === undefined) throw new Error("the file does not say what was masked");
  return JSON.parse(list) as readonly string[];
}

function Shared({ file, notes }: { file: File; notes: readonly string[] }): VNode {
  const isSent = useSignal(false);
  const data = { files: [file], title: file.name };
  const send = (): void => {
    navigator.share(data).then(
      () => {
        isSent.value = true;
      },
      // The person cancelled the sharing.
      () => undefined,
    );
  };
  const [masked, ...others] = notes;
  return (
    <div class="receipt">
      <p>
        Saved <bdi>{visibleLine(file.name)}</bdi> ({bytes(file.size)}): the session in one file, which needs
        no server.
      </p>
      <p class="masked" role="status">
        {visibleLine(masked ?? "")}
      </p>
      {others.map((note) => (
        <p key={note} class="dim">
          {visibleLine(note)}
        </p>
      ))}
      <p class="dim">
        Names, paths and everything else that was said are inside. Read it before you send it.
      </p>
      {canSend(data) ? (
        <p>
          <button type="button" class="primary" onClick={send}>
            Send…
          </button>{" "}
          {isSent.value ? <span class="dim">Sent.</span> : null}
        </p>
      ) : null}
    </div>
  );
}

function canSend(data: ShareData): boolean {
  return "canShare" in navigator && navigator.canShare(data);
}
