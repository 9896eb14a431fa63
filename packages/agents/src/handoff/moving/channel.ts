/** The connection of two machines over a pair of streams: lines of JSON, and between them the bytes of a bundle. */

import type { Readable, Writable } from "node:stream";
import { type ContinuoError, isContinuoError, present } from "@continuo/core/model";
import { parseJson } from "@continuo/files";
import { MAX_LINE_BYTES } from "./limits.ts";

export interface MoveChannel {
  /** The next line; `null` at the end. Errors: those of `toError`. */
  readLine(): Promise<unknown>;
  /** Reads exactly this number of bytes. Errors: those of `toError`. */
  readBytes(count: number): AsyncGenerator<Buffer, void, void>;
  writeLine(value: object): Promise<void>;
  writeBytes(bytes: Uint8Array): Promise<void>;
  /** True after the connection ended or failed. The other side then receives nothing more. */
  isBroken(): boolean;
}

type ToError = (why: string, cause?: unknown) => ContinuoError;

/** @param toError makes the error for a connection that ended early, or that leads to another program */
export function openChannel(input: Readable, output: Writable, toError: ToError): MoveChannel {
  let failure: unknown;
  // The next write reports the error.
  output.on("error", (error) => {
    failure ??= error;
  });
  const send = (bytes: Uint8Array): Promise<void> =>
    new Promise((done, refuse) => {
      if (failure !== undefined) return refuse(failure);
      output.write(bytes, (error) => (error ? refuse(error) : done()));
    });
  return openChannelOver(input, send, toError);
}

/** Opens a channel over a connection that is not a stream. */
export function openChannelOver(
  input: AsyncIterable<Uint8Array>,
  send: (bytes: Uint8Array) => Promise<void>,
  toError: ToError,
): MoveChannel {
  let isBroken = false;
  const broken = (why: string, cause?: unknown): ContinuoError => {
    isBroken = true;
    return toError(why, cause);
  };
  const chunks = input[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  const more = async (): Promise<boolean> => {
    try {
      const { done, value } = await chunks.next();
      if (done === true) {
        isBroken = true;
        return false;
      }
      rest = rest.length === 0 ? Buffer.from(value) : Buffer.concat([rest, value]);
      return true;
    } catch (cause) {
      throw broken("it broke off", cause);
    }
  };
  const writeBytes = async (bytes: Uint8Array): Promise<void> => {
    try {
      await send(bytes);
    } catch (cause) {
      throw broken("it broke off", cause);
    }
  };
  return {
    async readLine() {
      for (;;) {
        const end = rest.indexOf(0x0a);
        if (end >= 0) {
          const line = rest.subarray(0, end);
          rest = rest.subarray(end + 1);
          return parsedLine(line, broken);
        }
        if (rest.length > MAX_LINE_BYTES) throw broken("it sent a line that is too long");
        if (!(await more())) return null;
      }
    },
    async *readBytes(count) {
      for (let left = count; left > 0; ) {
        if (rest.length === 0 && !(await more())) throw broken("it ended early");
        const part = rest.subarray(0, left);
        rest = rest.subarray(part.length);
        left -= part.length;
        if (part.length > 0) yield part;
      }
    },
    writeLine: (value) => writeBytes(Buffer.from(`${JSON.stringify(value)}\n`)),
    writeBytes,
    isBroken: () => isBroken,
  };
}

function parsedLine(line: Buffer, broken: ToError): unknown {
  try {
    return parseJson(line.toString("utf8"));
  } catch (cause) {
    throw broken(`it sent ${JSON.stringify(line.toString("utf8").slice(0, 80))}`, cause);
  }
}

/** An error as a line for the other side. */
export function errorLine(error: unknown): object {
  if (!isContinuoError(error)) return { error: { code: "unavailable", message: String(error) } };
  const { code, message, hint } = error;
  return { error: present({ code, message, hint }) };
}
