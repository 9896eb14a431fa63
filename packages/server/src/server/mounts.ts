/** The parts of the server, one line each. */

import { pageAccess } from "./auth/index.ts";
import { blobs } from "./blobs/index.ts";
import { channels } from "./channels/index.ts";
import { cleaning } from "./cleaning/index.ts";
import type { CreateMount } from "./context/index.ts";
import { extension } from "./extension/index.ts";
import { live } from "./live/index.ts";
import { machine, mcp } from "./machine/index.ts";
import { audit, operation } from "./operation/index.ts";
import { clientModule, page } from "./page/index.ts";
import { phones } from "./phones/index.ts";
import { sessions } from "./sessions/index.ts";
import { streams } from "./streams/index.ts";
import { subscriptions } from "./subscriptions/index.ts";

export const MOUNTS: readonly CreateMount[] = [
  operation,
  page,
  clientModule,
  pageAccess,
  subscriptions,
  streams,
  sessions,
  blobs,
  audit,
  channels,
  live,
  extension,
  mcp,
  // Comes before `machine`, which refuses the rest of its paths.
  phones,
  machine,
  cleaning,
];

/** The parts at the address for phones: sessions and the inbox, and no stream, channel or tool. */
export const PHONE_PARTS: readonly CreateMount[] = [operation, page, pageAccess, machine];

/** The parts for a server inside of a program that has its own pages, tokens and machine. */
export const MOUNTED: readonly CreateMount[] = [clientModule, streams, sessions, blobs, channels, live];
