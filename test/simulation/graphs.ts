/**
 * Copies of our own code, each with modules of its own, as each process has them: `?copy=3` behind the URL of a module
 * is handed on to what it imports. A planted defect replaces words of one file in every copy.
 */

import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileOf } from "../house/imports.ts";

const SOURCE = new URL("../../", import.meta.url).href;
const OURS = new URL("../../packages/", import.meta.url).href;

export interface Defect {
  readonly name: string;
  /** The room and what lies in it, such as `store/rules/append.ts`. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

export function installGraphs(defect: Defect | undefined): void {
  registerHooks({
    resolve: (specifier, context, next) => {
      const resolved = next(specifier, context);
      const copy = /\?copy=\d+$/u.exec(context.parentURL ?? "")?.[0] ?? "";
      return resolved.url.startsWith(OURS) && !resolved.url.includes("?")
        ? { ...resolved, url: resolved.url + copy }
        : resolved;
    },
    load: (url, context, next) => {
      if (defect === undefined || url.split("?")[0] !== SOURCE + fileOf(defect.file))
        return next(url, context);
      const text = readFileSync(new URL(SOURCE + fileOf(defect.file)), "utf8");
      if (!text.includes(defect.find)) throw new Error(`${defect.file} has no ${defect.find}`);
      const source = text.replace(defect.find, () => defect.replace);
      return { format: "module-typescript", source, shortCircuit: true };
    },
  });
}

type Sessions = typeof import("@continuo/store/sessions");
type Model = typeof import("@continuo/core/model");

export interface Graph {
  readonly sessions: Sessions;
  readonly model: Model;
}

/** The session manager as one process has it. */
export async function loadGraph(copy: number): Promise<Graph> {
  const of = (file: string): Promise<unknown> => import(`${SOURCE}${fileOf(file)}?copy=${copy}`);
  return {
    sessions: (await of("sessions/index.ts")) as Sessions,
    model: (await of("model/index.ts")) as Model,
  };
}
