/** The flags of `continuo live …`. */

import type { ServerFlags } from "../channel/index.ts";

export interface LiveFlags extends ServerFlags {
  readonly json?: true;
}

export interface NotesFlags extends LiveFlags {
  readonly ids?: true;
}

export interface ListFlags extends LiveFlags {
  readonly removed?: true;
}

export interface ChangeFlags extends LiveFlags {
  readonly session?: true;
  readonly video?: true;
}

export interface ReplayFlags extends LiveFlags {
  readonly model?: true;
  readonly withoutContext?: true;
}

export interface ExportFlags extends ServerFlags {
  readonly format?: "md" | "html" | "json" | "zip";
  readonly output?: string;
  readonly force?: true;
  readonly follow?: string;
  readonly channel?: string;
  readonly as?: string;
}

export interface DemoFlags extends LiveFlags {
  readonly speed: number;
}
