/** One session: its head, its history in windows, its outline, what it changed, and its growth. */

import { present } from "@continuo/core/model";
import { type GrowthEvent, MACHINE_ROOT, type MachineService, ONLY_READS } from "@continuo/core/wire/machine";
import type { Hono } from "hono";
import { z } from "zod";
import type { ServerContext, ServerEnv } from "../context/index.ts";
import { chatEventsFor, mayChange } from "./chat-routes.ts";
import { eventStream, merged, type PushedEvent } from "./event-stream.ts";
import { COUNT, keyOf, type MachineAccess, NAME, parseInput, parseQuery, WORDS } from "./request-input.ts";

const SESSION = `${MACHINE_ROOT}/sessions/:key`;
const MESSAGE = `${SESSION}/messages/:message`;

const VIEW = { view: z.enum(["history", "model"]).optional(), branch: NAME.optional() };
const WINDOW = z.strictObject({
  ...VIEW,
  before: NAME.optional(),
  after: NAME.optional(),
  around: NAME.optional(),
  limit: COUNT.pipe(z.number().min(1).max(500)).optional(),
});
const TEXT = z.strictObject({ ...VIEW, path: NAME, from: COUNT });
const IMAGE = z.strictObject({ ...VIEW, path: NAME });
const GROWTH = z.strictObject({
  ...VIEW,
  after: NAME.max(200).optional(),
  chat: z.literal("include").optional(),
});
const OUTLINE = z.strictObject({
  ...VIEW,
  before: COUNT.optional(),
  limit: COUNT.pipe(z.number().min(1).max(5_000)).optional(),
  prints: z.literal("include").optional(),
});
const FIND = z.strictObject({
  ...VIEW,
  words: WORDS.regex(/\S/u, "has no words"),
  before: COUNT.optional(),
  limit: COUNT.pipe(z.number().min(1).max(500)).optional(),
});
const CHANGES = z.strictObject({ ...VIEW, path: NAME.max(2_000).optional(), after: COUNT.optional() });

export function sessionRoutes(app: Hono<ServerEnv>, context: ServerContext, asked: MachineAccess): void {
  app.get(SESSION, async (c) => {
    parseQuery(c, z.strictObject({}));
    const head = await (await asked(c, "read")).session(keyOf(c), c.req.raw.signal);
    return Response.json((await mayChange(c, asked)) ? head : { ...head, readOnly: ONLY_READS });
  });
  app.get(`${SESSION}/known`, async (c) => {
    parseQuery(c, z.strictObject({}));
    const { head, ...known } = await (await asked(c, "read")).known(keyOf(c), c.req.raw.signal);
    const shown = head === null || (await mayChange(c, asked)) ? head : { ...head, readOnly: ONLY_READS };
    return Response.json({ ...known, head: shown });
  });
  app.get(`${SESSION}/branches`, async (c) => {
    parseQuery(c, z.strictObject({}));
    return Response.json(await (await asked(c, "read")).branches(keyOf(c), c.req.raw.signal));
  });
  app.get(`${SESSION}/history`, async (c) => {
    const service = await asked(c, "read");
    const query = present(parseQuery(c, WINDOW));
    return Response.json(await service.history({ key: keyOf(c), ...query }, c.req.raw.signal));
  });
  app.get(`${SESSION}/outline`, async (c) => {
    const service = await asked(c, "read");
    const query = present(parseQuery(c, OUTLINE));
    return Response.json(await service.outline({ key: keyOf(c), ...query }, c.req.raw.signal));
  });
  app.get(`${SESSION}/facts`, async (c) => {
    const service = await asked(c, "read");
    const query = present(parseQuery(c, z.strictObject(VIEW)));
    return Response.json(await service.facts({ key: keyOf(c), ...query }, c.req.raw.signal));
  });
  app.get(`${SESSION}/find`, async (c) => {
    const service = await asked(c, "read");
    const query = present(parseQuery(c, FIND));
    return Response.json(await service.find({ key: keyOf(c), ...query }, c.req.raw.signal));
  });
  app.get(`${SESSION}/changes`, async (c) => {
    const service = await asked(c, "read");
    const { path, ...query } = present(parseQuery(c, CHANGES));
    const name = { key: keyOf(c), ...query };
    const { signal } = c.req.raw;
    const answer =
      path === undefined ? service.changes(name, signal) : service.fileChanges({ ...name, path }, signal);
    return Response.json(await answer);
  });
  app.get(`${SESSION}/events`, async (c) => {
    const service = await asked(c, "read");
    const { chat, ...query } = present(parseQuery(c, GROWTH));
    const chatEvents = chat === undefined ? null : await chatEventsFor(c, asked);
    // A reconnecting browser sends the last id that it received.
    const after = c.req.header("last-event-id") ?? query.after;
    const name = { key: keyOf(c), ...query, ...(after === undefined ? {} : { after: after.slice(0, 200) }) };
    return eventStream(c, context, (signal) => {
      const grown = growthEvents(service, name, signal);
      return chatEvents === null ? grown : merged([grown, withNames(chatEvents(signal))]);
    });
  });
  partRoutes(app, asked);
}

function partRoutes(app: Hono<ServerEnv>, asked: MachineAccess): void {
  app.get(`${MESSAGE}/text`, async (c) => {
    const service = await asked(c, "read");
    const query = present(parseQuery(c, TEXT));
    const name = { key: keyOf(c), messageId: parseInput(c.req.param("message"), NAME), ...query };
    return Response.json(await service.text(name, c.req.raw.signal));
  });
  app.get(`${MESSAGE}/image`, async (c) => {
    const service = await asked(c, "read");
    const query = present(parseQuery(c, IMAGE));
    const name = { key: keyOf(c), messageId: parseInput(c.req.param("message"), NAME), ...query };
    const { mimeType, bytes } = await service.image(name, c.req.raw.signal);
    return new Response(bytes, {
      headers: {
        "content-type": mimeType,
        "cache-control": "private, max-age=3600",
      },
    });
  });
}

async function* growthEvents(
  service: MachineService,
  name: Parameters<MachineService["growth"]>[0],
  signal: AbortSignal,
): AsyncGenerator<PushedEvent, void, void> {
  for await (const event of service.growth(name, signal)) yield toPushed(event);
}

/** Prefixes the names of the chat's events, because both sources have events of the same name. */
async function* withNames(events: AsyncIterable<PushedEvent>): AsyncGenerator<PushedEvent, void, void> {
  for await (const { event, ...rest } of events) yield { event: `chat-${event}`, ...rest };
}

function toPushed(event: GrowthEvent): PushedEvent {
  const { type, ...data } = event;
  return { event: type, data, ...("position" in event ? { id: event.position } : {}) };
}
