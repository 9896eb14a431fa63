/**
 * A disk in memory, behind the functions of `node:fs` that edits use. It records every change and every sync in order,
 * so that a power cut leaves a state that a real disk may have (`test/power-cut/disk.ts`). It can fill up, write short,
 * and stop at the operation at which its process is killed.
 */

import { hash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { type Folder, imageAfter, type PowerCut } from "../power-cut/disk.ts";
import type { Change, FileTree, Sync } from "../power-cut/operations.ts";
import type { Random } from "../store/harness/random.ts";
import type { SimulatedProcess } from "./world.ts";

export interface FileNode {
  readonly kind: "file";
  readonly inode: number;
  bytes: Buffer;
  mtimeMs: number;
}

export interface FolderNode {
  readonly kind: "folder";
  readonly inode: number;
  readonly entries: Map<string, DiskNode>;
  mtimeMs: number;
}

export type DiskNode = FileNode | FolderNode;

const digests = new WeakMap<Buffer, string>();

/** The calling process was killed at this operation; nothing that it does later has an effect. */
class Killed extends Error {}

export class Disk {
  readonly root: FolderNode;
  readonly #random: Random;
  readonly #changes: Change[] = [];
  readonly #syncs: Sync[] = [];
  /** Locks of SQLite, which end with their process. */
  readonly locks: Map<string, SimulatedProcess> = new Map();
  /** The number of operations that changed something. */
  operations = 0;
  /** The operation at which the process is killed. */
  killAt: number = Number.POSITIVE_INFINITY;
  freeBytes: number = Number.POSITIVE_INFINITY;
  /** The probability that a write writes only a part of its bytes. */
  short = 0;
  readonly #clock: () => number;
  #inodes = 0;

  constructor(random: Random, clock: () => number) {
    this.#random = random;
    this.#clock = clock;
    this.root = { kind: "folder", inode: 0, entries: new Map(), mtimeMs: clock() };
  }

  /** Puts a tree on the disk, and syncs it. */
  fill(path: string, tree: FileTree | Folder["entries"]): void {
    const folder = this.makeFolders(path);
    for (const [name, content] of tree) {
      if (Buffer.isBuffer(content)) this.write(this.create(folder, name, "file") as FileNode, 0, content);
      else this.fill(join(path, name), content instanceof Map ? content : (content as Folder).entries);
    }
    this.syncAll();
  }

  makeFolders(path: string): FolderNode {
    let folder = this.root;
    for (const name of path.split("/").filter((one) => one !== "")) {
      const found = folder.entries.get(name) ?? this.create(folder, name, "folder");
      if (found.kind !== "folder") throw failure("ENOTDIR", path);
      folder = found;
    }
    this.syncAll();
    return folder;
  }

  /** Syncs everything, as the system does by itself after a while. */
  syncAll(): void {
    const at = this.#next();
    for (let inode = 0; inode <= this.#inodes; inode++)
      this.#syncs.push({ begin: at, end: at, inode, call: "fsync" });
  }

  /** Returns a state that the disk may have after a power cut at this moment. */
  afterPowerCut(mode: PowerCut["mode"]): Folder {
    const cut: PowerCut = {
      line: this.operations + 1,
      mode,
      sector: this.#random.pick([512, 4096] as const),
    };
    const operations = {
      changes: this.#changes,
      syncs: this.#syncs,
      acknowledgements: [],
      end: this.operations,
    };
    return imageAfter(operations, cut, this.#random);
  }

  /** Appends the text that another program had written when it was killed. */
  tear(path: string, text: string): void {
    const node = this.find(path);
    if (node?.kind === "file") this.write(node, node.bytes.length, Buffer.from(text), this.operate());
  }

  textOf(path: string): string {
    const node = this.find(path);
    return node?.kind === "file" ? node.bytes.toString() : "";
  }

  /** Returns a digest of the file's content. */
  digestOf(path: string): string {
    const node = this.find(path);
    if (node?.kind !== "file") return "";
    const digest = digests.get(node.bytes) ?? hash("sha1", node.bytes);
    // The digest is cached by the buffer, because each write makes a new buffer.
    digests.set(node.bytes, digest);
    return digest;
  }

  /** Returns the paths of all files. */
  files(path = "/"): readonly string[] {
    const node = this.find(path);
    if (node === undefined) return [];
    if (node.kind === "file") return [path];
    return [...node.entries.keys()].flatMap((name) => this.files(join(path, name)));
  }

  find(path: string): DiskNode | undefined {
    let node: DiskNode | undefined = this.root;
    for (const name of path.split("/").filter((one) => one !== "")) {
      if (node === undefined) return undefined;
      if (node.kind !== "folder") throw failure("ENOTDIR", path);
      node = node.entries.get(name);
    }
    return node;
  }

  #next(): number {
    return ++this.operations;
  }

  /** Counts an operation that changes something. Throws `Killed`, or `ENOSPC` if there is not enough room. */
  operate(room = 0): number {
    if (this.operations >= this.killAt) throw new Killed("killed");
    if (room > this.freeBytes) throw failure("ENOSPC", "the disk");
    this.freeBytes -= room;
    return this.#next();
  }

  parent(path: string): FolderNode {
    const folder = this.find(dirname(path));
    if (folder === undefined) throw failure("ENOENT", path);
    if (folder.kind !== "folder") throw failure("ENOTDIR", path);
    return folder;
  }

  create(folder: FolderNode, name: string, kind: "file" | "folder", at: number = this.#next()): DiskNode {
    const inode = ++this.#inodes;
    const mtimeMs = this.#clock();
    const node: DiskNode =
      kind === "file"
        ? { kind, inode, bytes: Buffer.alloc(0), mtimeMs }
        : { kind, inode, entries: new Map(), mtimeMs };
    folder.entries.set(name, node);
    this.#changes.push({ begin: at, end: at, type: "entry", inode: folder.inode, name, target: inode, kind });
    return node;
  }

  write(node: FileNode, offset: number, bytes: Buffer, at: number = this.#next()): void {
    const size = Math.max(node.bytes.length, offset + bytes.length);
    const grown = Buffer.alloc(size);
    node.bytes.copy(grown);
    bytes.copy(grown, offset);
    node.bytes = grown;
    node.mtimeMs = this.#clock();
    this.#changes.push({
      begin: at,
      end: at,
      type: "write",
      inode: node.inode,
      offset,
      bytes: Buffer.from(bytes),
    });
  }

  remove({ folder, name }: Name, node: DiskNode): void {
    const at = this.operate();
    folder.entries.delete(name);
    const { inode } = folder;
    this.#changes.push({
      begin: at,
      end: at,
      type: "entry",
      inode,
      name,
      target: undefined,
      kind: node.kind,
    });
  }

  truncate(node: FileNode, size: number): void {
    const at = this.operate();
    const bytes = Buffer.alloc(size);
    node.bytes.copy(bytes);
    node.bytes = bytes;
    node.mtimeMs = this.#clock();
    this.#changes.push({ begin: at, end: at, type: "truncate", inode: node.inode, size });
  }

  /** Adds a name for an existing node: a second name, or, after a move, the only one. */
  link(node: DiskNode, to: Name, from?: Name): void {
    const at = this.operate(ENTRY_BYTES);
    if (from !== undefined) from.folder.entries.delete(from.name);
    to.folder.entries.set(to.name, node);
    const { kind, inode: target } = node;
    const entry = {
      begin: at,
      end: at,
      type: "entry",
      inode: to.folder.inode,
      name: to.name,
      target,
      kind,
    } as const;
    this.#changes.push(
      from === undefined ? entry : { ...entry, from: { inode: from.folder.inode, name: from.name } },
    );
  }

  sync({ inode }: DiskNode, call: Sync["call"]): void {
    const at = this.operate();
    this.#syncs.push({ begin: at, end: at, inode, call });
  }

  /** Returns the part of a write that the disk accepts at once. */
  taken(bytes: Buffer): Buffer {
    const isShort = bytes.length > 1 && this.#random.chance(this.short);
    const part = isShort ? bytes.subarray(0, 1 + this.#random.below(bytes.length - 1)) : bytes;
    // A disk that becomes full accepts a part first.
    return part.length > this.freeBytes && this.freeBytes > 0 ? part.subarray(0, this.freeBytes) : part;
  }

  nameOf(path: string): Name {
    return { folder: this.parent(path), name: basename(path) };
  }

  newName(): string {
    return this.#random.below(2 ** 30).toString(36);
  }

  /** `node:sqlite` for the files that lock: SQLite holds such a file exclusively until its process ends. */
  locksOf(process: SimulatedProcess): unknown {
    const { locks } = this;
    return {
      DatabaseSync: class {
        readonly #path: string;
        isOpen = true;

        constructor(path: string) {
          if (!path.includes("/locks/")) throw failure("ENOENT", path);
          this.#path = path;
        }

        exec(): void {
          const holder = locks.get(this.#path);
          if (holder !== undefined && holder.state === "alive")
            throw Object.assign(new Error("database is locked"), { errcode: 5 });
          locks.set(this.#path, process);
        }

        close(): void {
          this.isOpen = false;
          if (locks.get(this.#path) === process) locks.delete(this.#path);
        }
      },
    };
  }
}

/** The room that a name needs. */
export const ENTRY_BYTES: number = 64;

interface Name {
  readonly folder: FolderNode;
  readonly name: string;
}

export function failure(code: string, path: string): NodeJS.ErrnoException {
  // Most of these errors are expected, such as a call for a missing file. A stack trace would take longer than the
  // rest.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const error = new Error(`${code}: ${path}`);
  Error.stackTraceLimit = stackTraceLimit;
  return Object.assign(error, { code, path, syscall: "simulated" });
}
