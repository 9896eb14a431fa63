/** A session as a file that is written while it is read. */

import type { LookUpHit } from "@continuo/agents/catalog";
import type { ExportedFile, ExportRequest } from "@continuo/core/wire/machine";
import { type ZipEntry, zipChunks } from "@continuo/files";
import type { MachineOptions } from "./options.ts";

const TYPES: Readonly<Record<ExportRequest["format"], string>> = {
  md: "text/markdown; charset=utf-8",
  html: "text/html; charset=utf-8",
  json: "application/json",
  jsonl: "application/jsonl",
};

/** Writes only as fast as the file is read. A failure cuts the file off. */
export function createExportFile(
  hit: LookUpHit,
  wish: ExportRequest,
  { exportTo }: MachineOptions,
): ExportedFile {
  const { readable, writable } = new TextEncoderStream();
  const writer = writable.getWriter();
  const write = async (text: string): Promise<void> => {
    await writer.ready;
    // After the reader stopped, the next write fails.
    writer.write(text).catch(() => undefined);
  };
  exportTo(hit, wish, write).then(
    () => writer.close().catch(() => undefined),
    (error: unknown) => writer.abort(error).catch(() => undefined),
  );
  const { agent, sessionId } = hit.kind === "own" ? hit.row : hit.native.found;
  const name = `${agent}-${sessionId}`.replace(/[^\w.-]/gu, "_").slice(0, 200);
  return {
    fileName: `${name}.${wish.format}`,
    mimeType: TYPES[wish.format],
    body: readable as ReadableStream<Uint8Array>,
  };
}

/**
 * One archive with a file for each session; only one session at a time is in memory. A failure cuts the archive off.
 */
export function createExportArchive(
  hits: AsyncIterable<LookUpHit>,
  wish: ExportRequest,
  options: MachineOptions,
): ExportedFile {
  return {
    fileName: "sessions.zip",
    mimeType: "application/zip",
    body: ReadableStream.from(zipChunks(entriesOf(hits, wish, options))),
  };
}

async function* entriesOf(
  hits: AsyncIterable<LookUpHit>,
  wish: ExportRequest,
  options: MachineOptions,
): AsyncGenerator<ZipEntry, void, void> {
  const names = new Set<string>();
  for await (const hit of hits) {
    const { fileName, body } = createExportFile(hit, wish, options);
    // Two files of an agent can have one id.
    const name = names.has(fileName) ? `${names.size}-${fileName}` : fileName;
    names.add(name);
    yield {
      name,
      bytes: new Uint8Array(
        await new Response(body as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer(),
      ),
    };
  }
}
