/** Changes of all kinds to the files of a home, including changes that no time stamp shows. */

import {
  appendFileSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Places } from "@continuo/agents";
import { indexPathOf } from "@continuo/native/index-file";
import fc from "fast-check";

/** All files of agents, in order. */
export function filesOf(scratch: string): string[] {
  return readdirSync(scratch, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.startsWith(join(scratch, "continuo")))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function editOpencode(scratch: string, sql: string): void {
  const path = filesOf(scratch).find((file) => file.endsWith("opencode.db"));
  if (path === undefined) return;
  try {
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
  } catch {
    // An earlier step damaged this file.
  }
}

/** The first letter of a text that can become the title of a row. */
const TITLE = /("(?:text|content|message|title|thread_name|customTitle|display)":\s?")([A-Za-z])/gu;

const SET_BACK = "replace in place, same size, time stamps set back";

/** Copies a session into the same folder, under a name with another id. */
export function copyBeside(path: string): void {
  copyFileSync(path, join(dirname(path), basename(path).replace(/[0-9a-f]{4}(?=\.)/u, "0bad")));
}

const SAME_FOLDER = "begin or end a session, time stamps of the folder set back";

interface EditedHome {
  readonly scratch: string;
  readonly places: Places;
}

type Edit = (path: string, text: string, home: EditedHome) => void;

const EDITS: Readonly<Record<string, Edit>> = {
  append: (path, text) => appendFileSync(path, `{"type":"${text}"}\n`),
  "append a title": (path, text) =>
    appendFileSync(path, `{"type":"custom-title","customTitle":"${text}","name":"${text}","id":"x"}\n`),
  truncate: (path, text) => {
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.subarray(0, bytes.length >> (text.length % 4)));
  },
  "spoil bytes": (path, text) => {
    const bytes = readFileSync(path);
    for (let at = text.length; at < bytes.length; at += 997) bytes[at] = 0x7b;
    writeFileSync(path, bytes);
  },
  [SET_BACK]: (path) => {
    if (!path.endsWith("l")) return;
    const { atime, mtime } = statSync(path);
    const changed = (_: string, key: string, letter: string): string => `${key}${letter === "Z" ? "Y" : "Z"}`;
    writeFileSync(path, readFileSync(path, "latin1").replace(TITLE, changed), "latin1");
    utimesSync(path, atime, mtime);
  },
  "set the time": (path, text) => utimesSync(path, 1_000_000 + text.length, 1_000_000 + text.length),
  rename: (path, text) => renameSync(path, join(dirname(path), `${text.length}-${path.split("/").at(-1)}`)),
  delete: (path) => rmSync(path),
  "replace by another session": (path, text, { scratch }) => {
    const files = filesOf(scratch);
    writeFileSync(path, readFileSync(files[text.length % files.length] ?? path));
  },
  "rename a session of opencode": (_path, text, { scratch }) =>
    editOpencode(scratch, `update session set title = '${text}'`),
  "delete messages of opencode": (_path, _text, { scratch }) => editOpencode(scratch, "delete from part"),
  "delete the index": (_path, _text, { places }) => rmSync(indexPathOf(places), { force: true }),
};

/** Edits that show only in the folder or the inode of a file, or in neither of them. */
const FOLDER_EDITS: Readonly<Record<string, Edit>> = {
  "set the time to next week": (path) => {
    const nextWeek = new Date(Date.now() + 7 * 86_400_000);
    utimesSync(path, nextWeek, nextWeek);
  },
  "move to the folder of another session": (path, text, { scratch }) => {
    const files = filesOf(scratch);
    renameSync(path, join(dirname(files[text.length % files.length] ?? path), basename(path)));
  },
  "replace by a file of another inode, time stamps set back": (path) => {
    const { atime, mtime } = statSync(path);
    copyFileSync(path, `${path}.new`);
    appendFileSync(`${path}.new`, '{"type":"custom-title","customTitle":"New","name":"New","id":"x"}\n');
    utimesSync(`${path}.new`, atime, mtime);
    renameSync(`${path}.new`, path);
  },
  [SAME_FOLDER]: (path, text) => {
    const folder = dirname(path);
    const { atime, mtime } = statSync(folder);
    if (text.length % 3 === 0) rmSync(path);
    else copyBeside(path);
    utimesSync(folder, atime, mtime);
  },
};

export interface FileEdit {
  readonly what: string;
  readonly file: number;
  readonly text: string;
}

const SET_BACKS = Array.from({ length: 6 }, () => SET_BACK);

export const fileEdit: fc.Arbitrary<FileEdit> = editOf(...Object.keys(EDITS), ...SET_BACKS);

export const fileOrFolderEdit: fc.Arbitrary<FileEdit> = editOf(
  ...Object.keys(EDITS),
  ...SET_BACKS,
  ...Object.keys(FOLDER_EDITS),
  ...Array.from({ length: 3 }, () => SAME_FOLDER),
);

function editOf(...names: readonly string[]): fc.Arbitrary<FileEdit> {
  return fc.record({
    what: fc.constantFrom(...names),
    file: fc.nat(),
    text: fc.stringMatching(/^[a-z]{0,12}$/u),
  });
}

/** Gives all files a time that can be set back exactly. */
export function setTimes(scratch: string): void {
  for (const path of filesOf(scratch)) utimesSync(path, 1_700_000_000, 1_700_000_000);
}

export function editFile({ what, file, text }: FileEdit, home: EditedHome): void {
  const files = filesOf(home.scratch);
  const edit = EDITS[what] ?? FOLDER_EDITS[what];
  edit?.(files[file % files.length] ?? "", text, home);
}
