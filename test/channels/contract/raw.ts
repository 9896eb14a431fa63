/** A bare WebSocket, for frames that Continuo's own client would never send. */

import { SUBPROTOCOL } from "@continuo/core/wire";
import { plainSocket, reportServerFrame } from "../../wire/checked-sockets.ts";

export type Frame = Readonly<Record<string, unknown>>;

export interface RawSocket extends Disposable {
  send(frame: unknown): void;
  text(text: string): void;
  /** Resolves with the next frame of the type, and skips the frames before it. */
  next(type: string): Promise<Frame>;
  /** All frames so far. */
  readonly frames: readonly Frame[];
  readonly closed: Promise<number>;
  /** Ends the socket without a closing frame. */
  cut(): void;
}

export async function openRaw(url: string, channel = "team"): Promise<RawSocket> {
  const address = `${url.replace("http", "ws")}/v1/channels/${encodeURIComponent(channel)}/ws`;
  const socket = plainSocket(address, SUBPROTOCOL);
  const frames: Frame[] = [];
  let read = 0;
  const waiting = new Set<() => void>();
  const closed = Promise.withResolvers<number>();
  socket.onmessage = ({ data }) => {
    const frame = JSON.parse(String(data)) as Frame;
    reportServerFrame(frame);
    frames.push(frame);
    for (const look of waiting) look();
  };
  socket.onclose = ({ code }) => {
    closed.resolve(code);
    for (const look of waiting) look();
  };
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  socket.onerror = () => undefined;
  const cut = (): void => socket.close();
  return {
    frames,
    closed: closed.promise,
    send: (frame) => socket.send(JSON.stringify(frame)),
    text: (text) => socket.send(text),
    next: async (type) => {
      for (;;) {
        const at = frames.findIndex((frame, index) => index >= read && frame.type === type);
        if (at !== -1) {
          read = at + 1;
          return frames[at] ?? {};
        }
        if (socket.readyState === WebSocket.CLOSED) throw new Error(`closed before a frame ${type}`);
        await new Promise<void>((resolve) => {
          const look = (): void => {
            waiting.delete(look);
            resolve();
          };
          waiting.add(look);
        });
      }
    },
    cut,
    [Symbol.dispose]: cut,
  };
}

export function hello(more: Frame = {}): Frame {
  return { type: "hello", protocol: 1, instance: `i-${Math.random()}`, after: 0, ...more };
}
