/** The operations of a traced process on files below one folder: changes, syncs, and acknowledgements. */

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { plainArgs, type SystemCall, stringsOf } from "./trace.ts";

interface At {
  readonly begin: number;
  readonly end: number;
}

/** A change of the disk. Inodes are numbered in the order in which they appear; 0 is the folder of the trace. */
export type Change = At &
  (
    | { readonly type: "write"; readonly inode: number; readonly offset: number; readonly bytes: Buffer }
    | { readonly type: "truncate"; readonly inode: number; readonly size: number }
    | EntryChange
  );

/**
 * A change of the folder `inode`: its entry `name` points to `target`, or is removed; after a rename, `from` is
 * removed.
 */
export interface EntryChange {
  readonly type: "entry";
  readonly inode: number;
  readonly name: string;
  readonly target: number | undefined;
  readonly kind: "file" | "folder";
  readonly from?: OperationPlace;
}

export interface OperationPlace {
  readonly inode: number;
  readonly name: string;
}

export type Sync = At & { readonly inode: number; readonly call: "fsync" | "fdatasync" };

export interface Acknowledgement {
  readonly line: number;
  readonly text: string;
}

export interface Operations {
  readonly changes: readonly Change[];
  readonly syncs: readonly Sync[];
  readonly acknowledgements: readonly Acknowledgement[];
  /** The last line of the trace. */
  readonly end: number;
}

interface OpenFile {
  readonly inode: number;
  readonly path: string;
  position: number;
  readonly appends: boolean;
}

/** The content of a folder before the trace begins. All of it is on disk. */
export type FileTree = ReadonlyMap<string, FileTree | Buffer>;

export function readTree(folder: string): FileTree {
  return new Map(
    readdirSync(folder, { withFileTypes: true }).map((entry) => {
      const path = join(folder, entry.name);
      return [entry.name, entry.isDirectory() ? readTree(path) : readFileSync(path)] as const;
    }),
  );
}

/** @param before the content of `root` when the trace begins */
export function operationsOf(
  calls: readonly SystemCall[],
  root: string,
  before: FileTree = new Map(),
): Operations {
  const reader = new Reader(root);
  reader.fill(0, before);
  for (const call of calls) if (call.result >= 0) reader.read(call);
  return { ...reader.found(), end: calls.at(-1)?.end ?? 0 };
}

/** The time before the first line of a trace. */
const BEFORE: At = { begin: -2, end: -2 };
const BEFORE_SYNCED: At = { begin: -1, end: -1 };

class Reader {
  readonly #root: string;
  /** The folders at the present line of the trace. */
  readonly #folders = new Map<number, Map<string, number>>([[0, new Map()]]);
  readonly #sizes = new Map<number, number>();
  readonly #open = new Map<number, OpenFile>();
  readonly #changes: Change[] = [];
  readonly #syncs: Sync[] = [];
  readonly #acknowledgements: Acknowledgement[] = [];
  #made = 0;
  #printed = "";

  constructor(root: string) {
    this.#root = root;
  }

  fill(folder: number, tree: FileTree): void {
    for (const [name, content] of tree) {
      const isFile = Buffer.isBuffer(content);
      const inode = this.#enter(BEFORE, { inode: folder, name }, isFile ? "file" : "folder");
      if (isFile) this.#change({ ...BEFORE, type: "write", inode, offset: 0, bytes: content });
      else this.fill(inode, content);
      this.#syncs.push({ ...BEFORE_SYNCED, inode, call: "fsync" });
    }
    if (folder === 0) this.#syncs.push({ ...BEFORE_SYNCED, inode: 0, call: "fsync" });
  }

  found(): Omit<Operations, "end"> {
    return { changes: this.#changes, syncs: this.#syncs, acknowledgements: this.#acknowledgements };
  }

  read(call: SystemCall): void {
    const args = plainArgs(call);
    switch (call.name) {
      case "openat":
        this.#opened(call, args);
        break;
      case "close":
        this.#open.delete(Number(args[0]));
        break;
      case "write":
      case "writev":
      case "pwrite64":
      case "pwritev":
        this.#wrote(call, args);
        break;
      case "ftruncate":
        this.#truncated(call, Number(args[0]), Number(args[1]));
        break;
      case "fsync":
      case "fdatasync":
        this.#synced(call, call.name, Number(args[0]));
        break;
      case "mkdir":
        this.#created(call, this.#placeOf(pathOf(call, 0)), "folder");
        break;
      case "rename":
        this.#renamed(call, pathOf(call, 0), pathOf(call, 1));
        break;
      case "link":
        this.#linked(call, pathOf(call, 0), pathOf(call, 1));
        break;
      case "unlink":
      case "rmdir":
        this.#removed(call, pathOf(call, 0));
        break;
      case "unlinkat":
        this.#removed(call, this.#pathAt(call, args));
        break;
      default:
        this.#assertOther(call, args);
    }
  }

  /** Throws for a call that the disk does not know: without it, the images would be better than a real disk. */
  #assertOther(call: SystemCall, args: readonly string[]): void {
    const paths = stringsOf(call).map(String);
    const ours = paths.some((path) => path.startsWith(this.#root)) || this.#open.has(Number(args[0]));
    if (ours) throw new Error(`the trace has a call that the disk does not know: ${call.name}(${call.args})`);
  }

  /** Returns the absolute path; a path may be relative to an open folder. */
  #pathAt(call: SystemCall, [folder]: readonly string[]): string {
    return resolve(this.#open.get(Number(folder))?.path ?? "/", pathOf(call, 0));
  }

  /** Returns the place of a path, or `null` outside of the folder of the trace. */
  #placeOf(path: string): OperationPlace | null {
    if (!path.startsWith(`${this.#root}/`)) return null;
    const names = path.slice(this.#root.length + 1).split("/");
    const name = names.pop() ?? "";
    let inode: number | undefined = 0;
    for (const each of names) inode = inode === undefined ? undefined : this.#folders.get(inode)?.get(each);
    return inode === undefined ? null : { inode, name };
  }

  #inodeAt(place: OperationPlace | null): number | undefined {
    return place === null ? undefined : this.#folders.get(place.inode)?.get(place.name);
  }

  #opened(call: SystemCall, args: readonly string[]): void {
    const path = this.#pathAt(call, args);
    const place = this.#placeOf(path);
    const flags = args[2] ?? "";
    let inode = path === this.#root ? 0 : this.#inodeAt(place);
    if (inode === undefined && flags.includes("O_CREAT")) inode = this.#created(call, place, "file");
    if (inode === undefined) return;
    if (flags.includes("O_TRUNC")) this.#change({ ...at(call), type: "truncate", inode, size: 0 });
    this.#open.set(call.result, { inode, path, position: 0, appends: flags.includes("O_APPEND") });
  }

  #created(call: At, place: OperationPlace | null, kind: EntryChange["kind"]): number | undefined {
    return place === null ? undefined : this.#enter(call, place, kind);
  }

  #enter(call: At, { inode, name }: OperationPlace, kind: EntryChange["kind"]): number {
    const target = ++this.#made;
    if (kind === "folder") this.#folders.set(target, new Map());
    this.#folders.get(inode)?.set(name, target);
    this.#changes.push({ ...at(call), type: "entry", inode, name, target, kind });
    return target;
  }

  #renamed(call: SystemCall, from: string, to: string): void {
    const [before, after] = [this.#placeOf(from), this.#placeOf(to)];
    const target = this.#inodeAt(before);
    if (before === null && after === null) return;
    if (before === null || after === null || target === undefined) {
      throw new Error(`the disk does not know how to move ${from} to ${to}`);
    }
    this.#folders.get(before.inode)?.delete(before.name);
    this.#name(call, after, target, before);
  }

  #linked(call: SystemCall, from: string, to: string): void {
    const [target, place] = [this.#inodeAt(this.#placeOf(from)), this.#placeOf(to)];
    if (target !== undefined && place !== null) this.#name(call, place, target);
    else if (target !== undefined || place !== null) {
      throw new Error(`the disk does not know how to link ${from} to ${to}`);
    }
  }

  #name(call: SystemCall, { inode, name }: OperationPlace, target: number, from?: OperationPlace): void {
    const kind = this.#folders.has(target) ? "folder" : "file";
    this.#folders.get(inode)?.set(name, target);
    const gone = from === undefined ? {} : { from };
    this.#changes.push({ ...at(call), type: "entry", inode, name, target, kind, ...gone });
  }

  #removed(call: SystemCall, path: string): void {
    const place = this.#placeOf(path);
    if (place === null || this.#inodeAt(place) === undefined) return;
    this.#folders.get(place.inode)?.delete(place.name);
    this.#changes.push({ ...at(call), type: "entry", ...place, target: undefined, kind: "file" });
  }

  #wrote(call: SystemCall, args: readonly string[]): void {
    const fd = Number(args[0]);
    const bytes = Buffer.concat(stringsOf(call)).subarray(0, call.result);
    if (fd === 1) this.#print(call, String(bytes));
    const file = this.#open.get(fd);
    if (file === undefined) return;
    const size = this.#sizes.get(file.inode) ?? 0;
    const given = call.name.startsWith("p") ? Number(args.at(-1)) : undefined;
    const offset = given ?? (file.appends ? size : file.position);
    if (given === undefined) file.position = offset + bytes.length;
    this.#change({ ...at(call), type: "write", inode: file.inode, offset, bytes });
  }

  #synced(call: SystemCall, name: Sync["call"], fd: number): void {
    const file = this.#open.get(fd);
    if (file !== undefined) this.#syncs.push({ ...at(call), inode: file.inode, call: name });
  }

  #truncated(call: SystemCall, fd: number, size: number): void {
    const file = this.#open.get(fd);
    if (file !== undefined) this.#change({ ...at(call), type: "truncate", inode: file.inode, size });
  }

  #change(change: Extract<Change, { type: "write" | "truncate" }>): void {
    const before = this.#sizes.get(change.inode) ?? 0;
    const after = change.type === "truncate" ? change.size : change.offset + change.bytes.length;
    this.#sizes.set(change.inode, change.type === "truncate" ? after : Math.max(before, after));
    this.#changes.push(change);
  }

  #print(call: SystemCall, text: string): void {
    const lines = (this.#printed + text).split("\n");
    this.#printed = lines.pop() ?? "";
    for (const line of lines) this.#acknowledgements.push({ line: call.end, text: line });
  }
}

function pathOf(call: SystemCall, index: number): string {
  return String(stringsOf(call)[index]);
}

function at({ begin, end }: At): At {
  return { begin, end };
}
