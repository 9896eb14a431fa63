/** The pictures of notes as files of an archive. Pure. */

import type { Note } from "@continuo/core/wire";
import type { ZipFile } from "./zip.ts";

export interface PictureFile extends ZipFile {
  readonly noteId: string;
}

/** The file ending of each type that browsers capture and show. */
const ENDINGS: Readonly<Record<string, string>> = {
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/webp": "webp",
  "image/avif": "avif",
};

/** `pictures` has `data:` URLs by the ids of notes. Notes with the same picture share a file. */
export function pictureFilesOf(
  notes: readonly Note[],
  pictures: ReadonlyMap<string, string>,
): readonly PictureFile[] {
  const names = new Set<string>();
  const known = new Map<string, string>();
  return notes.flatMap(({ noteId, startMs }) => {
    const url = pictures.get(noteId) ?? "";
    const [, type = "", base64 = ""] = /^data:([^;,]+);base64,(.*)$/su.exec(url) ?? [];
    const ending = ENDINGS[type];
    if (ending === undefined) return [];
    const name = known.get(url) ?? freeName(fileTimeOf(startMs), ending, names);
    names.add(name);
    known.set(url, name);
    return [{ noteId, name, bytes: Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)) }];
  });
}

function freeName(time: string, ending: string, names: ReadonlySet<string>): string {
  const taken = [...names].filter(
    (name) => name.startsWith(`frames/${time}.`) || name.startsWith(`frames/${time}-`),
  );
  return `frames/${time}${taken.length === 0 ? "" : `-${taken.length + 1}`}.${ending}`;
}

/** `0-01-05`: files that are sorted by name are in the order of the video. */
function fileTimeOf(ms: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, "0");
  return `${Math.floor(ms / 3_600_000)}-${two((ms / 60_000) % 60)}-${two((ms / 1000) % 60)}`;
}
