/**
 * Every log as a Durable Stream at `/v1/stream/*`.
 *
 * Promises: the complete protocol, over the port of the store; one request is at most one transaction.
 * Does not know: sockets, or permissions (the context checks them).
 */

import type { CreateMount } from "../context/index.ts";
import { appendToStream } from "./append.ts";
import { type Call, callOf } from "./call.ts";
import { createStream } from "./create.ts";
import { deleteStream, describeStream } from "./head.ts";
import { MediaTypes } from "./media-types.ts";
import { readStream } from "./read.ts";

const HANDLERS: Readonly<Record<string, (call: Call) => Promise<Response>>> = {
  PUT: createStream,
  POST: appendToStream,
  GET: readStream,
  HEAD: describeStream,
  DELETE: deleteStream,
};

export const streams: CreateMount = (context) => {
  const mediaTypes = new MediaTypes();
  return {
    routes: (app) => {
      app.all("/v1/stream/*", async (c) => {
        const handler = HANDLERS[c.req.method];
        if (handler === undefined) {
          return new Response(null, { status: 405, headers: { allow: Object.keys(HANDLERS).join(", ") } });
        }
        return handler(callOf(c.req.raw, c.var.grant, { context, mediaTypes }));
      });
    },
  };
};
