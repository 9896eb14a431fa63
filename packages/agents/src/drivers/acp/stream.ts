/**
 * A program's lines as the stream that the SDK reads. Notifications do not pass: they are handled here, one at a time
 * and before the next line, so that the last text of a turn is reported before its end, and an agent's output is read
 * no faster than it is consumed.
 */

import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { isJson, type Json, parseJson } from "@continuo/files";
import type { AgentProcess } from "../process/index.ts";

export interface StreamListener {
  readonly onNotification: (notification: Json) => Promise<void>;
  /** Called with a line that is not a message: an incomplete one, or other output of the program. */
  readonly onOddLine: (line: string) => Promise<void>;
}

export function toStream(program: AgentProcess, listener: StreamListener): Stream {
  const lines = program.lines[Symbol.asyncIterator]();
  return {
    readable: new ReadableStream<AnyMessage>(
      {
        async pull(controller) {
          const message = await nextMessage(lines, program, listener);
          if (message === null) controller.close();
          else controller.enqueue(message as AnyMessage);
        },
      },
      { highWaterMark: 0 },
    ),
    writable: new WritableStream<AnyMessage>({
      write: (message) => program.send(JSON.stringify(message)),
    }),
  };
}

/** The next request or answer; `null` at the end. */
async function nextMessage(
  lines: AsyncIterator<string | null>,
  program: AgentProcess,
  { onNotification, onOddLine }: StreamListener,
): Promise<Json | null> {
  for (;;) {
    const { done, value: line } = await lines.next();
    if (done === true) return null;
    if (line === null) throw program.failed("printed a line that is too long to be kept");
    const message = parseLine(line);
    if (message === null) {
      if (line.trim() !== "") await onOddLine(line);
    } else if (typeof message.method === "string" && message.id === undefined) await onNotification(message);
    else return message;
  }
}

function parseLine(line: string): Json | null {
  try {
    const value: unknown = parseJson(line);
    return isJson(value) ? value : null;
  } catch {
    return null;
  }
}
