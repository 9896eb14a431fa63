/** What the parts of the machine share: the list, the histories, and the way from a key to both. */

import type { HistoryName } from "../wire/machine/index.ts";
import type { Asked, Histories, Whole } from "./history/index.ts";
import type { NamedSession } from "./named.ts";
import type { MachineOptions } from "./options.ts";
import type { RowSource } from "./rows.ts";

export interface Machine {
  readonly options: MachineOptions;
  readonly source: RowSource;
  readonly histories: Histories;
  /** Errors: `not_found`. */
  named(key: string, signal: AbortSignal): Promise<NamedSession>;
  asked(name: HistoryName, signal: AbortSignal): Promise<Asked>;
  withWhole<T>(name: HistoryName, signal: AbortSignal, use: (whole: Whole) => T): Promise<T>;
}
