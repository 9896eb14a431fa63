/** What a traced process did to the files below one folder: changes, syncs, and what it acknowledged. */

import { basename, dirname } from "node:path";
import { plainArgs, type SystemCall, stringsOf } from "./trace.ts";

interface At {
  readonly begin: number;
  readonly end: number;
}

/** Inodes are numbered as they appear; 0 is the folder of the trace. */
export type Change = At &
  (
    | { readonly type: "write"; readonly inode: number; readonly offset: number; readonly bytes: Buffer }
    | { readonly type: "truncate"; readonly inode: number; readonly size: number }
    | EntryChange
  );

/** Entries of the folder `inode`: `name` becomes `target`, or nothing; of a rename, `from` goes. */
export interface EntryChange {
  readonly type: "entry";
  readonly inode: number;
  readonly name: string;
  readonly target: number | undefined;
  readonly kind: "file" | "folder";
  readonly from?: string;
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
  position: number;
  readonly appends: boolean;
}

export function operationsOf(calls: readonly SystemCall[], root: string): Operations {
  const reader = new Reader(root);
  for (const call of calls) if (call.result >= 0) reader.read(call);
  return { ...reader.found(), end: calls.at(-1)?.end ?? 0 };
}

class Reader {
  readonly #root: string;
  readonly #inodes = new Map<string, number>();
  readonly #sizes = new Map<number, number>();
  readonly #open = new Map<number, OpenFile>();
  readonly #changes: Change[] = [];
  readonly #syncs: Sync[] = [];
  readonly #acknowledgements: Acknowledgement[] = [];
  #made = 0;
  #printed = "";

  constructor(root: string) {
    this.#root = root;
    this.#inodes.set(root, 0);
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
      case "mkdirat":
        this.#created(call, this.#pathOf(call, 0), "folder");
        break;
      case "rename":
      case "renameat":
      case "renameat2":
        this.#renamed(call, this.#pathOf(call, 0), this.#pathOf(call, 1));
        break;
      case "unlink":
      case "unlinkat":
        this.#removed(call, this.#pathOf(call, 0));
        break;
      default:
        this.#assertOther(call, args);
    }
  }

  /** Calls that nothing here uses: to leave one out would make the images too good. */
  #assertOther(call: SystemCall, args: readonly string[]): void {
    const paths = stringsOf(call).map(String);
    const ours = paths.some((path) => path.startsWith(this.#root)) || this.#open.has(Number(args[0]));
    if (ours) throw new Error(`the trace has a call that the disk does not know: ${call.name}(${call.args})`);
  }

  #pathOf(call: SystemCall, index: number): string {
    return String(stringsOf(call)[index]);
  }

  #opened(call: SystemCall, args: readonly string[]): void {
    const path = this.#pathOf(call, 0);
    if (path !== this.#root && !path.startsWith(`${this.#root}/`)) return;
    const flags = args[2] ?? "";
    if (!this.#inodes.has(path)) {
      if (!flags.includes("O_CREAT")) return;
      this.#created(call, path, "file");
    }
    const inode = this.#inodes.get(path) as number;
    if (flags.includes("O_TRUNC")) this.#change({ ...at(call), type: "truncate", inode, size: 0 });
    this.#open.set(call.result, { inode, position: 0, appends: flags.includes("O_APPEND") });
  }

  #created(call: SystemCall, path: string, kind: EntryChange["kind"]): void {
    const folder = this.#inodes.get(dirname(path));
    if (folder === undefined) return;
    const target = ++this.#made;
    this.#inodes.set(path, target);
    this.#changes.push({ ...at(call), type: "entry", inode: folder, name: basename(path), target, kind });
  }

  #renamed(call: SystemCall, from: string, to: string): void {
    const target = this.#inodes.get(from);
    const folder = this.#inodes.get(dirname(to));
    if (target === undefined && folder === undefined) return;
    if (target === undefined || folder === undefined || dirname(from) !== dirname(to)) {
      throw new Error(`the disk does not know how to move ${from} to ${to}`);
    }
    const entry = { type: "entry", inode: folder, name: basename(to), target, kind: "file" } as const;
    this.#changes.push({ ...at(call), ...entry, from: basename(from) });
    this.#inodes.delete(from);
    this.#inodes.set(to, target);
  }

  #removed(call: SystemCall, path: string): void {
    const folder = this.#inodes.get(dirname(path));
    if (folder === undefined || !this.#inodes.has(path)) return;
    const entry = { type: "entry", inode: folder, name: basename(path), target: undefined } as const;
    this.#changes.push({ ...at(call), ...entry, kind: "file" });
    this.#inodes.delete(path);
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

function at({ begin, end }: SystemCall): At {
  return { begin, end };
}
