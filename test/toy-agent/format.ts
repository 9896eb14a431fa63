/** The toy agent's `AgentFormat`. */

import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { SessionInfo } from "@continuo/core/model";
import { isJson, type Json, statFile, textField } from "@continuo/files";
import { openLines } from "@continuo/files/records";
import type { FoundSession } from "@continuo/native/kit";
import type { AgentFormat } from "../../packages/native/src/native/format/index.ts";
import { openByScan } from "../../packages/native/src/native/scanning/index.ts";
import { folderOf, TOY } from "./places.ts";
import { rowOf, toyScan } from "./scan.ts";

export const toyFormat: AgentFormat = {
  agent: TOY,
  folders: (places) => [folderOf(places)],
  async *find(places, { cwd }) {
    const folder = folderOf(places);
    if (statFolder(folder) === null) return;
    for (const name of readdirSync(folder).filter((each) => each.endsWith(".toy"))) {
      const found = toFound(join(folder, name));
      if (cwd === undefined || textField(await headOf(found), "cwd") === cwd) yield found;
    }
  },
  async recognise(path) {
    return path.endsWith(".toy") && statFile(path) !== null ? toFound(path) : null;
  },
  async skim(found): Promise<SessionInfo> {
    const state = await toyScan.create({ found, partial: false, signal: undefined } as never);
    if (state === null) throw new Error("a whole session can always be scanned");
    using lines = openLines(found.location, 0);
    for await (const batch of lines.scan()) for (const record of batch) toyScan.fold(state, record);
    return rowOf(found, state, []);
  },
  open: openByScan(toyScan),
  modelView: (history) => history.filter(({ role }) => role !== "system"),
  trashPlan: async ({ location }) => ({ type: "files", paths: [location], indexLines: [], forks: [] }),
  writer: async () => (await import("./changes.ts")).toyWriter,
  forker: async () => (await import("./changes.ts")).toyForker,
  repairer: async () => ({ of: "lines", repairer: (await import("./changes.ts")).toyRepairer }),
};

function toFound(path: string): FoundSession {
  const file = statFile(path);
  return {
    agent: TOY,
    sessionId: basename(path, ".toy"),
    location: path,
    files: file === null ? [] : [file],
    archived: false,
    live: null,
    problems: [],
  };
}

function statFolder(path: string): readonly string[] | null {
  try {
    return readdirSync(path);
  } catch {
    return null;
  }
}

async function headOf({ location }: FoundSession): Promise<Json> {
  using lines = openLines(location, 0);
  for await (const [first] of lines.scan()) return isJson(first?.value) ? first.value : {};
  return {};
}
