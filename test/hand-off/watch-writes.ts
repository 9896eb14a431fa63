/** Watches the changes of this process below a folder, and reports which of them a loss of power would undo. */

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname } from "node:path";

type Call = (...args: unknown[]) => unknown;
const patched = fs as unknown as Record<string, Call>;

export interface Watch {
  /** The renames, in their order: `[from, to]`. */
  readonly moves: readonly (readonly [string, string])[];
  /** Returns the changes that are not on disk, in words. Call it when the edit returned. */
  unsynced(): readonly string[];
  stop(): void;
}

export function watchWrites(below: string): Watch {
  const original = new Map<string, Call>();
  const open = new Map<number, string>();
  const dirty = new Set<string>();
  const folders = new Set<string>();
  const moves: (readonly [string, string])[] = [];
  const faults: string[] = [];
  const isBelow = (path: unknown): path is string => typeof path === "string" && path.startsWith(below);
  const around = (name: string, make: (call: Call) => Call): void => {
    const call = patched[name];
    if (call === undefined) throw new Error(`no ${name}`);
    original.set(name, call);
    patched[name] = make(call);
  };
  around("openSync", (call) => (path, ...rest) => {
    const fd = call(path, ...rest) as number;
    if (isBelow(path)) open.set(fd, path);
    return fd;
  });
  around("closeSync", (call) => (fd) => {
    open.delete(fd as number);
    return call(fd);
  });
  around("writeSync", (call) => (fd, ...rest) => {
    const path = open.get(fd as number);
    if (path !== undefined) dirty.add(path);
    return call(fd, ...rest);
  });
  for (const name of ["writeFileSync", "appendFileSync", "copyFileSync"]) {
    around(name, (call) => (...args) => {
      const path = name === "copyFileSync" ? args[1] : args[0];
      if (isBelow(path)) dirty.add(path);
      return call(...args);
    });
  }
  around("fsyncSync", (call) => (fd) => {
    const path = open.get(fd as number);
    if (path !== undefined) {
      dirty.delete(path);
      folders.delete(path);
    }
    return call(fd);
  });
  around("mkdirSync", (call) => (path, ...rest) => {
    const done = call(path, ...rest);
    if (isBelow(path)) folders.add(dirname(path));
    return done;
  });
  for (const name of ["renameSync", "linkSync"]) {
    around(name, (call) => (from, to) => {
      const done = call(from, to);
      if (isBelow(from) && isBelow(to)) {
        if (dirty.has(from)) faults.push(`${name} of ${from} before it was on disk`);
        moves.push([from, to]);
        folders.add(dirname(to));
      }
      return done;
    });
  }
  syncBuiltinESMExports();
  return {
    moves,
    unsynced: () => [
      ...faults,
      ...[...dirty].filter((path) => fs.existsSync(path)).map((path) => `bytes of ${path}`),
      ...[...folders].filter((path) => fs.existsSync(path)).map((path) => `names in ${path}`),
    ],
    stop() {
      for (const [name, call] of original) patched[name] = call;
      syncBuiltinESMExports();
    },
  };
}
