/** The promises of each room, by its name. */

import { AHP } from "./ahp.ts";
import { CATALOG } from "./catalog.ts";
import { CATALOG_AGENTS } from "./catalog-agents.ts";
import { CATALOG_FIGURES } from "./catalog-figures.ts";
import { CATALOG_LOOK_UPS } from "./catalog-look-ups.ts";
import { CATALOG_WAYS_CATALOG } from "./catalog-marks.ts";
import { CATALOG_PRICES } from "./catalog-prices.ts";
import { CATALOG_READS } from "./catalog-reads.ts";
import { CATALOG_TEXTS } from "./catalog-texts.ts";
import { CHANNEL_CHANGES } from "./channel-changes.ts";
import { CHANNEL_HOLDERS } from "./channel-holders.ts";
import { CHANNEL_SWEEPS } from "./channel-sweeps.ts";
import { CHANNEL_WAYS_CHANNELS, CHANNEL_WAYS_SERVER } from "./channel-ways.ts";
import { CHANNEL_WRITES } from "./channel-writes.ts";
import { CHANNELS } from "./channels.ts";
import { CLI } from "./cli.ts";
import { CLIENT } from "./client.ts";
import { CLIENT_ENDS } from "./client-ends.ts";
import { CLIENT_FRAMES_CLIENT } from "./client-frames.ts";
import { CLIENT_LIVE } from "./client-live.ts";
import { CLIENT_MESSAGES } from "./client-messages.ts";
import { CLIENT_PAGES } from "./client-pages.ts";
import { CONVERSATIONS } from "./conversations.ts";
import { GATEWAY } from "./gateway.ts";
import { GATEWAY_LISTS } from "./gateway-lists.ts";
import { GATEWAY_UPDATES } from "./gateway-updates.ts";
import { GUARD_PROMISES } from "./guard.ts";
import { HANDOFF } from "./handoff.ts";
import { HOLDER_PROMISES, HOOK_PROMISES } from "./leases.ts";
import { LIVE } from "./live.ts";
import { MACHINE } from "./machine.ts";
import { MACHINE_CHATS } from "./machine-chats.ts";
import { MACHINE_HISTORIES } from "./machine-histories.ts";
import { MACHINE_LISTS } from "./machine-lists.ts";
import { MACHINE_PAGES_MACHINE } from "./machine-pages.ts";
import { MACHINE_ROWS } from "./machine-rows.ts";
import { MACHINE_SEARCHES } from "./machine-searches.ts";
import { MACHINE_TALKS } from "./machine-talks.ts";
import { MCP } from "./mcp.ts";
import { MCP_ANSWERS_MCP } from "./mcp-answers.ts";
import { MCP_BOUNDS } from "./mcp-limits.ts";
import { MCP_QUESTIONS } from "./mcp-questions.ts";
import { MCP_RECALL } from "./mcp-recall.ts";
import { MOVE_HANDOFF } from "./move.ts";
import { PAGES } from "./pages.ts";
import type { PromiseOfRoom } from "./promise.ts";
import { RELOCATE_CLI, RELOCATE_EDITING, RELOCATE_NATIVE } from "./relocate.ts";
import { RUNTIME_REPLAY } from "./replay.ts";
import { RUNTIME } from "./runtime.ts";
import { SEARCH } from "./search.ts";
import { SERVER } from "./server.ts";
import { SERVER_ACCESS } from "./server-access.ts";
import { SERVER_CHANNELS } from "./server-channels.ts";
import { SERVER_MACHINE } from "./server-machine.ts";
import { SERVER_PARTS } from "./server-parts.ts";
import { SERVER_PEERS } from "./server-peers.ts";
import { SERVER_REQUESTS } from "./server-requests.ts";
import { SERVER_STREAMS } from "./server-streams.ts";
import { SERVER_TOKENS_SERVER } from "./server-tokens.ts";
import { SERVER_USE } from "./server-use.ts";
import { SESSIONS } from "./sessions.ts";
import { SETUP_PROMISES } from "./setup.ts";
import { SINGLE } from "./single.ts";
import { WIRE } from "./wire.ts";

export const PROMISES: Readonly<Record<string, readonly PromiseOfRoom[]>> = {
  server: [
    ...SERVER,
    ...SERVER_ACCESS,
    ...SERVER_USE,
    ...CHANNEL_WAYS_SERVER,
    ...SERVER_TOKENS_SERVER,
    ...SERVER_STREAMS,
    ...SERVER_CHANNELS,
    ...SERVER_MACHINE,
    ...SERVER_PEERS,
    ...SERVER_REQUESTS,
    ...SERVER_PARTS,
  ],
  mcp: [...MCP, ...MCP_RECALL, ...MCP_QUESTIONS, ...MCP_ANSWERS_MCP, ...MCP_BOUNDS],
  channels: [
    ...CHANNELS,
    ...CHANNEL_CHANGES,
    ...CHANNEL_HOLDERS,
    ...CHANNEL_SWEEPS,
    ...CHANNEL_WAYS_CHANNELS,
    ...CHANNEL_WRITES,
  ],
  catalog: [
    ...CATALOG,
    ...CATALOG_FIGURES,
    ...CATALOG_AGENTS,
    ...CATALOG_WAYS_CATALOG,
    ...CATALOG_LOOK_UPS,
    ...CATALOG_PRICES,
    ...CATALOG_TEXTS,
    ...CATALOG_READS,
  ],
  client: [
    ...CLIENT,
    ...CLIENT_ENDS,
    ...CLIENT_LIVE,
    ...CLIENT_FRAMES_CLIENT,
    ...CLIENT_MESSAGES,
    ...CLIENT_PAGES,
  ],
  machine: [
    ...MACHINE,
    ...MACHINE_LISTS,
    ...MACHINE_HISTORIES,
    ...MACHINE_PAGES_MACHINE,
    ...MACHINE_CHATS,
    ...MACHINE_SEARCHES,
    ...MACHINE_ROWS,
    ...MACHINE_TALKS,
  ],
  pages: PAGES,
  wire: WIRE,
  cli: [...CLI, ...SINGLE, ...HOOK_PROMISES, ...SETUP_PROMISES, ...RELOCATE_CLI],
  runtime: [...RUNTIME_REPLAY, ...RUNTIME],
  sessions: [...SESSIONS],
  gateway: [...GATEWAY, ...GATEWAY_UPDATES, ...GATEWAY_LISTS],
  live: [...LIVE],
  ahp: [...AHP],
  editing: [...GUARD_PROMISES, ...RELOCATE_EDITING],
  native: RELOCATE_NATIVE,
  handoff: [...MOVE_HANDOFF, ...HANDOFF],
  files: HOLDER_PROMISES,
  conversations: [...CONVERSATIONS],
  search: [...SEARCH],
};
