/**
 * `node --import kill-at.ts …`: counts every change that a process makes below `KILL_BELOW`, and kills it at step
 * `KILL_AT`: before the step, or, for a write, after half of its bytes. Without `KILL_AT`, it prints the number of
 * steps at the end.
 */

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { DatabaseSync, StatementSync } from "node:sqlite";

const killAt = Number(process.env.KILL_AT ?? Number.NaN);
const below = process.env.KILL_BELOW ?? "/";
let steps = 0;
const watched = new Set<number>();

/** Returns true if the process ends here. */
function isStep(): boolean {
  steps += 1;
  return steps === killAt;
}

function step(): void {
  if (isStep()) process.kill(process.pid, "SIGKILL");
}

type Call = (...args: unknown[]) => unknown;
const patched = fs as unknown as Record<string, Call>;

function around(name: string, make: (call: Call) => Call): void {
  const call = patched[name];
  if (call !== undefined) patched[name] = make(call);
}

const isBelow = (path: unknown): boolean => String(path).startsWith(below);

for (const name of ["renameSync", "mkdirSync", "rmSync", "copyFileSync", "unlinkSync"]) {
  around(name, (call) => (...args) => {
    if (isBelow(args[0]) || isBelow(args[1])) step();
    return call(...args);
  });
}
const isForWriting = (flags: unknown): boolean =>
  typeof flags === "number" ? (flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR)) !== 0 : flags !== "r";

around("openSync", (call) => (path, flags, ...rest) => {
  const isWriting = isBelow(path) && isForWriting(flags);
  if (isWriting) step();
  const fd = call(path, flags, ...rest);
  if (isWriting) watched.add(fd as number);
  return fd;
});
for (const name of ["fsyncSync", "ftruncateSync"]) {
  around(name, (call) => (fd, ...rest) => {
    if (watched.has(fd as number)) step();
    return call(fd, ...rest);
  });
}
around("closeSync", (call) => (fd) => {
  watched.delete(fd as number);
  return call(fd);
});
around("writeSync", (call) => (fd, bytes, from, length, position) => {
  if (!watched.has(fd as number)) return call(fd, bytes, from, length, position);
  step();
  if (isStep()) {
    const start = (from ?? 0) as number;
    const whole = (length ?? (bytes as Uint8Array).length - start) as number;
    call(fd, bytes, start, Math.ceil(whole / 2), position);
    process.kill(process.pid, "SIGKILL");
  }
  return call(fd, bytes, from, length, position);
});
around("writeFileSync", (call) => (path, text, ...rest) => {
  if (!isBelow(path)) return call(path, text, ...rest);
  step();
  if (isStep()) {
    call(path, String(text).slice(0, String(text).length / 2), ...rest);
    process.kill(process.pid, "SIGKILL");
  }
  return call(path, text, ...rest);
});
syncBuiltinESMExports();

/** Statements that begin or end a transaction, or change the database. Only these are steps; a read is not. */
const CHANGES = /^\s*(?:begin|commit|rollback|insert|update|delete|create|drop|alter|replace)/iu;

type Prototype = Record<string, Call>;

const database = DatabaseSync.prototype as unknown as Prototype;
const { exec, prepare } = database;
const statements = new WeakSet<object>();
database.exec = function (this: DatabaseSync, sql: unknown): unknown {
  if (isBelow(this.location()) && CHANGES.test(String(sql))) step();
  return exec?.call(this, sql);
};
database.prepare = function (this: DatabaseSync, sql: unknown): unknown {
  const statement = prepare?.call(this, sql) as object;
  if (isBelow(this.location()) && CHANGES.test(String(sql))) statements.add(statement);
  return statement;
};
const statement = StatementSync.prototype as unknown as Prototype;
for (const name of ["run", "get", "all"]) {
  const call = statement[name];
  statement[name] = function (this: object, ...args: unknown[]): unknown {
    if (statements.has(this)) step();
    return call?.apply(this, args);
  };
}

process.on("exit", () => {
  if (Number.isNaN(killAt)) process.stdout.write(`${steps}\n`);
});
