/** Defects in native edits: missing or late syncs, notes, verification, the trash, short writes and full disks. */

import type { Defect } from "../programs.ts";

const DURABLE = "files/durable.ts";
const APPEND = "files/append.ts";
const TRASH = "editing/trash/trash.ts";

export const EDIT_DEFECTS: readonly Defect[] = [
  {
    name: "the folder above a new folder is not synced",
    file: DURABLE,
    find: "  makeFolders(path, syncPath);",
    replace: "  makeFolders(path, () => undefined);",
  },
  {
    name: "the folder is not synced after a rename",
    file: DURABLE,
    find: "  renameSync(from, to);\n  syncPath(dirname(to));",
    replace: "  renameSync(from, to);",
  },
  {
    name: "appended lines are not synced",
    file: APPEND,
    find: "while (done < bytes.length) done += writeSync(fd, bytes, done);\n    fsyncSync(fd);",
    replace: "while (done < bytes.length) done += writeSync(fd, bytes, done);",
  },
  {
    name: "a short append counts as a whole one",
    file: APPEND,
    find: "while (done < bytes.length) done += writeSync(fd, bytes, done);",
    replace: "done += writeSync(fd, bytes, done);",
  },
  {
    name: "what a full disk took of an append stays",
    file: APPEND,
    find: "takeBack(fd, bytes.subarray(0, done));\n    throw error;",
    replace: "throw error;",
  },
  {
    name: "a new file is not synced before it has its name",
    file: "native/writing/lines.ts",
    find: "    fsyncSync(fd);\n    assertWritten",
    replace: "    assertWritten",
  },
  {
    name: "a new file is written in its place",
    file: "native/writing/lines.ts",
    find: "const fresh = unfinishedPath(path, process.pid);",
    replace: "const fresh = path;",
  },
  {
    name: "a note is not synced",
    file: "files/write-durably.ts",
    find: "    fsyncSync(fd);\n",
    replace: "",
  },
  {
    name: "an append has no note",
    file: "editing/placing/append.ts",
    find: 'await underNote(places, { how: "append", path, size: sizeOf(path), text: toLines(records) }, append);',
    replace: "append(); void underNote; void places; void sizeOf; void toLines;",
  },
  {
    name: "a torn append is not taken back",
    file: "editing/placing/settle-files.ts",
    find: "    ftruncateSync(fd, size);\n    fsyncSync(fd);\n  } finally {\n    closeSync(fd);\n  }\n}\n\nconst LINE_FEED",
    replace: "  } finally {\n    closeSync(fd);\n  }\n}\n\nconst LINE_FEED",
  },
  {
    name: "a whole append of a killed process is taken back by one byte",
    file: "editing/placing/settle-files.ts",
    find: "if (there.equals(whole) || !isPartOf(there, whole)) return;\n    ftruncateSync(fd, size);",
    replace: "if (!isPartOf(there, whole)) return;\n    ftruncateSync(fd, size - 1);",
  },
  {
    name: "the unfinished file of a killed process stays",
    file: "editing/placing/settle-files.ts",
    find: "removeLeft(unfinishedPath(path, pid));\n  }\n  if (!isThere) return;",
    replace: "}\n  if (!isThere) return;",
  },
  {
    name: "a note is never taken away",
    file: "editing/locking/settle.ts",
    find: "  left.remove();\n}",
    replace: "}",
  },
  {
    name: "a process of an earlier start of the machine counts as alive",
    file: "editing/placing/notes.ts",
    find: "if (isSameHost && !isSameBoot) return true;",
    replace: "if (isSameHost && !isSameBoot) return false;",
  },
  {
    name: "notes of processes that are alive are settled too",
    file: "editing/placing/notes.ts",
    find: "} else if (isWriterGone(pid, read))",
    replace: "} else if (isWriterGone(pid, read) || true)",
  },
  {
    name: "a deletion removes the old name before the new one is there",
    file: "files/move.ts",
    find: "    linkOrCopy(from, fresh);\n    renameDurably(fresh, to);",
    replace:
      "    linkOrCopy(from, fresh);\n    rmSync(from);\n    syncPath(dirname(from));\n    renameDurably(fresh, to);\n    linkOrCopy(to, from);",
  },
  {
    name: "the folder that a deleted file left is not synced",
    file: "editing/trash/files.ts",
    find: "for (const place of new Set(kept.map(({ from }) => dirname(from)))) syncPath(place);",
    replace: "void syncPath;",
  },
  {
    name: "the manifest comes after what it lists",
    file: TRASH,
    find: "      writeManifest(folder, manifest);\n      await take(manifest, replacement, folder);",
    replace: "      await take(manifest, replacement, folder);\n      writeManifest(folder, manifest);",
  },
  {
    name: "a full disk ends an edit with a raw error",
    file: "editing/placing/notes.ts",
    find: 'throw isWriteFailure(error) ? writeFailure("cannot make the requested change", error) : error;',
    replace: "void writeFailure; throw error;",
  },
  {
    name: "a refused deletion leaves its folder in the trash",
    file: TRASH,
    find: "      if (areInPlace(files, manifest.replacement) && !keepsRows(plan, folder))\n        removeDurably(folder, { recursive: true });\n",
    replace: "",
  },
  {
    name: "an interrupted deletion is left where it was",
    file: "editing/locking/settle.ts",
    find: "await settleTrash(note, pid, places);",
    replace: "void settleTrash;",
  },
  {
    name: "an interrupted deletion loses what had moved",
    file: "editing/trash/files.ts",
    find: "      makeFolderDurably(dirname(file.from));\n      moveDurably(aside, file.from);\n    }\n  }\n  return settled;",
    replace: "    }\n  }\n  return settled;",
  },
  {
    name: "an interrupted restoration is left where it was",
    file: "editing/locking/settle.ts",
    find: "await settleRestore(note, pid, places);",
    replace: "void settleRestore;",
  },
  {
    name: "what is restored stays in the trash too",
    file: TRASH,
    find: "    await putBack(manifest, { places, now, kept });\n    removeFolder(places, trashId);",
    replace: "    await putBack(manifest, { places, now, kept });",
  },
  {
    name: "the trash is emptied without a note",
    file: TRASH,
    find: 'const end = beginNote(places, { how: "empty", trashId });',
    replace: "const end = (): void => void beginNote;",
  },
  {
    name: "a repair is written over the old file",
    file: TRASH,
    find: "replaceFile(file, fresh, folder);",
    replace: "renameDurably(fresh, file.from);",
  },
  {
    name: "a fork has one record less",
    file: "editing/placing/place.ts",
    find: "own.create(records);",
    replace: "own.create([...records].slice(0, -1));",
  },
];
