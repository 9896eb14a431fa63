/** `node:fs` of a process on a simulated disk: only the functions that edits of native sessions use. */

import { constants } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { Sync } from "../power-cut/operations.ts";
import { type Disk, type DiskNode, ENTRY_BYTES, type FileNode, type FolderNode, failure } from "./disk.ts";
import { systemText } from "./surroundings.ts";
import type { SimulatedProcess } from "./world.ts";

interface OpenFile {
  readonly node: DiskNode;
  readonly path: string;
  readonly appends: boolean;
  position: number;
}

interface DiskEntry {
  readonly name: string;
  readonly parentPath: string;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** Each method replaces the function of `node:fs` with the same name. */
class DiskFiles {
  readonly constants: typeof constants = constants;
  readonly #disk: Disk;
  readonly #process: SimulatedProcess;
  readonly #open = new Map<number, OpenFile>();
  #descriptors = 2;

  constructor(disk: Disk, process: SimulatedProcess) {
    this.#disk = disk;
    this.#process = process;
  }

  openSync(given: string, how: string | number = "r"): number {
    const path = absolute(given);
    const flags = typeof how === "number" ? how : (FLAGS[how] ?? 0);
    const there = this.#disk.find(path);
    if (there !== undefined && (flags & constants.O_EXCL) !== 0) throw failure("EEXIST", path);
    const node = there ?? this.#created(path, flags);
    if (node.kind === "file" && (flags & constants.O_TRUNC) !== 0) this.#disk.truncate(node, 0);
    const appends = (flags & constants.O_APPEND) !== 0;
    this.#open.set(++this.#descriptors, { node, path, position: 0, appends });
    return this.#descriptors;
  }

  closeSync(fd: number): void {
    this.#open.delete(fd);
  }

  writeSync(
    fd: number,
    given: Uint8Array | string,
    offset = 0,
    length?: number | null,
    position?: number | null,
  ): number {
    const file = this.#fileAt(fd);
    const node = contentOf(file.node, file.path);
    const all = Buffer.from(given as Uint8Array);
    const bytes = this.#disk.taken(all.subarray(offset, offset + (length ?? all.length - offset)));
    const at = this.#disk.operate(bytes.length);
    const place = file.appends ? node.bytes.length : (position ?? file.position);
    this.#disk.write(node, place, bytes, at);
    if (typeof position !== "number") file.position = place + bytes.length;
    return bytes.length;
  }

  readSync(
    fd: number,
    into: Uint8Array,
    offset = 0,
    length: number = into.length - offset,
    position: number | bigint | null = null,
  ): number {
    const file = this.#fileAt(fd);
    const from = position === null ? file.position : Number(position);
    const bytes = contentOf(file.node, file.path).bytes.subarray(from, from + length);
    into.set(bytes, offset);
    if (position === null) file.position = from + bytes.length;
    return bytes.length;
  }

  readFileSync(path: string | number, options?: string | { readonly encoding?: string }): unknown {
    const system = typeof path === "string" ? systemText(this.#process, path) : undefined;
    const node = typeof path === "number" ? this.#fileAt(path).node : undefined;
    const bytes =
      system === undefined
        ? contentOf(node ?? this.#known(String(path)), String(path)).bytes
        : Buffer.from(system);
    const encoding = typeof options === "string" ? options : options?.encoding;
    return encoding === undefined ? Buffer.from(bytes) : bytes.toString(encoding as BufferEncoding);
  }

  fstatSync(fd: number, options?: { readonly bigint?: boolean }): unknown {
    return statOf(this.#fileAt(fd).node, options);
  }

  statSync(
    path: string,
    options: { readonly throwIfNoEntry?: boolean; readonly bigint?: boolean } = {},
  ): unknown {
    const node = options.throwIfNoEntry === false ? this.#disk.find(absolute(path)) : this.#known(path);
    return node === undefined ? undefined : statOf(node, options);
  }

  lstatSync(
    path: string,
    options?: { readonly throwIfNoEntry?: boolean; readonly bigint?: boolean },
  ): unknown {
    return this.statSync(path, options);
  }

  existsSync(path: string): boolean {
    try {
      return this.#disk.find(absolute(path)) !== undefined;
    } catch {
      // Nothing exists below a path that is not a folder.
      return false;
    }
  }

  readdirSync(
    path: string,
    { withFileTypes = false, recursive = false }: { withFileTypes?: boolean; recursive?: boolean } = {},
  ): unknown {
    const node = this.#known(path);
    if (node.kind !== "folder") throw failure("ENOTDIR", path);
    const entries = entriesOf(path, node, recursive ? "deep" : "own");
    if (withFileTypes) return entries;
    return entries.map(({ parentPath, name }) =>
      join(parentPath.slice(path.length), name).replace(/^\//u, ""),
    );
  }

  rmSync(path: string, options: { force?: boolean; recursive?: boolean } = {}): void {
    const { force = false, recursive = false } = options;
    const full = absolute(path);
    if (force && !this.existsSync(full)) return;
    const node = this.#known(path);
    if (node.kind === "folder") {
      if (!recursive) throw failure("ERR_FS_EISDIR", path);
      for (const name of [...node.entries.keys()]) this.rmSync(join(full, name), options);
    }
    this.#disk.remove(this.#disk.nameOf(full), node);
  }

  unlinkSync(path: string): void {
    this.rmSync(path);
  }

  rmdirSync(path: string): void {
    const node = this.#known(path);
    if (node.kind !== "folder") throw failure("ENOTDIR", path);
    if (node.entries.size > 0) throw failure("ENOTEMPTY", path);
    this.#disk.remove(this.#disk.nameOf(absolute(path)), node);
  }

  renameSync(from: string, to: string): void {
    const node = this.#known(from);
    const target = this.#disk.nameOf(absolute(to));
    const there = target.folder.entries.get(target.name);
    // Both names belong to one file, so a rename does nothing.
    if (there === node) return;
    if (there?.kind === "folder" && (node.kind !== "folder" || there.entries.size > 0))
      throw failure("ENOTEMPTY", to);
    this.#disk.link(node, target, this.#disk.nameOf(absolute(from)));
  }

  mkdirSync(path: string): void {
    const full = absolute(path);
    if (this.#disk.find(full) !== undefined) throw failure("EEXIST", path);
    const { folder, name } = this.#disk.nameOf(full);
    this.#disk.create(folder, name, "folder", this.#disk.operate(ENTRY_BYTES));
  }

  mkdtempSync(prefix: string): string {
    const path = prefix + this.#disk.newName();
    this.mkdirSync(path);
    return path;
  }

  linkSync(from: string, to: string): void {
    const node = this.#known(from);
    if (this.#disk.find(absolute(to)) !== undefined) throw failure("EEXIST", to);
    this.#disk.link(node, this.#disk.nameOf(absolute(to)));
  }

  fsyncSync(fd: number, call: Sync["call"] = "fsync"): void {
    this.#disk.sync(this.#fileAt(fd).node, call);
  }

  ftruncateSync(fd: number, size = 0): void {
    const { node, path } = this.#fileAt(fd);
    this.#disk.truncate(contentOf(node, path), size);
  }

  copyFileSync(from: string, to: string): void {
    const { bytes } = contentOf(this.#known(from), from);
    const fd = this.openSync(to, "w");
    for (let done = 0; done < bytes.length; ) done += this.writeSync(fd, bytes, done);
    this.closeSync(fd);
  }

  lutimesSync(path: string, _: unknown, mtime: number | Date): void {
    this.#disk.operate();
    this.#known(path).mtimeMs = typeof mtime === "number" ? mtime * 1_000 : mtime.getTime();
  }

  chmodSync(): void {
    this.#disk.operate();
  }

  realpathSync(path: string): string {
    this.#known(path);
    return absolute(path);
  }

  readlinkSync(path: string): string {
    const text = systemText(this.#process, path);
    if (text === undefined) throw failure("EINVAL", path);
    return text;
  }

  symlinkSync(_: string, path: string): void {
    throw failure("EPERM", path);
  }

  #created(path: string, flags: number): DiskNode {
    if ((flags & constants.O_CREAT) === 0) throw failure("ENOENT", path);
    const folder = this.#disk.parent(path);
    return this.#disk.create(folder, basename(path), "file", this.#disk.operate(ENTRY_BYTES));
  }

  #fileAt(fd: number): OpenFile {
    const file = this.#open.get(fd);
    if (file === undefined) throw failure("EBADF", String(fd));
    return file;
  }

  #known(path: string): DiskNode {
    const node = this.#disk.find(absolute(path));
    if (node === undefined) throw failure("ENOENT", path);
    return node;
  }
}

/** Returns the functions, which can be called without an object. */
export function filesOf(disk: Disk, process: SimulatedProcess): unknown {
  const files = new DiskFiles(disk, process);
  return new Proxy(files, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function contentOf(node: DiskNode, path: string): FileNode {
  if (node.kind === "folder") throw failure("EISDIR", path);
  return node;
}

function entriesOf(path: string, { entries }: FolderNode, depth: "own" | "deep"): readonly DiskEntry[] {
  return [...entries].flatMap(([name, one]) => {
    const own: DiskEntry = {
      name,
      parentPath: path,
      isFile: () => one.kind === "file",
      isDirectory: () => one.kind === "folder",
      isSymbolicLink: () => false,
    };
    return depth === "deep" && one.kind === "folder"
      ? [own, ...entriesOf(join(path, name), one, depth)]
      : [own];
  });
}

function statOf(node: DiskNode, { bigint = false } = {}): unknown {
  const { kind, inode, mtimeMs } = node;
  const size = node.kind === "file" ? node.bytes.length : FOLDER_BYTES;
  const is = {
    isFile: () => kind === "file",
    isDirectory: () => kind === "folder",
    isSymbolicLink: () => false,
    isFIFO: () => false,
    isSocket: () => false,
  };
  const ns = BigInt(Math.round(mtimeMs * 1_000)) * 1_000n;
  if (bigint) return { ...is, size: BigInt(size), ino: BigInt(inode), mtimeNs: ns, ctimeNs: ns };
  const times = {
    mtimeMs,
    atimeMs: mtimeMs,
    ctimeMs: mtimeMs,
    birthtimeMs: mtimeMs,
    mtime: new Date(mtimeMs),
  };
  return { ...is, ...times, size, ino: inode, mode: 0o600, uid: 0, dev: 1, nlink: 1 };
}

const FOLDER_BYTES = 4_096;

const FLAGS: Readonly<Record<string, number>> = {
  r: constants.O_RDONLY,
  "r+": constants.O_RDWR,
  w: constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC,
  "w+": constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC,
  wx: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
  "wx+": constants.O_RDWR | constants.O_CREAT | constants.O_EXCL,
  a: constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND,
  "a+": constants.O_RDWR | constants.O_CREAT | constants.O_APPEND,
};

function absolute(path: string): string {
  return resolve("/", path);
}
