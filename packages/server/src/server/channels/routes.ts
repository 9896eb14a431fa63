/**
 * Channels over HTTP: lists, whole messages, anchors, stored events, and messages of senders that are not connected.
 */

import { randomUUID } from "node:crypto";
import { ContinuoError, type Log, present, type Store, type StoredEvent } from "@continuo/core/model";
import {
  type Access,
  type AnchorAnswer,
  allows,
  assertName,
  type ChannelHead,
  type ChannelRow,
  type ChannelsPage,
  channelLogId,
  type MessageAnswer,
  type PostFrame,
  parseClientFrame,
  participantTypeOf,
} from "@continuo/core/wire";
import { blobsOf, lastAnchor, post, readMessages, summaryOf } from "@continuo/store/channels";
import type { Hono } from "hono";
import { handlesOf, requireHandle } from "../auth/index.ts";
import { requireOwner } from "../blobs/index.ts";
import { type Grant, LIMITS as SERVER_LIMITS, type ServerContext, type ServerEnv } from "../context/index.ts";
import { countedAnswer, jsonAnswer, readJsonObject } from "../http/index.ts";
import { serverMeter } from "../operation/index.ts";
import { openForGrant } from "./admit.ts";
import type { Hub } from "./hub.ts";
import { LIMITS } from "./limits.ts";
import { keepStateWhenDue } from "./requests.ts";

interface ChannelCall {
  readonly context: ServerContext;
  readonly grant: Grant;
  readonly channel: string;
  readonly access: Access;
}

function storeFor({ context, grant, channel, access }: ChannelCall): Store {
  assertName("channel", channel);
  context.require(grant, { kind: "channel", name: channel, access });
  return context.store(grant.workspaceId);
}

export function channelRoutes(app: Hono<ServerEnv>, context: ServerContext, hub: Hub): void {
  const asked = (grant: Grant, channel: string): ChannelCall => ({ context, grant, channel, access: "read" });
  app.get("/v1/channels", async (c) => {
    const store = context.store(c.var.grant.workspaceId);
    const limit = numberIn(c.req.query("limit"), { otherwise: LIMITS.channels, most: LIMITS.channels });
    const cursor = c.req.query("cursor");
    const page = await listChannels(store, c.var.grant, present({ limit: Math.max(1, limit), cursor }));
    if (c.req.query("summary") !== "true") return Response.json(page);
    return Response.json({ ...page, channels: await withSummaries(store, page.channels) });
  });
  app.get("/v1/channels/:channel", async (c) => {
    const channel = c.req.param("channel");
    const store = storeFor(asked(c.var.grant, channel));
    hub.serves(store);
    const latestSequence = await store.latestSequence(channelLogId(channel));
    const { grant } = c.var;
    const handles = handlesOf(grant);
    const head: ChannelHead = {
      channel,
      workspaceId: grant.workspaceId,
      latestSequence,
      roster: await hub.roster(store, channel),
      access: (["read", "write"] as const).filter(
        (access) =>
          allows(grant.scopes, { kind: "channel", name: channel, access }) &&
          (access === "read" || handles !== "none"),
      ),
      handle: typeof handles === "string" ? null : handles.only,
    };
    return Response.json(head);
  });
  app.get("/v1/channels/:channel/messages", async (c) => {
    const channel = c.req.param("channel");
    const store = storeFor(asked(c.var.grant, channel));
    const limit = numberIn(c.req.query("limit"), { otherwise: 100, most: LIMITS.messages });
    const before = c.req.query("before");
    const asks = {
      limit: Math.max(1, limit),
      ...(before === undefined ? {} : { before: numberIn(before, { otherwise: 0, most: ANY }) }),
      notices: c.req.query("notices") === "true",
    };
    return await countedAnswer({ context, grant: c.var.grant }, LIMITS.messagesBytes, async () =>
      jsonAnswer(await readMessages(store, channel, asks)),
    );
  });
  app.get("/v1/channels/:channel/anchor", async (c) => {
    const channel = c.req.param("channel");
    const store = storeFor(asked(c.var.grant, channel));
    const answer: AnchorAnswer = { sequence: await lastAnchor(store, channelLogId(channel)) };
    return Response.json(answer);
  });
  app.get("/v1/channels/:channel/events", async (c) => {
    const channel = c.req.param("channel");
    const store = storeFor(asked(c.var.grant, channel));
    const after = numberIn(c.req.query("after"), { otherwise: 0, most: ANY });
    const page = { after, limit: LIMITS.events, maxBytes: SERVER_LIMITS.pageBytes };
    return await countedAnswer({ context, grant: c.var.grant }, SERVER_LIMITS.pageBytes, async () =>
      jsonAnswer(await store.read(channelLogId(channel), page)),
    );
  });
  app.post("/v1/channels/:channel/messages", async (c) => {
    const channel = c.req.param("channel");
    const store = storeFor({ ...asked(c.var.grant, channel), access: "write" });
    const saying = { context, channel, grant: c.var.grant };
    return Response.json(await say(store, saying, await readJsonObject(c.req.raw)));
  });
  changeRoutes(app, context);
}

const MESSAGE = "/v1/channels/:channel/messages/:message";
const REACTION = `${MESSAGE}/reactions/:reaction`;

/** Changes of a message that has ended. The `id` of the event makes a repeated request change nothing more. */
function changeRoutes(app: Hono<ServerEnv>, context: ServerContext): void {
  const writing = (grant: Grant, channel: string): ChannelCall => ({
    context,
    grant,
    channel,
    access: "write",
  });
  app.put(MESSAGE, async (c) => {
    const { channel, message: messageId } = c.req.param();
    const { content, handle, id } = await readJsonObject(c.req.raw);
    const frame = { type: "edit", messageId, content, id };
    return Response.json(await postChange(writing(c.var.grant, channel), { handle, frame }));
  });
  app.delete(MESSAGE, async (c) => {
    const { channel, message: messageId } = c.req.param();
    const { handle, reason, id } = c.req.query();
    const frame = { type: "delete", messageId, reason, id };
    return Response.json(await postChange(writing(c.var.grant, channel), { handle, frame }));
  });
  app.put(REACTION, async (c) => {
    const { channel, message: messageId, reaction } = c.req.param();
    const { handle, id } = c.req.query();
    const frame = { type: "react", messageId, reaction, change: "added", id };
    return Response.json(await postChange(writing(c.var.grant, channel), { handle, frame }));
  });
  app.delete(REACTION, async (c) => {
    const { channel, message: messageId, reaction } = c.req.param();
    const { handle, id } = c.req.query();
    const frame = { type: "react", messageId, reaction, change: "removed", id };
    return Response.json(await postChange(writing(c.var.grant, channel), { handle, frame }));
  });
}

async function postChange(
  call: ChannelCall,
  { handle, frame }: { readonly handle: unknown; readonly frame: Readonly<Record<string, unknown>> },
): Promise<MessageAnswer> {
  const store = storeFor(call);
  if ((await store.getLog(channelLogId(call.channel))) === null) {
    throw new ContinuoError("not_found", `there is no channel ${call.channel}`);
  }
  const { sequence } = await postFor(store, call, { handle, type: "person", frame });
  return { messageId: String(frame.messageId), sequence };
}

const ANY = Number.MAX_SAFE_INTEGER;

/**
 * A page may have fewer channels than the limit, even none, because channels that the token may not read are left out.
 */
async function listChannels(
  store: Store,
  grant: Grant,
  page: { readonly limit: number; readonly cursor?: string },
): Promise<ChannelsPage> {
  const channels: ChannelRow[] = [];
  let cursor: string | null | undefined = page.cursor;
  // The list is read in steps, and other requests run between them.
  for (let left = page.limit; left > 0 && cursor !== null; left -= LIMITS.channelsAtOnce) {
    const limit = Math.min(left, LIMITS.channelsAtOnce);
    const stretch: Awaited<ReturnType<Store["listLogs"]>> = await store.listLogs(
      present({ prefix: channelLogId(""), limit, cursor }),
    );
    channels.push(...stretch.items.map(toRow).filter(({ channel }) => mayRead(grant, channel)));
    cursor = stretch.nextCursor;
  }
  return { channels, nextCursor: cursor ?? null };
}

function mayRead({ scopes }: Grant, channel: string): boolean {
  return allows(scopes, { kind: "channel", name: channel, access: "read" });
}

function toRow({ logId, latestSequence, createdAt, changedAt }: Log): ChannelRow {
  return { channel: logId.slice(channelLogId("").length), latestSequence, createdAt, changedAt };
}

/**
 * Adds the summaries. Nothing is cached, so a redacted message is in no list. Channels are read in groups, so that
 * little is in memory.
 */
async function withSummaries(store: Store, channels: readonly ChannelRow[]): Promise<readonly ChannelRow[]> {
  const rows: ChannelRow[] = [];
  for (let from = 0; from < channels.length; from += LIMITS.summariesAtOnce) {
    const group = channels.slice(from, from + LIMITS.summariesAtOnce);
    const one = async (row: ChannelRow): Promise<ChannelRow> => ({
      ...row,
      summary: await summaryOf(store, row),
    });
    rows.push(...(await Promise.all(group.map(one))));
  }
  return rows;
}

/** One whole message. Errors: `forbidden` for a handle that the token does not have, `invalid`, `not_found`. */
async function say(
  store: Store,
  call: Omit<ChannelCall, "access">,
  {
    handle,
    id,
    content,
    to,
    replyTo,
    attachments,
    participantType = "person",
  }: Readonly<Record<string, unknown>>,
): Promise<MessageAnswer> {
  const frame = { type: "send", id, content, to, replyTo, attachments };
  const type = participantTypeOf(participantType);
  const event = await postFor(store, call, { handle, type, frame });
  return { messageId: event.id, sequence: event.sequence };
}

/** Stores a message of a participant that is not connected, with the same checks as a frame. */
async function postFor(
  store: Store,
  { context, channel, grant }: Omit<ChannelCall, "access">,
  given: {
    readonly handle: unknown;
    readonly type: string;
    readonly frame: Readonly<Record<string, unknown>>;
  },
): Promise<StoredEvent> {
  const handles = handlesOf(grant);
  const own = typeof handles === "string" ? undefined : handles.only;
  const handle = assertName("handle", given.handle ?? own);
  requireHandle(grant, handle);
  const { id = randomUUID() } = given.frame;
  const frame = parseClientFrame(JSON.stringify({ ...given.frame, request: 0, id })) as PostFrame;
  const blobs = "content" in frame ? blobsOf(frame) : [];
  await requireOwner(store, grant, { logId: channelLogId(channel), id: frame.id, blobs });
  await openForGrant({ context, channel, grant }, store);
  const moderates = allows(grant.scopes, { kind: "admin" });
  const author = { channel, handle, type: given.type, instance: "http", moderates };
  const event = await post(store, author, { frame, open: new Map() });
  serverMeter.count("continuo.channel.messages", 1, { type: frame.type });
  keepStateWhenDue(store, channel, event);
  return event;
}

/** Errors: `invalid`. */
function numberIn(
  text: string | undefined,
  { otherwise, most }: { otherwise: number; most: number },
): number {
  if (text === undefined) return otherwise;
  if (/^\d{1,15}$/u.test(text)) return Math.min(Number(text), most);
  throw new ContinuoError("invalid", `this is not a number: ${JSON.stringify(text.slice(0, 40))}`);
}
