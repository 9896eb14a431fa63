/**
 * The modules that each command of the program loads, in the bundle that users have. Counted are the modules of the
 * chunks, of packages and of Node that are loaded when the handler of the command is: a command that needs a server, a
 * browser or a terminal is counted without one. What a handler loads later, for example the driver of one agent, is
 * not counted here; other tests named `work-of-…` count whole runs.
 *
 * A limit may grow only with a line here that gives the reason. Limits are at most 5 % above the counts, and a new
 * command needs a row.
 */

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { beforeAll, describe, expect, test } from "vitest";
import { type BundledChunk, commandBundle, commandChunks, modulesLoadedWith } from "../../scripts/bundle.ts";
import type { CommandHandlers } from "../counting/handlers.ts";
import { compiledCode } from "../sizes/shared-programs.ts";

const ROOT = join(import.meta.dirname, "../..");
const BUILDING_MS = 300_000;

/** Every command loads these: the entry, and the tree of commands. */
const START = ["src/cli/main.ts", "src/cli/program.ts"].map((path) => join(ROOT, path));

interface ModuleLimit {
  readonly modules: number;
}

/** The limit for `START`. `modules` grew by one: durable files check if the process of a scratch folder still runs. */
const OF_EVERY_COMMAND: ModuleLimit = { modules: 77 };

/** The limits for what a command loads in addition to `START`. */
const LIMITS: readonly (readonly [command: string, limit: ModuleLimit])[] = [
  ["session list", { modules: 317 }],
  ["session info", { modules: 413 }],
  ["session show", { modules: 487 }],
  ["session follow", { modules: 487 }],
  ["session check", { modules: 413 }],
  ["session export", { modules: 528 }],
  ["session copy", { modules: 487 }],
  ["session delete", { modules: 432 }],
  ["session rename", { modules: 432 }],
  ["session pin", { modules: 432 }],
  ["session unpin", { modules: 432 }],
  ["session archive", { modules: 432 }],
  ["session unarchive", { modules: 432 }],
  ["session tag", { modules: 432 }],
  ["session fork", { modules: 432 }],
  ["session repair", { modules: 432 }],
  ["session restore", { modules: 432 }],
  ["session trash", { modules: 432 }],
  ["store info", { modules: 438 }],
  ["store verify", { modules: 438 }],
  ["store migrate", { modules: 438 }],
  ["store backup", { modules: 438 }],
  ["store restore", { modules: 438 }],
  ["store vacuum", { modules: 438 }],
  ["store blobs move", { modules: 438 }],
  ["chat", { modules: 182 }],
  ["repl", { modules: 438 }],
  ["handoff", { modules: 490 }],
  ["resume", { modules: 490 }],
  ["import", { modules: 529 }],
  ["move", { modules: 362 }],
  ["receive-move", { modules: 464 }],
  ["receive-mirror", { modules: 464 }],
  ["search", { modules: 403 }],
  ["open", { modules: 404 }],
  ["blame", { modules: 426 }],
  ["stats", { modules: 414 }],
  ["statusline", { modules: 413 }],
  ["pick", { modules: 468 }],
  ["agents", { modules: 407 }],
  ["agents doctor", { modules: 436 }],
  ["doctor", { modules: 491 }],
  ["doctor sessions", { modules: 441 }],
  ["relocate", { modules: 327 }],
  ["bug-report", { modules: 495 }],
  ["errors", { modules: 319 }],
  ["trust", { modules: 474 }],
  ["view", { modules: 1_001 }],
  ["serve", { modules: 1_023 }],
  ["extension", { modules: 125 }],
  ["token create", { modules: 440 }],
  ["token list", { modules: 440 }],
  ["token revoke", { modules: 440 }],
  ["audit", { modules: 509 }],
  ["approvals list", { modules: 450 }],
  ["approvals answer", { modules: 450 }],
  ["channel list", { modules: 129 }],
  ["channel show", { modules: 129 }],
  ["channel tail", { modules: 159 }],
  ["channel send", { modules: 129 }],
  ["channel edit", { modules: 130 }],
  ["channel delete", { modules: 130 }],
  ["channel react", { modules: 130 }],
  ["channel export", { modules: 129 }],
  ["live demo", { modules: 999 }],
  ["live list", { modules: 131 }],
  ["live notes", { modules: 131 }],
  ["live page", { modules: 131 }],
  ["live export", { modules: 146 }],
  ["live remove", { modules: 130 }],
  ["live undo", { modules: 130 }],
  ["live verify", { modules: 131 }],
  ["live replay", { modules: 129 }],
  ["live repair", { modules: 131 }],
  ["agent join", { modules: 250 }],
  ["index status", { modules: 404 }],
  ["index update", { modules: 404 }],
  ["index rebuild", { modules: 404 }],
  ["index clear", { modules: 404 }],
  ["guard on", { modules: 413 }],
  ["guard off", { modules: 413 }],
  ["guard status", { modules: 322 }],
  ["guard list", { modules: 322 }],
  ["guard run", { modules: 408 }],
  ["guard hook", { modules: 405 }],
  ["guard restore", { modules: 319 }],
  ["guard verify", { modules: 319 }],
  ["guard retention", { modules: 412 }],
  ["setup", { modules: 420 }],
  ["update", { modules: 333 }],
  ["mcp", { modules: 407 }],
  ["mcp install", { modules: 417 }],
  ["mcp uninstall", { modules: 417 }],
  ["acp", { modules: 376 }],
  ["completion", { modules: 2 }],
  ["complete-words", { modules: 124 }],
];

let chunks: readonly BundledChunk[];
let handlers: ReadonlyMap<string, readonly string[]>;
beforeAll(async () => {
  const bundle = await rolldown(commandBundle(ROOT));
  const { output } = await bundle.generate({ ...(await commandChunks(ROOT)), minify: false });
  await bundle.close();
  chunks = output.filter((one) => one.type === "chunk");
  const printed = execFileSync(process.execPath, [join(ROOT, "test/counting/handlers.ts")], {
    env: { ...process.env, ...compiledCode() },
    encoding: "utf8",
  });
  const found = JSON.parse(printed) as readonly CommandHandlers[];
  handlers = new Map(found.map(({ command, modules }) => [command, modules]));
}, BUILDING_MS);

function loadedWith(modules: readonly string[]): ReadonlySet<string> {
  return new Set(modules.flatMap((module) => modulesLoadedWith(chunks, module)));
}

test("every command has a row with a limit, and no row is of a command that does not exist", () => {
  expect(LIMITS.map(([command]) => command).toSorted()).toEqual([...handlers.keys()].toSorted());
});

test("each command loads the code of its own handler", () => {
  const none = [...handlers].filter(([, modules]) => modules.length === 0).map(([command]) => command);
  expect(none).toEqual([]);
  // Commands that do different work load different modules.
  expect(new Set([...handlers.values()].map((modules) => modules.at(-1))).size).toBeGreaterThan(40);
});

test("the entry and the tree of commands do not exceed their limit of modules", () => {
  expect(loadedWith(START).size).toBeLessThanOrEqual(OF_EVERY_COMMAND.modules);
});

describe("the modules that are loaded in addition do not exceed the limit of", () => {
  test.each(LIMITS)("continuo %s", (command, { modules: most }) => {
    const start = loadedWith(START);
    const added = [...loadedWith(handlers.get(command) ?? [])].filter((module) => !start.has(module));
    // The message names what was loaded, so that a new module is found by comparing two logs.
    expect(added.length, added.toSorted().join("\n")).toBeLessThanOrEqual(most);
  });
});
