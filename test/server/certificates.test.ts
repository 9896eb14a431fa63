/**
 * Connections to other systems whose certificates are invalid: nothing is sent to them. The certificates in
 * `certificates/` are for tests only, each its own authority: `openssl req -x509 -newkey ec -nodes -subj /CN=NAME`.
 */

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createHttps, request as requestHttps } from "node:https";
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { openStore } from "@continuo/store";
import type pg from "pg";
import { afterEach, expect, test } from "vitest";
import { callWebhook } from "../../packages/server/src/server/subscriptions/webhook.ts";
import { Changes } from "../../packages/store/src/store/engine/index.ts";
import { tlsFor } from "../../packages/store/src/store/postgres/connections.ts";
import { Notifications } from "../../packages/store/src/store/postgres/notifications.ts";

const servers = new Set<Server>();
afterEach(() => {
  for (const server of servers) server.close();
  servers.clear();
});

const fileOf = (name: string): string => join(import.meta.dirname, `certificates/${name}.pem`);
const identityOf = (name: string): { readonly key: string; readonly cert: string } => {
  const pem = readFileSync(fileOf(name), "utf8");
  return { key: pem, cert: pem };
};

async function portOf(server: Server): Promise<number> {
  servers.add(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

test("a webhook is not sent to a receiver whose certificate is not trusted", async () => {
  const told: string[] = [];
  const server = createHttps(identityOf("localhost"), (request, answer) => {
    told.push(request.url ?? "");
    answer.end("{}");
  });
  const url = `https://localhost:${await portOf(server)}/hook`;
  const allowed = { named: new Set(["localhost"]), others: "public" } as const;
  await expect(callWebhook({ url, body: "{}", signature: "s", allowed })).rejects.toMatchObject({
    code: "DEPTH_ZERO_SELF_SIGNED_CERT",
  });
  expect(told).toEqual([]);
  // A client that trusts it is answered.
  const sent = requestHttps(url, { ca: identityOf("localhost").cert, agent: false }).end();
  await once(sent, "response");
  expect(told).toEqual(["/hook"]);
});

/** A stand-in of Postgres that uses TLS with this certificate, or refuses TLS without one. `told` is what it receives. */
async function postgres(name: string | null): Promise<{ readonly port: number; readonly told: Buffer[] }> {
  const told: Buffer[] = [];
  const server = createTcp((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      if (name === null) {
        socket.write("N");
        socket.on("data", (bytes) => told.push(bytes));
        return;
      }
      socket.write("S");
      const secure = new TLSSocket(socket, { isServer: true, ...identityOf(name) });
      secure.on("error", () => undefined);
      secure.on("data", (bytes) => {
        told.push(bytes);
        secure.destroy();
      });
    });
  });
  return { port: await portOf(server), told };
}

/** The code in the first message of a client that asks for TLS. */
const SSL_REQUEST = 80_877_103;

const AUTHORITY = `sslrootcert=${encodeURIComponent(fileOf("localhost"))}`;

test.each([
  [
    "a certificate that is not trusted",
    "localhost",
    "sslmode=verify-full",
    "has a certificate that is not trusted here",
  ],
  [
    "a certificate that is not trusted, with `ssl=true`",
    "localhost",
    "ssl=true",
    "has a certificate that is not trusted here",
  ],
  [
    "a certificate with another name",
    "db.example",
    `sslmode=verify-full&sslrootcert=${encodeURIComponent(fileOf("db.example"))}`,
    "has a certificate that is not trusted here",
  ],
  ["no TLS", null, `sslmode=verify-full&${AUTHORITY}`, "offers no TLS"],
] as const)("a Postgres with %s gets neither user nor password", async (_, name, query, says) => {
  const { port, told } = await postgres(name);
  const opening = openStore(`postgres://ada:secret@localhost:${port}/continuo?${query}`);
  await expect(opening).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining(says),
    hint: expect.stringMatching(/sslrootcert|sslmode/u),
  });
  expect(told).toEqual([]);
});

test("a Postgres with a trusted certificate for its name gets the user", async () => {
  const { port, told } = await postgres("localhost");
  const opening = openStore(
    `postgres://ada:secret@localhost:${port}/continuo?sslmode=verify-full&${AUTHORITY}`,
  );
  await expect(opening).rejects.toMatchObject({ code: "unavailable" });
  expect(Buffer.concat(told).toString("latin1")).toContain("ada");
});

test("the certificate of a Postgres with an address instead of a name must be for this address", async () => {
  const opened = async (certificate: string): Promise<string> => {
    const { port, told } = await postgres(certificate);
    const authority = encodeURIComponent(fileOf(certificate));
    const url = `postgres://ada:secret@127.0.0.1:${port}/continuo?sslmode=verify-full&sslrootcert=${authority}`;
    await expect(openStore(url)).rejects.toMatchObject({ code: "unavailable" });
    return Buffer.concat(told).toString("latin1");
  };
  expect(await opened("localhost")).toBe("");
  expect(await opened("127.0.0.1")).toContain("ada");
});

test("the connection that listens to a Postgres on another machine begins with TLS too", async () => {
  const { promise: first, resolve } = Promise.withResolvers<Buffer>();
  const sockets: Socket[] = [];
  const server = createTcp((socket) => {
    sockets.push(socket.on("error", () => undefined).once("data", resolve));
  });
  // Postgres clients do not recognize this notation as an address of this machine.
  const url = `postgres://ada:secret@127.1:${await portOf(server)}/continuo`;
  expect(tlsFor(url)).toEqual({ ssl: true });
  const pool = { query: async () => ({ rows: [] }) } as unknown as pg.Pool;
  const notices: Notifications = new Notifications(pool, { url, node: "me", changes: () => changes });
  const changes = new Changes((watching) => notices.watch(watching));
  notices.watch(1);
  const bytes = await first;
  for (const socket of sockets) socket.destroy();
  await notices.close();
  expect([bytes.length, bytes.readInt32BE(4)]).toEqual([8, SSL_REQUEST]);
});

test("a connection to Postgres on another machine uses TLS unless the operator sets something else", () => {
  for (const url of [
    "postgres://u@db/c",
    "postgres://u@10.0.0.1/c",
    "postgres://u@localhost.example/c",
    "postgres://u@[fd00::1]/c",
  ]) {
    expect([url, tlsFor(url)]).toEqual([url, { ssl: true }]);
  }
  for (const url of [
    "postgres://u@localhost/c",
    "postgres://u@127.0.0.1:5433/c",
    "postgres://u@[::1]/c",
    "postgres:///c?host=/run/postgresql",
    "postgres://u@%2Frun%2Fpostgresql/c",
  ]) {
    expect([url, tlsFor(url)]).toEqual([url, {}]);
  }
});
