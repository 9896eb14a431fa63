/**
 * Hostile neighbours: `node neighbours.ts PLAN`, where PLAN is the JSON of a `NeighboursPlan`. It makes one attack
 * after the other on the servers, from addresses of its own and with the token of a visitor, and prints the name of
 * each attack.
 */

import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { LIVE_SUBPROTOCOL, SUBPROTOCOL } from "@continuo/core/wire";
import { createRandom, type Random } from "../../store/harness/random.ts";

export interface NeighboursPlan {
  readonly serverUrls: readonly string[];
  /** May read and write the channel `visitors`, and read the channel of a million messages. */
  readonly token: string;
  readonly longChannel: string;
  readonly seed: number;
}

interface Attack {
  readonly url: string;
  readonly plan: NeighboursPlan;
  readonly random: Random;
}

const ATTACKS: Readonly<Record<string, (attack: Attack) => Promise<void>>> = {
  "150 first frames of 4 MB": ({ url, random }) =>
    crowd({ url, random, count: 150, holdMs: 3_000 }, (socket) => {
      upgrade(socket, url);
      socket.once("data", () => socket.write(Buffer.concat([headOfFrame(), Buffer.alloc(4_000_000)])));
    }),
  "500 silent WebSockets": ({ url, random }) =>
    crowd({ url, random, count: 500, holdMs: 12_000 }, (socket) => upgrade(socket, url)),
  "300 silent WebSockets of live sessions": ({ url, random }) =>
    crowd({ url, random, count: 300, holdMs: 8_000 }, (socket) => upgrade(socket, url, LIVE_SUBPROTOCOL)),
  "500 slow requests": ({ url, random }) =>
    crowd({ url, random, count: 500, holdMs: 8_000 }, (socket) => {
      socket.write("GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ");
      const drip = setInterval(() => socket.write("x"), 1_000);
      socket.on("close", () => clearInterval(drip));
    }),
  "[1,1,…] of 8 MB": (attack) => post(attack, `[${"1,".repeat(4_000_000)}1]`),
  "[1,1,…] of 3 MB": (attack) => post(attack, `[${"1,".repeat(1_500_000)}1]`),
  "arrays in arrays": (attack) => post(attack, "[".repeat(2_000_000)),
  "100 wrong tokens": async ({ url, random }) => {
    const request = `GET /v1/channels HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\nConnection: close\r\n\r\n`;
    await crowd({ url, random, count: 100, holdMs: 500 }, (socket) => socket.write(request));
  },
  "20 readers that do not read": ({ url, random, plan }) =>
    crowd({ url, random, count: 20, holdMs: 15_000 }, (socket) => {
      upgrade(socket, url, SUBPROTOCOL, plan.longChannel);
      socket.once("data", () => {
        const hello = { type: "hello", protocol: 1, after: 0, token: plan.token, replay: "stream" };
        socket.write(textFrame(JSON.stringify(hello)));
        socket.pause();
      });
    }),
  "pages of a long channel": async ({ url, plan }) => {
    const headers = { authorization: `Bearer ${plan.token}` };
    await Promise.allSettled(
      Array.from({ length: 20 }, async (_, n) => {
        const path = `/v1/channels/${plan.longChannel}/messages?limit=1000&before=${900_000 - n * 1_000}`;
        await (await fetch(url + path, { headers, signal: AbortSignal.timeout(20_000) })).arrayBuffer();
      }),
    );
  },
};

if (import.meta.main) await run(JSON.parse(process.argv[2] ?? "") as NeighboursPlan);

async function run(plan: NeighboursPlan): Promise<void> {
  createInterface({ input: process.stdin }).on("close", () => process.exit());
  const random = createRandom(plan.seed);
  for (;;) {
    const name = random.pick(Object.keys(ATTACKS));
    await ATTACKS[name]?.({ url: random.pick(plan.serverUrls), plan, random });
    process.stdout.write(`${JSON.stringify({ attack: name })}\n`);
    await new Promise((resolve) => setTimeout(resolve, 500 + random.below(2_000)));
  }
}

interface Crowd {
  readonly url: string;
  readonly random: Random;
  readonly count: number;
  readonly holdMs: number;
}

/** All requests come from one address, which no participant has. */
async function crowd({ url, random, count, holdMs }: Crowd, begin: (socket: Socket) => void): Promise<void> {
  const { port } = new URL(url);
  const localAddress = `127.0.0.${2 + random.below(200)}`;
  const sockets = Array.from({ length: count }, () => {
    const socket = connect({ host: "127.0.0.1", port: Number(port), localAddress });
    socket.on("error", () => undefined).on("data", () => undefined);
    socket.once("connect", () => begin(socket));
    return socket;
  });
  await new Promise((resolve) => setTimeout(resolve, holdMs));
  for (const socket of sockets) socket.destroy();
}

function upgrade(socket: Socket, url: string, protocol: string = SUBPROTOCOL, channel = "visitors"): void {
  const place = protocol === SUBPROTOCOL ? `channels/${channel}` : "live/visitors";
  socket.write(
    `GET /v1/${place}/ws HTTP/1.1\r\nHost: ${new URL(url).host}\r\nConnection: Upgrade\r\n` +
      `Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: ${protocol}\r\n` +
      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
  );
}

/** Returns the beginning of a masked text frame of 4 MB. */
function headOfFrame(): Buffer {
  const head = Buffer.alloc(14);
  head.set([0x81, 0xff]);
  head.writeUInt32BE(4_000_000, 6);
  return head;
}

/** Returns a masked text frame of up to 65,535 bytes, whose mask is zero. */
function textFrame(text: string): Buffer {
  const bytes = Buffer.from(text);
  const head = Buffer.alloc(8);
  head.set([0x81, 0xfe]);
  head.writeUInt16BE(bytes.length, 2);
  return Buffer.concat([head, bytes]);
}

async function post({ url, plan, random }: Attack, body: string): Promise<void> {
  const path = random.pick(["/v1/stream/channels/visitors", "/v1/channels/visitors/messages"]);
  await fetch(url + path, {
    method: "POST",
    body,
    headers: { authorization: `Bearer ${plan.token}`, "content-type": "application/json" },
    signal: AbortSignal.timeout(30_000),
  })
    .then(
      (response) => response.arrayBuffer(),
      () => undefined,
    )
    .catch(() => undefined);
}
