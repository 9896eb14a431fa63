import { expect, test } from "vitest";
import type { ParticipantSession } from "../wire/index.ts";
import { ClientSession } from "./session.ts";

function sessionAt(processed: number, received = processed): ParticipantSession {
  return { status: "active", processed, received, sdkSessionId: null };
}

test("a cursor does not move back when an older answer of the server arrives last", async () => {
  const answers = [sessionAt(5, 7), sessionAt(3, 4)];
  const session = new ClientSession({
    request: () => Promise.resolve(answers.shift()),
    warn: () => undefined,
  });
  session.begin({ session: sessionAt(1), degraded: null });
  await session.commit(5);
  await session.commit(3);
  expect(session.kept).toEqual(sessionAt(5, 7));
});

test("the highest sequence that was committed in degraded mode is sent when the session is open", async () => {
  const sent: unknown[] = [];
  const session = new ClientSession({
    request: (request) => {
      sent.push(request);
      return Promise.resolve(sessionAt(2));
    },
    warn: () => undefined,
  });
  session.begin({ session: null, degraded: "corrupt: not readable" });
  for (const sequence of [1, 3, 2]) await session.commit(sequence);
  expect([sent, session.degraded]).toEqual([[], "corrupt: not readable"]);
  session.take(sessionAt(0));
  expect(sent).toEqual([{ type: "commit", sequence: 3 }]);
});

test("the server learns at once of a received message to the participant, and the position never moves back", async () => {
  const sent: unknown[] = [];
  const request = (one: unknown): Promise<unknown> => Promise.resolve(void sent.push(one));
  const session = new ClientSession({ request, warn: () => undefined });
  session.begin({ session: sessionAt(0), degraded: null });
  session.received(5, { addressed: false });
  expect(sent).toEqual([]);
  session.received(3, { addressed: true });
  session.received(7, { addressed: true });
  expect(sent).toEqual([{ type: "received", sequence: 7 }]);
  session.received(9, { addressed: false });
  session.received(8, { addressed: false });
  session.flush();
  expect(sent.slice(1)).toEqual([{ type: "received", sequence: 9 }]);
  session.stop();
});

test("the agent's session that was set or cleared in degraded mode is sent when the session is open", async () => {
  for (const sdkSessionId of ["agent-7", null]) {
    const sent: unknown[] = [];
    const session = new ClientSession({
      request: (request) => {
        sent.push(request);
        return Promise.resolve(sessionAt(0));
      },
      warn: () => undefined,
    });
    session.begin({ session: null, degraded: "unavailable: the disk is full" });
    await session.setSdkSession("agent-6");
    await session.setSdkSession(sdkSessionId);
    session.take(sessionAt(0));
    expect(sent).toEqual([{ type: "sdk_session", sdkSessionId }]);
  }
});

test("a session that cannot be opened causes one warning, over any number of connections", () => {
  const lines: string[] = [];
  const session = new ClientSession({
    request: () => Promise.resolve(sessionAt(0)),
    warn: (line) => lines.push(line),
  });
  const degraded = { session: null, degraded: "unavailable: the disk is full" };
  for (let times = 0; times < 3; times++) session.begin(degraded);
  expect(lines).toEqual(["the session could not be opened: unavailable: the disk is full"]);
  session.begin({ session: sessionAt(0), degraded: null });
  session.begin(degraded);
  expect(lines).toHaveLength(2);
});
