/**
 * The surroundings of a simulated process, which replace Node's: the clock of its machine, timers, random numbers, and
 * no network.
 */

import { EventEmitter } from "node:events";
import type { Surroundings } from "./programs.ts";
import type { Machine, SimulatedProcess, World } from "./world.ts";
import { START_MS } from "./world.ts";

const CRYPTO = { ...(process.getBuiltinModule("node:crypto") as object) };

export interface Extra {
  /** Modules of Node that the simulation replaces, such as `node:fs`. */
  readonly modules?: Readonly<Record<string, unknown>>;
  readonly WebSocket?: unknown;
  readonly env?: Readonly<Record<string, string>>;
}

export function surround(world: World, process: SimulatedProcess, extra: Extra = {}): Surroundings {
  const { random } = world;
  const { machine } = process;
  const timer = (kind: "once" | "repeated") => {
    return (run: (...given: unknown[]) => void, ms?: unknown, ...given: unknown[]): object => {
      const id = world.setTimer(process, () => run(...given), ms, kind);
      const handle = { id, ref: () => handle, unref: () => handle, hasRef: () => true };
      return handle;
    };
  };
  const clear = (handle: { readonly id?: number } | undefined): void => world.clearTimer(handle?.id ?? 0);
  const fill = <T extends NodeJS.ArrayBufferView>(view: T): T => {
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    for (let at = 0; at < bytes.length; at++) bytes[at] = random.below(256);
    return view;
  };
  const randomBytes = (size: number): Buffer => fill(Buffer.alloc(size));
  const randomUUID = (): string => {
    const hex = randomBytes(16).toString("hex");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  };
  const chance = { random: () => random.below(2 ** 30) / 2 ** 30 };
  const later = (
    ms: unknown,
    value?: unknown,
    options?: { readonly signal?: AbortSignal },
  ): Promise<unknown> =>
    new Promise((resolve, reject) => {
      options?.signal?.throwIfAborted();
      world.setTimer(process, () => resolve(value), ms, "once");
      options?.signal?.addEventListener("abort", () => reject(options.signal?.reason), { once: true });
    });
  const turn = (value?: unknown): Promise<unknown> =>
    new Promise((resolve) => world.setImmediate(process, () => resolve(value)));
  const globals = {
    process: processOf(world, process, extra),
    Date: clockOf(world, machine),
    performance: { now: () => world.elapsedMs + 1 },
    Math: Object.assign(Object.create(Math) as object, chance),
    crypto: { getRandomValues: fill, randomUUID, subtle: crypto.subtle },
    fetch: () => Promise.reject(new TypeError("the simulated network has no HTTP")),
    WebSocket: extra.WebSocket,
    AbortSignal: signalsOf(world, process),
    setTimeout: timer("once"),
    clearTimeout: clear,
    setInterval: timer("repeated"),
    clearInterval: clear,
    setImmediate: (run: () => void) => world.setImmediate(process, run),
    queueMicrotask,
  };
  const builtin = (name: string): unknown => modules[name] ?? nodeModule(name);
  const modules: Readonly<Record<string, unknown>> = {
    "node:timers/promises": { setTimeout: later, setImmediate: turn },
    "node:crypto": {
      ...CRYPTO,
      randomBytes,
      randomUUID,
      randomInt: (most: number) => Math.floor(chance.random() * most),
      getRandomValues: fill,
      randomFillSync: fill,
    },
    "node:process": { pid: process.pid, platform: "linux" },
    "node:fs": systemFiles(process),
    "node:os": { hostname: () => machine.name, homedir: () => "/home/ann", tmpdir: () => "/tmp" },
    ...extra.modules,
  };
  Object.assign(globals.process as object, { getBuiltinModule: builtin });
  return { globals, builtin };
}

/** Modules of Node that neither wait nor read the time. */
const HARMLESS = new Set([
  ...["node:path", "node:url", "node:util", "node:buffer", "node:events", "node:sqlite", "node:stream"],
  ...["node:zlib", "node:crypto", "node:worker_threads", "node:diagnostics_channel", "node:async_hooks"],
  // The limit of the heap stays the same while the simulation runs.
  "node:v8",
  ...[
    "node:http",
    "node:net",
    "node:tls",
    "node:dns/promises",
    "node:https",
    "node:child_process",
    "node:string_decoder",
  ],
]);

function nodeModule(name: string): unknown {
  const full = name.startsWith("node:") ? name : `node:${name}`;
  // All other modules are empty, so that a call of them fails.
  return HARMLESS.has(full) ? process.getBuiltinModule(full) : {};
}

function processOf(world: World, { pid, machine, name }: SimulatedProcess, { env = {} }: Extra): unknown {
  return Object.assign(new EventEmitter(), {
    pid,
    platform: "linux",
    env,
    argv: ["node", name],
    execArgv: [],
    versions: process.versions,
    cwd: () => "/",
    hrtime: { bigint: () => BigInt(world.elapsedMs) * 1_000_000n },
    memoryUsage: () => ({ rss: 0, heapUsed: 0 }),
    emitWarning: () => undefined,
    kill: (other: number) => {
      const found = world.processes.find((one) => one.pid === other && one.machine === machine);
      if (found?.state !== "alive") throw Object.assign(new Error("no such process"), { code: "ESRCH" });
      return true;
    },
    nextTick: (run: (...given: unknown[]) => void, ...given: unknown[]) =>
      queueMicrotask(() => run(...given)),
  });
}

/** The time of day of the machine. */
function clockOf(world: World, machine: Machine): unknown {
  const now = (): number => world.now + machine.wallOffsetMs;
  return class extends Date {
    constructor(...given: readonly unknown[]) {
      if (given.length === 0) super(now());
      else super(...(given as [number]));
    }
    static override now(): number {
      return now();
    }
  };
}

function signalsOf(world: World, process: SimulatedProcess): unknown {
  const timeout = (ms: number): AbortSignal => {
    const controller = new AbortController();
    const reason = new DOMException("the time is over", "TimeoutError");
    world.setTimer(process, () => controller.abort(reason), ms, "once");
    return controller.signal;
  };
  return new Proxy(AbortSignal, {
    get: (target, key) => {
      if (key === "timeout") return timeout;
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** The text of Linux at a path about a process and its machine. */
export function systemText({ pid, machine }: SimulatedProcess, path: string): string | undefined {
  if (path === "/proc/self") return String(pid);
  if (path === "/proc/self/ns/pid" || path === "/proc/self/ns/time") return "[4026531836]";
  if (path === "/proc/sys/kernel/random/boot_id") return `boot-${machine.name}-${machine.boot}`;
  if (path === "/proc/stat") return `btime ${Math.floor(START_MS / 1_000)}\n`;
  const [, other] = /^\/proc\/(self|\d+)\/stat$/u.exec(path) ?? [];
  if (other === undefined) return undefined;
  const number = other === "self" ? pid : Number(other);
  return `${number} (node) S ${"0 ".repeat(18)}${number} 0`;
}

/** The file functions of a process without a disk. */
function systemFiles(process: SimulatedProcess): unknown {
  const read = (path: string): string => {
    const text = systemText(process, String(path));
    if (text === undefined) throw Object.assign(new Error(`no such file: ${path}`), { code: "ENOENT" });
    return text;
  };
  return {
    readFileSync: read,
    readlinkSync: read,
    existsSync: () => false,
    statSync: () => undefined,
    constants: {},
  };
}
