/**
 * The disk after a power cut: all changes that were synced before, and a legal choice among the others.
 *
 * `posix`: only synced changes are guaranteed. Any subset of the later changes may be on disk: any subset of the
 * sectors of a write, and any subset of the entries of a folder, each in the order of the calls. A move from one folder
 * to another is two changes.
 *
 * `ordered`: a journal of metadata, as in ext4. Entries of all folders survive as a prefix, and a sync of a file makes
 * all earlier entries durable. A file grows in order, whole pages first. Writes over old content may be on disk or not,
 * sector by sector.
 */

import type { Random } from "../store/harness/random.ts";
import type { Change, EntryChange, Operations, Sync } from "./operations.ts";

export type Mode = "posix" | "ordered";

/** The size of a sector, which the disk always writes as a whole. */
export type Sector = 512 | 4096;

export interface PowerCut {
  /** The line of the trace before which the power went. */
  readonly line: number;
  readonly mode: Mode;
  readonly sector: Sector;
}

export interface Folder {
  readonly entries: ReadonlyMap<string, Folder | Buffer>;
}

type Data = Exclude<Change, EntryChange>;
type DiskEntry = Extract<Change, { type: "entry" }>;

const PAGE = 4096;

/** The probabilities that a change that was not synced is on the disk. */
const LIKELIHOODS = [0, 0.1, 0.5, 0.9, 1] as const;

export function imageAfter({ changes, syncs }: Operations, cut: PowerCut, random: Random): Folder {
  const issued = changes.filter(({ begin }) => begin < cut.line);
  const done = syncs.filter(({ end }) => end < cut.line);
  const moves = issued.filter((change) => change.type === "entry");
  const entries = cut.mode === "posix" ? moves.flatMap(withoutMoves) : moves;
  const data = issued.filter((change) => change.type !== "entry");
  const likelihood = random.pick(LIKELIHOODS);
  return treeOf(
    cut.mode === "posix"
      ? anyOf(entries, done, () => random.chance(likelihood))
      : prefixOf(entries, done, data, random),
    contentsOf(data, done, { ...cut, likelihood, random }),
  );
}

function withoutMoves({ from, ...entry }: DiskEntry): readonly DiskEntry[] {
  if (from === undefined) return [entry];
  if (from.inode === entry.inode) return [{ ...entry, from }];
  return [entry, { ...entry, ...from, target: undefined }];
}

function isSynced(change: Change, syncs: readonly Sync[]): boolean {
  return syncs.some((sync) => sync.inode === change.inode && sync.begin > change.end);
}

function anyOf(
  entries: readonly DiskEntry[],
  syncs: readonly Sync[],
  isThere: () => boolean,
): readonly DiskEntry[] {
  return entries.filter((entry) => isSynced(entry, syncs) || isThere());
}

/**
 * Returns the changes that survive as a prefix: each sync of a file whose size or time has changed writes the journal.
 */
function prefixOf(
  entries: readonly DiskEntry[],
  syncs: readonly Sync[],
  data: readonly Data[],
  random: Random,
): readonly DiskEntry[] {
  const commits = syncs.filter(
    (sync) =>
      entries.some(
        (entry) =>
          entry.end < sync.begin && [entry.inode, entry.target, entry.from?.inode].includes(sync.inode),
      ) ||
      (sync.call === "fsync" &&
        data.some((change) => change.inode === sync.inode && change.end < sync.begin)),
  );
  const last = Math.max(-1, ...commits.map(({ begin }) => begin));
  const safe = entries.filter(({ end }) => end < last).length;
  return entries.slice(0, safe + random.below(entries.length - safe + 1));
}

interface Choice extends PowerCut {
  readonly likelihood: number;
  readonly random: Random;
}

function contentsOf(
  data: readonly Data[],
  syncs: readonly Sync[],
  choice: Choice,
): ReadonlyMap<number, Buffer> {
  const contents = new Map<number, Buffer>();
  for (const [inode, changes] of Map.groupBy(data, (change) => change.inode)) {
    const content = choice.mode === "posix" ? anyContent : orderedContent;
    contents.set(inode, content(changes, syncs, choice));
  }
  return contents;
}

function anyContent(changes: readonly Data[], syncs: readonly Sync[], choice: Choice): Buffer {
  const { likelihood, random, sector } = choice;
  const file = new GrowingFile();
  for (const change of changes) {
    if (isSynced(change, syncs)) file.apply(change);
    else if (change.type === "truncate") random.chance(likelihood) && file.apply(change);
    else {
      for (const part of sectorsOf(change, sector)) if (random.chance(likelihood)) file.write(part);
      // The new size may be on disk without the data.
      if (random.chance(0.1)) file.grow(change.offset + change.bytes.length);
    }
  }
  return file.content();
}

function orderedContent(changes: readonly Data[], syncs: readonly Sync[], choice: Choice): Buffer {
  const { likelihood, random, sector } = choice;
  const file = new GrowingFile();
  let grows = true;
  for (const change of changes) {
    if (isSynced(change, syncs)) file.apply(change);
    else if (change.type === "truncate") {
      grows &&= random.chance(likelihood);
      if (grows) file.apply(change);
    } else {
      const size = file.size;
      for (const part of sectorsOf(change, sector)) {
        if (part.offset < size) random.chance(likelihood) && file.write(clipped(part, size));
      }
      for (const part of sectorsOf(change, PAGE)) {
        if (part.offset + part.bytes.length <= size) continue;
        grows &&= random.chance(Math.max(likelihood, 0.5));
        if (grows) file.write(part);
      }
    }
  }
  return file.content();
}

interface FilePiece {
  readonly offset: number;
  readonly bytes: Buffer;
}

function* sectorsOf({ offset, bytes }: FilePiece, size: number): Generator<FilePiece> {
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + size - ((offset + at) % size));
    yield { offset: offset + at, bytes: bytes.subarray(at, end) };
    at = end;
  }
}

function clipped({ offset, bytes }: FilePiece, size: number): FilePiece {
  return { offset, bytes: bytes.subarray(0, size - offset) };
}

class GrowingFile {
  #bytes = Buffer.alloc(PAGE);
  size = 0;

  apply(change: Data): void {
    if (change.type === "write") this.write(change);
    else {
      this.grow(change.size);
      this.#bytes.fill(0, change.size);
      this.size = change.size;
    }
  }

  write({ offset, bytes }: FilePiece): void {
    this.grow(offset + bytes.length);
    bytes.copy(this.#bytes, offset);
  }

  grow(size: number): void {
    this.size = Math.max(this.size, size);
    if (size <= this.#bytes.length) return;
    const larger = Buffer.alloc(Math.max(size, this.#bytes.length * 2));
    this.#bytes.copy(larger);
    this.#bytes = larger;
  }

  content(): Buffer {
    return this.#bytes.subarray(0, this.size);
  }
}

/** Returns the tree that can be reached from the folder of the trace. */
function treeOf(entries: readonly DiskEntry[], contents: ReadonlyMap<number, Buffer>): Folder {
  const folders = new Map<number, Map<string, DiskEntry>>();
  for (const entry of entries) {
    const names = folders.get(entry.inode) ?? new Map<string, DiskEntry>();
    folders.set(entry.inode, names);
    if (entry.from !== undefined) folders.get(entry.from.inode)?.delete(entry.from.name);
    if (entry.target === undefined) names.delete(entry.name);
    else names.set(entry.name, entry);
  }
  const folderOf = (inode: number): Folder => {
    const found = [...(folders.get(inode) ?? [])].map(([name, { kind, target = 0 }]) => {
      return [
        name,
        kind === "folder" ? folderOf(target) : (contents.get(target) ?? Buffer.alloc(0)),
      ] as const;
    });
    return { entries: new Map(found) };
  };
  return folderOf(0);
}
