/** What a server asks of the machine that it runs on: the answers of `/v1/machine/`, without HTTP. */

import type { ListQuery, SessionsChanged, SessionsPage } from "./list.ts";

export interface MachineService {
  /** Errors: `invalid` for a cursor that is none; `unavailable` where the text cannot be searched. */
  sessions(query: ListQuery): Promise<SessionsPage>;
  /** What changes in the list from now on; ends when the signal aborts. */
  changed(signal: AbortSignal): AsyncIterable<SessionsChanged>;
  close(): Promise<void>;
}
