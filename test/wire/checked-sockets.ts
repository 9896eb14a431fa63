/** WebSockets that check every frame of the client, and every frame of the server, against `protocol/channel.json`. */

import { checkOf, problemOfServerFrame } from "./schemas.ts";

type Frame = Readonly<Record<string, unknown>>;

export interface CheckedSockets extends Disposable {
  /** The faults, one line for each frame. */
  readonly problems: readonly string[];
  /** The number of frames that were checked. */
  readonly count: number;
}

const Plain = globalThis.WebSocket;

const checking: { problems: string[]; count: number } = { problems: [], count: 0 };

/** Checks the sockets of clients from now on, until the result is disposed. */
export function checkSockets(): CheckedSockets {
  checking.problems = [];
  checking.count = 0;
  globalThis.WebSocket = CheckedSocket;
  return {
    get problems() {
      return checking.problems;
    },
    get count() {
      return checking.count;
    },
    [Symbol.dispose]: () => {
      globalThis.WebSocket = Plain;
    },
  };
}

/** Opens a socket that is not checked. */
export function plainSocket(address: string, subprotocol: string): WebSocket {
  return new Plain(address, [subprotocol]);
}

export function reportServerFrame(frame: Frame): void {
  note("server", frame, problemOfServerFrame(frame));
}

class CheckedSocket extends Plain {
  constructor(...given: ConstructorParameters<typeof WebSocket>) {
    super(...given);
    this.addEventListener("message", ({ data }) => reportServerFrame(JSON.parse(String(data)) as Frame));
  }

  override send(data: Parameters<WebSocket["send"]>[0]): void {
    const frame = JSON.parse(String(data)) as Frame;
    note("client", frame, checkOf("channel", "$defs/ClientFrame")(frame));
    super.send(data);
  }
}

function note(side: "client" | "server", frame: Frame, problem: string): void {
  checking.count++;
  if (problem !== "") checking.problems.push(`${side}: ${JSON.stringify(frame).slice(0, 400)}: ${problem}`);
}
