/** Actions on a session. Changes need `machine:write`; previews need only `machine:read`. */

import { AGENT_NAMES, ContinuoError, present } from "@continuo/core/model";
import { allows } from "@continuo/core/wire";
import { type ExportedFile, MACHINE_ROOT } from "@continuo/core/wire/machine";
import type { Hono } from "hono";
import { z } from "zod";
import type { Grant, ServerContext, ServerEnv } from "../context/index.ts";
import { downloadHeaders } from "../http/index.ts";
import {
  bodyOf,
  COUNT,
  keyOf,
  type MachineAccess,
  NAME,
  parseInput,
  parseQuery,
  recordAct,
} from "./request-input.ts";

const SESSION = `${MACHINE_ROOT}/sessions/:key`;
const NOTHING = z.strictObject({});
const PATH = z.string().min(1).max(4_096).startsWith("/");
const RENAME = z.strictObject({ title: z.string().min(1).max(1_000) });
const TAGS = z.array(z.string().min(1).max(100)).max(20).optional();
const MARK = z.strictObject({ pinned: z.boolean().optional(), addTags: TAGS, removeTags: TAGS });
const FORK = z.strictObject({ at: NAME.optional() });
const TO = z.enum(AGENT_NAMES);
const PREVIEW = z.strictObject({ to: TO, cwd: PATH.optional(), maxMessages: COUNT.optional() });
const HAND_OFF = z.strictObject({
  to: TO,
  cwd: PATH.optional(),
  maxMessages: z.number().int().min(1).max(999_999_999).optional(),
});
const EXPORT = z.strictObject({
  format: z.enum(["md", "html", "json", "jsonl"]),
  secrets: z.enum(["masked"]).optional(),
});

const EXPORT_ALL = EXPORT.extend({ keys: z.array(NAME.max(1_000)).min(1).max(500) });

export function actionRoutes(app: Hono<ServerEnv>, context: ServerContext, asked: MachineAccess): void {
  previewRoutes(app, context, asked);
  app.post(`${SESSION}/terminal`, async (c) => {
    const { actions } = await asked(c, "write");
    await bodyOf(c, NOTHING);
    if (!c.var.grant.peer.isLoopback) throw fromElsewhere();
    await recordAct(c, context, "agent_started");
    return Response.json(await actions.openTerminal(keyOf(c), c.req.raw.signal));
  });
  app.post(`${SESSION}/rename`, async (c) => {
    const { actions } = await asked(c, "write");
    return Response.json(await actions.rename(keyOf(c), await bodyOf(c, RENAME), c.req.raw.signal));
  });
  app.post(`${SESSION}/marks`, async (c) => {
    const { actions } = await asked(c, "write");
    const body = present(await bodyOf(c, MARK));
    return Response.json(await actions.mark(keyOf(c), body, c.req.raw.signal));
  });
  app.post(`${SESSION}/fork`, async (c) => {
    const { actions } = await asked(c, "write");
    const body = present(await bodyOf(c, FORK));
    return Response.json(await actions.fork(keyOf(c), body, c.req.raw.signal), { status: 201 });
  });
  app.post(`${SESSION}/delete`, async (c) => {
    const { actions } = await asked(c, "write");
    await bodyOf(c, NOTHING);
    await recordAct(c, context, "session_deleted");
    return Response.json(await actions.delete(keyOf(c), c.req.raw.signal));
  });
  app.post(`${MACHINE_ROOT}/trash/empty`, async (c) => {
    const { actions } = await asked(c, "write");
    await bodyOf(c, NOTHING);
    await recordAct(c, context, "session_deleted", "the trash");
    return Response.json(await actions.emptyTrash());
  });
  app.post(`${MACHINE_ROOT}/trash/:id/restore`, async (c) => {
    const { actions } = await asked(c, "write");
    await bodyOf(c, NOTHING);
    return Response.json(await actions.restore(parseInput(c.req.param("id"), NAME)));
  });
  app.post(`${SESSION}/repair`, async (c) => {
    const { actions } = await asked(c, "write");
    await bodyOf(c, NOTHING);
    return Response.json(await actions.repair(keyOf(c), "in place", c.req.raw.signal));
  });
  app.post(`${SESSION}/bring-back`, async (c) => {
    const { actions } = await asked(c, "write");
    await bodyOf(c, NOTHING);
    return Response.json(await actions.bringBack(keyOf(c), "in place", c.req.raw.signal));
  });
  app.post(`${SESSION}/handoff`, async (c) => {
    const { actions } = await asked(c, "write");
    const body = present(await bodyOf(c, HAND_OFF));
    return Response.json(await actions.handOff(keyOf(c), body, c.req.raw.signal), { status: 201 });
  });
}

function previewRoutes(app: Hono<ServerEnv>, context: ServerContext, asked: MachineAccess): void {
  app.get(`${SESSION}/resume`, async (c) => {
    const { actions } = await asked(c, "read");
    parseQuery(c, NOTHING);
    const offer = await actions.resume(keyOf(c), c.req.raw.signal);
    return Response.json(mayOpenTerminal(c.var.grant) ? offer : { ...offer, terminal: null });
  });
  app.get(`${SESSION}/repair`, async (c) => {
    const { actions } = await asked(c, "read");
    parseQuery(c, NOTHING);
    return Response.json(await actions.repair(keyOf(c), "preview", c.req.raw.signal));
  });
  app.get(`${SESSION}/bring-back`, async (c) => {
    const { actions } = await asked(c, "read");
    parseQuery(c, NOTHING);
    return Response.json(await actions.bringBack(keyOf(c), "preview", c.req.raw.signal));
  });
  app.get(`${SESSION}/handoff`, async (c) => {
    const { actions } = await asked(c, "read");
    const query = present(parseQuery(c, PREVIEW));
    return Response.json(await actions.handOffPreview(keyOf(c), query, c.req.raw.signal));
  });
  app.get(`${SESSION}/export`, async (c) => {
    const { actions } = await asked(c, "read");
    const query = present(parseQuery(c, EXPORT));
    await recordAct(c, context, "session_exported");
    return fileAnswer(await actions.export(keyOf(c), query, c.req.raw.signal));
  });
  app.post(`${MACHINE_ROOT}/export`, async (c) => {
    const { actions } = await asked(c, "read");
    const body = present(await bodyOf(c, EXPORT_ALL));
    for (const key of body.keys) await recordAct(c, context, "session_exported", key);
    return fileAnswer(actions.exportAll(body, c.req.raw.signal));
  });
}

function fileAnswer({ fileName, mimeType, body }: ExportedFile): Response {
  return new Response(body as ReadableStream<Uint8Array<ArrayBuffer>>, {
    headers: { "content-type": mimeType, ...downloadHeaders(fileName), "cache-control": "no-store" },
  });
}

function mayOpenTerminal({ scopes, peer }: Grant): boolean {
  return peer.isLoopback && allows(scopes, { kind: "machine", access: "write" });
}

function fromElsewhere(): ContinuoError {
  return new ContinuoError("forbidden", "a terminal is opened only for a request from this machine itself", {
    hint: "Copy the command, and run it in a terminal of your own.",
  });
}
