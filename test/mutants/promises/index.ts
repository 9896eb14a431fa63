/** The promises of each room, by its name. */

import { AHP } from "./ahp.ts";
import { CATALOG } from "./catalog.ts";
import { CATALOG_AGENTS } from "./catalog-agents.ts";
import { CATALOG_FIGURES } from "./catalog-figures.ts";
import { CATALOG_WAYS_CATALOG } from "./catalog-marks.ts";
import { CHANNEL_CHANGES } from "./channel-changes.ts";
import { CHANNEL_HOLDERS } from "./channel-holders.ts";
import { CHANNEL_SWEEPS } from "./channel-sweeps.ts";
import { CHANNEL_WAYS_CHANNELS, CHANNEL_WAYS_SERVER } from "./channel-ways.ts";
import { CHANNELS } from "./channels.ts";
import { CLI } from "./cli.ts";
import { CLIENT } from "./client.ts";
import { CLIENT_ENDS } from "./client-ends.ts";
import { CLIENT_FRAMES_CLIENT } from "./client-frames.ts";
import { CLIENT_LIVE } from "./client-live.ts";
import { CONVERSATIONS } from "./conversations.ts";
import { FIFTH_CATALOG, FIFTH_CLIENT, FIFTH_GATEWAY, FIFTH_MACHINE, FIFTH_MCP } from "./fifth-list.ts";
import {
  FOURTH_CATALOG,
  FOURTH_CHANNELS,
  FOURTH_CLIENT,
  FOURTH_CONVERSATIONS,
  FOURTH_GATEWAY,
  FOURTH_MACHINE,
  FOURTH_MCP,
  FOURTH_SERVER,
} from "./fourth-list.ts";
import { GATEWAY } from "./gateway.ts";
import { GUARD_PROMISES } from "./guard.ts";
import { HOLDER_PROMISES, HOOK_PROMISES } from "./leases.ts";
import { LIVE } from "./live.ts";
import { MACHINE } from "./machine.ts";
import { MACHINE_HISTORIES } from "./machine-histories.ts";
import { MACHINE_LISTS } from "./machine-lists.ts";
import { MACHINE_PAGES_MACHINE } from "./machine-pages.ts";
import { MCP } from "./mcp.ts";
import { MCP_ANSWERS_MCP } from "./mcp-answers.ts";
import { MCP_QUESTIONS } from "./mcp-questions.ts";
import { MCP_RECALL } from "./mcp-recall.ts";
import { MOVE_HANDOFF } from "./move.ts";
import { PAGES } from "./pages.ts";
import type { PromiseOfRoom } from "./promise.ts";
import { RELOCATE_CLI, RELOCATE_EDITING, RELOCATE_NATIVE } from "./relocate.ts";
import { RUNTIME_REPLAY } from "./replay.ts";
import { SEARCH } from "./search.ts";
import {
  SECOND_AHP,
  SECOND_CATALOG,
  SECOND_CHANNELS,
  SECOND_CLIENT,
  SECOND_GATEWAY,
  SECOND_HANDOFF,
  SECOND_LIVE,
  SECOND_MACHINE,
  SECOND_MCP,
  SECOND_RUNTIME,
  SECOND_SERVER,
  SECOND_SESSIONS,
} from "./second-list.ts";
import { SERVER } from "./server.ts";
import { SERVER_ACCESS } from "./server-access.ts";
import { SERVER_TOKENS_SERVER } from "./server-tokens.ts";
import { SERVER_USE } from "./server-use.ts";
import { SESSIONS } from "./sessions.ts";
import { SETUP_PROMISES } from "./setup.ts";
import {
  SEVENTH_CATALOG,
  SEVENTH_CLIENT,
  SEVENTH_GATEWAY,
  SEVENTH_HANDOFF,
  SEVENTH_LIVE,
  SEVENTH_MACHINE,
  SEVENTH_MCP,
  SEVENTH_RUNTIME,
  SEVENTH_SEARCH,
  SEVENTH_SERVER,
} from "./seventh-list.ts";
import { SINGLE } from "./single.ts";
import { SIXTH_CATALOG, SIXTH_CLIENT, SIXTH_GATEWAY, SIXTH_MACHINE } from "./sixth-list.ts";
import { THIRD_CATALOG, THIRD_CONVERSATIONS, THIRD_MACHINE, THIRD_SERVER } from "./third-list.ts";
import { WIRE } from "./wire.ts";

export const PROMISES: Readonly<Record<string, readonly PromiseOfRoom[]>> = {
  server: [
    ...SERVER,
    ...SERVER_ACCESS,
    ...SERVER_USE,
    ...CHANNEL_WAYS_SERVER,
    ...SERVER_TOKENS_SERVER,
    ...SECOND_SERVER,
    ...THIRD_SERVER,
    ...FOURTH_SERVER,
    ...SEVENTH_SERVER,
  ],
  mcp: [
    ...MCP,
    ...MCP_RECALL,
    ...MCP_QUESTIONS,
    ...MCP_ANSWERS_MCP,
    ...SECOND_MCP,
    ...FOURTH_MCP,
    ...FIFTH_MCP,
    ...SEVENTH_MCP,
  ],
  channels: [
    ...CHANNELS,
    ...CHANNEL_CHANGES,
    ...CHANNEL_HOLDERS,
    ...CHANNEL_SWEEPS,
    ...CHANNEL_WAYS_CHANNELS,
    ...SECOND_CHANNELS,
    ...FOURTH_CHANNELS,
  ],
  catalog: [
    ...CATALOG,
    ...CATALOG_FIGURES,
    ...CATALOG_AGENTS,
    ...CATALOG_WAYS_CATALOG,
    ...SECOND_CATALOG,
    ...THIRD_CATALOG,
    ...FOURTH_CATALOG,
    ...FIFTH_CATALOG,
    ...SIXTH_CATALOG,
    ...SEVENTH_CATALOG,
  ],
  client: [
    ...CLIENT,
    ...CLIENT_ENDS,
    ...CLIENT_LIVE,
    ...CLIENT_FRAMES_CLIENT,
    ...SECOND_CLIENT,
    ...FOURTH_CLIENT,
    ...FIFTH_CLIENT,
    ...SIXTH_CLIENT,
    ...SEVENTH_CLIENT,
  ],
  machine: [
    ...MACHINE,
    ...MACHINE_LISTS,
    ...MACHINE_HISTORIES,
    ...MACHINE_PAGES_MACHINE,
    ...SECOND_MACHINE,
    ...THIRD_MACHINE,
    ...FOURTH_MACHINE,
    ...FIFTH_MACHINE,
    ...SIXTH_MACHINE,
    ...SEVENTH_MACHINE,
  ],
  pages: PAGES,
  wire: WIRE,
  cli: [...CLI, ...SINGLE, ...HOOK_PROMISES, ...SETUP_PROMISES, ...RELOCATE_CLI],
  runtime: [...RUNTIME_REPLAY, ...SECOND_RUNTIME, ...SEVENTH_RUNTIME],
  sessions: [...SESSIONS, ...SECOND_SESSIONS],
  gateway: [
    ...GATEWAY,
    ...SECOND_GATEWAY,
    ...FOURTH_GATEWAY,
    ...FIFTH_GATEWAY,
    ...SIXTH_GATEWAY,
    ...SEVENTH_GATEWAY,
  ],
  live: [...LIVE, ...SECOND_LIVE, ...SEVENTH_LIVE],
  ahp: [...AHP, ...SECOND_AHP],
  editing: [...GUARD_PROMISES, ...RELOCATE_EDITING],
  native: RELOCATE_NATIVE,
  handoff: [...MOVE_HANDOFF, ...SECOND_HANDOFF, ...SEVENTH_HANDOFF],
  files: HOLDER_PROMISES,
  conversations: [...CONVERSATIONS, ...THIRD_CONVERSATIONS, ...FOURTH_CONVERSATIONS],
  search: [...SEARCH, ...SEVENTH_SEARCH],
};
