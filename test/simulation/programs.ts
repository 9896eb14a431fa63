/** Builds the simulated programs from our code. Each process has its own modules. A planted defect changes one file. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compileFunction } from "node:vm";
import { type Plugin, rolldown } from "rolldown";
import { fileOf, ROOT } from "../house/imports.ts";

export interface Defect {
  /** The mistake, as a sentence without its full stop. */
  readonly name: string;
  /** The room and the path of the file in it, such as `store/rules/append.ts`. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** The modules of our code that each program exports. */
const ENTRIES = {
  database: [
    ["store", "packages/store/src/store/sql-store.ts"],
    ["sqlite", "packages/store/src/store/sqlite/open.ts"],
    ["model", "packages/core/src/model/index.ts"],
  ],
  worker: [
    ["sessions", "packages/store/src/sessions/index.ts"],
    ["model", "packages/core/src/model/index.ts"],
  ],
  server: [
    ["connection", "packages/server/src/server/channels/connection.ts"],
    ["hub", "packages/server/src/server/channels/hub.ts"],
    ["admit", "packages/server/src/server/channels/admit.ts"],
    ["clock", "packages/server/src/server/channels/listening-clock.ts"],
    ["model", "packages/core/src/model/index.ts"],
  ],
  client: [
    ["client", "packages/core/src/client/index.ts"],
    ["model", "packages/core/src/model/index.ts"],
  ],
  editor: [
    ["editing", "packages/native/src/editing/index.ts"],
    ["native", "packages/native/src/native/index.ts"],
    ["model", "packages/core/src/model/index.ts"],
  ],
} as const;

export interface Exports {
  readonly database: {
    readonly store: typeof import("../../packages/store/src/store/sql-store.ts");
    readonly sqlite: typeof import("../../packages/store/src/store/sqlite/open.ts");
    readonly model: typeof import("@continuo/core/model");
  };
  readonly worker: {
    readonly sessions: typeof import("@continuo/store/sessions");
    readonly model: typeof import("@continuo/core/model");
  };
  readonly server: {
    readonly connection: typeof import("../../packages/server/src/server/channels/connection.ts");
    readonly hub: typeof import("../../packages/server/src/server/channels/hub.ts");
    readonly admit: typeof import("../../packages/server/src/server/channels/admit.ts");
    readonly clock: typeof import("../../packages/server/src/server/channels/listening-clock.ts");
    readonly model: typeof import("@continuo/core/model");
  };
  readonly client: {
    readonly client: typeof import("@continuo/core/client");
    readonly model: typeof import("@continuo/core/model");
  };
  readonly editor: {
    readonly editing: typeof import("@continuo/native/editing");
    readonly native: typeof import("@continuo/native");
    readonly model: typeof import("@continuo/core/model");
  };
}

export type ProgramName = keyof typeof ENTRIES;

/** The globals that a program receives instead of those of this process. */
const GIVEN: readonly string[] = [
  ...["process", "Date", "performance", "Math", "crypto", "fetch", "WebSocket", "AbortSignal"],
  ...["setTimeout", "clearTimeout", "setInterval", "clearInterval", "setImmediate", "queueMicrotask"],
];

export interface Surroundings {
  readonly globals: Readonly<Record<string, unknown>>;
  /** Returns a module of Node, such as `node:fs`. */
  readonly builtin: (name: string) => unknown;
}

export type Program<Name extends ProgramName> = (surroundings: Surroundings) => Exports[Name];

export type Programs = { readonly [Name in ProgramName]: Program<Name> };

export async function buildProgram<Name extends ProgramName>(
  name: Name,
  defect: Defect | undefined,
): Promise<Program<Name>> {
  const code = await bundle(name, defect);
  const evaluate = compileFunction(code, ["exports", "module", "require", "__builtin", ...GIVEN], {
    filename: `simulated-${name}.js`,
  });
  return ({ globals, builtin }) => {
    const module = { exports: {} };
    const given = GIVEN.map((key) => globals[key]);
    evaluate(module.exports, module, builtin, builtin, ...given);
    return module.exports as Exports[Name];
  };
}

async function bundle(name: ProgramName, defect: Defect | undefined): Promise<string> {
  const built = await rolldown({
    input: ENTRY,
    platform: "node",
    treeshake: { moduleSideEffects: false },
    plugins: [entryOf(name), ...(defect === undefined ? [] : [plant(defect)])],
    onLog: () => undefined,
  });
  const { output } = await built.generate({ format: "cjs", codeSplitting: false });
  await built.close();
  return output[0].code;
}

const ENTRY = "\0entry";
const BUILTIN = "\0builtin:";

function entryOf(name: ProgramName): Plugin {
  return {
    name: "simulated-program",
    resolveId: (specifier) => {
      if (specifier === ENTRY) return ENTRY;
      return /^node:/u.test(specifier) ? BUILTIN + specifier : null;
    },
    load: (id) => {
      if (id === ENTRY) {
        return ENTRIES[name]
          .map(([key, file]) => `export * as ${key} from ${JSON.stringify(join(ROOT, file))};`)
          .join("\n");
      }
      if (!id.startsWith(BUILTIN)) return null;
      return `module.exports = __builtin(${JSON.stringify(id.slice(BUILTIN.length))});`;
    },
  };
}

function plant({ file, find, replace }: Defect): Plugin {
  const path = join(ROOT, fileOf(file));
  return {
    name: "planted-defect",
    load: (id) => {
      if (id !== path) return null;
      const text = readFileSync(path, "utf8");
      if (!text.includes(find)) throw new Error(`${file} has no ${find}`);
      return text.replace(find, () => replace);
    },
  };
}
