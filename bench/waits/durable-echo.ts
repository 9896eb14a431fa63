/** The minimum cost of a durable message: `ws`, one write and one sync for each, and the answer. Argument: FILE */

import { fdatasyncSync, openSync, writeSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";

const file = openSync(process.argv[2] ?? "", "a", 0o600);
const sockets = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
sockets.on("listening", () => console.log((sockets.address() as AddressInfo).port));
sockets.on("connection", (socket) => {
  socket.on("message", (data) => {
    writeSync(file, data as Buffer);
    fdatasyncSync(file);
    socket.send(data);
  });
});
