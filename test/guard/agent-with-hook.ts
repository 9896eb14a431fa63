/**
 * `node claude.js SOCKET COMMAND`: a program that calls `continuo guard hook` as an agent does. Each line that it
 * receives from the socket is an event. Each line that it sends is the answer of the hook as JSON; the first one is the
 * number of its process.
 */

import { spawnSync } from "node:child_process";
import { connect } from "node:net";
import { createInterface } from "node:readline";

const [path = "", command = "", ...flags] = process.argv.slice(2);
const socket = connect(path);
socket.write(`${process.pid}\n`);
const hook = [process.execPath, command, "guard", "hook", ...flags].map((word) => `'${word}'`).join(" ");
for await (const input of createInterface({ input: socket })) {
  // Agents run a hook in a shell.
  const { stdout, stderr, status } = spawnSync("sh", ["-c", `${hook}; exit $?`], { input, encoding: "utf8" });
  socket.write(`${JSON.stringify({ stdout, stderr, status })}\n`);
}
