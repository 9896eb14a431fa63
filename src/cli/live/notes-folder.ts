/**
 * A folder of Markdown files as the target of notes. Each video has one file. Continuo finds it by a mark in its text,
 * even if the person moved it.
 */

import { type Dirent, statSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import { createSharedFile, readSharedFile, replaceSharedFile } from "@continuo/files";
import { plural } from "../terminal/index.ts";
import { fileNameOf, headOf, type NoteTarget, sectionOf, titleOf, type VideoNotes } from "./note-pages.ts";
import { markIn, videoMark, withSections } from "./sections.ts";

/** Limits of the examined files and folders, the size of a file, the tried names, and the tries of one write. */
const LIMITS = { entries: 50_000, fileBytes: 16_777_216, names: 1_000, tries: 5 } as const;

export class NotesFolder implements NoteTarget {
  readonly #path: string;
  readonly #files = new Map<string, string>();
  /** The identity of the folder in which the files were found: its path may now lead to another folder. */
  #searched: string | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  place(): string {
    const folder = identityOf(this.#path);
    if (folder !== null) return folder;
    this.#searched = null;
    throw new ContinuoError("not_found", `cannot write to the folder ${this.#path}: it does not exist`, {
      hint: "Create the folder again, or connect its disk.",
    });
  }

  async take(video: VideoNotes): Promise<string | null> {
    const sections = video.sessions.map(sectionOf);
    const mark = videoMark(video.videoId);
    const noteCount = sections.reduce((sum, one) => sum + one.noteCount, 0);
    await this.#find(mark);
    for (let tried = 0; tried < LIMITS.tries; tried++) {
      const path = this.#files.get(mark);
      const was = path === undefined ? null : readSharedFile(path);
      if (path === undefined || was === null) {
        if (noteCount === 0) return null;
        const created = this.#create(video, mark);
        return this.#lineOf(created, noteCount);
      }
      const changed = withSections(was.toString("latin1"), mark, sections);
      if (changed === "broken") throw broken(path);
      const bytes = Buffer.from(changed.file, "latin1");
      if (bytes.equals(was)) return null;
      if (replaceSharedFile(path, { was, bytes }) === "replaced") return this.#lineOf(path, noteCount);
    }
    throw new ContinuoError("busy", `cannot write ${this.#path}: another program keeps changing a file`);
  }

  #lineOf(path: string, noteCount: number): string {
    return `${relative(this.#path, path)}: ${plural(noteCount, "note")}`;
  }

  #create(video: VideoNotes, mark: string): string {
    const made = withSections("", mark, video.sessions.map(sectionOf));
    if (made === "broken") throw new Error("a new file has no broken section");
    const bytes = Buffer.concat([Buffer.from(headOf(video)), Buffer.from(made.file, "latin1")]);
    const name = fileNameOf(titleOf(video));
    for (let number = 1; number <= LIMITS.names; number++) {
      const path = join(this.#path, `${name}${number === 1 ? "" : ` ${number}`}.md`);
      if (!createSharedFile(path, bytes)) continue;
      this.#files.set(mark, path);
      return path;
    }
    throw new ContinuoError("conflict", `cannot create a file in ${this.#path}: too many are named ${name}`, {
      hint: "Rename some of these files.",
    });
  }

  /** Searches for the file of the video again if it is not where it was. Errors: as `place`. */
  async #find(mark: string): Promise<void> {
    const folder = this.place();
    const path = this.#files.get(mark);
    const isThere = path !== undefined && statSync(path, { throwIfNoEntry: false }) !== undefined;
    if (folder === this.#searched && (path === undefined || isThere)) return;
    this.#files.clear();
    for await (const file of markdownFiles(this.#path)) {
      const found = markIn((await readFile(file)).toString("latin1"));
      if (found !== null && !this.#files.has(found)) this.#files.set(found, file);
    }
    this.#searched = folder;
  }
}

function identityOf(path: string): string | null {
  const folder = statSync(path, { throwIfNoEntry: false });
  return folder?.isDirectory() === true ? `${folder.dev}:${folder.ino}` : null;
}

/** The files below a folder in the order of their names, without hidden folders. */
async function* markdownFiles(root: string): AsyncGenerator<string, void, void> {
  const folders = [root];
  for (let seen = 0; folders.length > 0; ) {
    const folder = folders.shift() ?? root;
    // A folder that no longer exists, or that nobody may read, has no file that Continuo can write.
    const entries: Dirent[] = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (++seen > LIMITS.entries) return;
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !entry.name.startsWith(".")) folders.push(path);
      if (!entry.name.endsWith(".md") || entry.isDirectory()) continue;
      const found = await stat(path).catch(() => null);
      if (found?.isFile() === true && found.size <= LIMITS.fileBytes) yield path;
    }
  }
}

function broken(path: string): ContinuoError {
  return new ContinuoError("conflict", `cannot update ${path}: the line that ends its notes is missing`, {
    hint: "Put the line <!-- continuo:end --> after the notes, or remove them with the line above them.",
    details: { path },
  });
}
