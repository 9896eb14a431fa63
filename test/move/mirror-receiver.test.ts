/** The machine that keeps a mirror: its part of a session stays when the connection is made again, or breaks off. */

import { join } from "node:path";
import { PassThrough } from "node:stream";
import { receiveMirror, takeOver } from "@continuo/agents/handoff/mirroring";
import { type MoveChannel, openChannel } from "@continuo/agents/handoff/moving";
import { ContinuoError } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { findMirror } from "@continuo/native/editing/mirrors";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { changeTree, type Machines, makeMachines, shownIn } from "./machines.ts";
import { mirrorOnce } from "./mirror-once.ts";

let root: string;
let machines: Machines;
let places: Places;
let name: string;

beforeEach(async () => {
  root = scratchFolder("mirror-receiver");
  machines = makeMachines(root);
  changeTree(machines.here);
  places = placesOn("there");
  name = await mirrorOnce(placesOn("here"), places, "with");
});

const placesOn = (machine: "here" | "there"): Places => ({
  home: join(root, machine),
  env: { PATH: process.env.PATH },
});

const broken = (why: string): ContinuoError => new ContinuoError("unavailable", why);

/** Connects as the machine of the session does, and ends the connection after the talk. */
async function connected(talk: (channel: MoveChannel) => Promise<void>): Promise<void> {
  const [near, far] = [new PassThrough(), new PassThrough()];
  const received = receiveMirror({ places, channel: openChannel(near, far, broken), broken });
  const channel = openChannel(far, near, broken);
  const { agent, sessionId, main, machine, home, folder } = findMirror(name, places);
  await channel.writeLine({ mirror: 1, agent, sessionId, main, machine, home, folder });
  expect(await channel.readLine()).toEqual({ mirroring: 1 });
  await talk(channel);
  near.end();
  await received;
}

test("a session is taken over with its work tree, although the other machine was lost just after it connected again", async () => {
  await connected(async () => undefined);
  const { workTree } = await takeOver(name, { places, into: machines.there.folder, now: new Date() });
  expect(workTree).toBe(machines.there.folder);
  expect(shownIn(machines.there)).toEqual(shownIn(machines.here));
});

test("after a take-over failed in a clone with changes of its own, the mirror follows its machine again", async () => {
  machines.there.write("README.md", "of another person\n");
  await expect(takeOver(name, { places, into: machines.there.folder, now: new Date() })).rejects.toThrow(
    "changes of its own",
  );
  expect(findMirror(name, places).takenOver).toBe(null);
  await connected(async () => undefined);
});

test("if the other machine withdraws a file that it has sent, the earlier version stays", async () => {
  const path = "settings.json";
  const replaced = async (content: string, isKept: boolean): Promise<unknown> => {
    let answer: unknown;
    await connected(async (channel) => {
      await channel.writeLine({ replace: { path, sizeBytes: content.length } });
      await channel.writeBytes(Buffer.from(content));
      await channel.writeLine({ keep: isKept });
      answer = await channel.readLine();
    });
    return answer;
  };
  expect(await replaced("whole", true)).toEqual({ acknowledged: { path, sizeBytes: 5 } });
  // The file changed while it was sent, so its bytes are a mixture of two versions.
  expect(await replaced("torn in two", false)).toEqual({ acknowledged: { path, sizeBytes: 5 } });
});
