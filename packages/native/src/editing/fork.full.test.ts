import { readFileSync, statSync } from "node:fs";
import { type AgentName, isContinuoError, type SessionInfo } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { beforeEach, describe, expect, test } from "vitest";
import { copyHome, FORMAT_CASES } from "../../../../test/fixture-home.ts";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { formatOf, listNativeSessions, readNativeSession } from "../native/index.ts";
import { firstDifference } from "./compare-fork.ts";
import { forkNativeSession } from "./fork.ts";

let scratch: string;
let places: Places;

beforeEach(() => {
  scratch = scratchFolder("fork-test");
});

async function open(agent: AgentName, name: string): Promise<readonly SessionInfo[]> {
  const copied = await copyHome(scratch, [agent, name]);
  places = copied.places;
  return copied.sessions;
}

const idsOf = async (agent: AgentName): Promise<readonly string[]> =>
  (await listNativeSessions({ agents: [agent], places, archived: "include" })).map((info) => info.sessionId);

describe("every session that a real agent wrote", () => {
  test.each(FORMAT_CASES)(
    "%s/%s can be forked as a whole and after each message that can be the last one; other cuts are refused",
    async (agent, name) => {
      const reader = await formatOf(agent);
      for (const info of await open(agent, name)) {
        if (name === "second-generation") {
          await expect(forkNativeSession(info, { places })).rejects.toMatchObject({ code: "unsupported" });
          continue;
        }
        const source = await readNativeSession(info, { places });
        const file = info.location.replace(/#.*/u, "");
        const before = agent === "opencode" ? null : [readFileSync(file), statSync(file).mtimeMs];
        const whole = await forkNativeSession(info, { places });
        const fork = await readNativeSession(`${agent}:${whole.sessionId}`, { places });
        expect(await firstDifference(source.messages, fork.messages)).toBeNull();
        // Gemini CLI reads a record in the fork that it could not read in the source.
        const sent = reader.modelView(source.messages).length + (name === "line-separator" ? 1 : 0);
        expect(reader.modelView(fork.messages)).toHaveLength(sent);
        expect(fork.problems.map(({ code }) => code)).toEqual(
          source.problems.map(({ code }) => code).filter((code) => code === "call_without_result"),
        );
        expect(await idsOf(agent)).toContain(whole.sessionId);
        for (const { id } of source.messages) await forkBehind(info, id);
        expect(await readNativeSession(info, { places })).toEqual(source);
        if (before !== null) expect([readFileSync(file), statSync(file).mtimeMs]).toEqual(before);
      }
    },
  );
});

/** If a cut would separate a result from its call, the error names a message after which a cut is possible. */
async function forkBehind(info: SessionInfo, at: string): Promise<void> {
  const { messages } = await readNativeSession(info, { places });
  try {
    const cut = await forkNativeSession(info, { places, at });
    const fork = await readNativeSession(`${info.agent}:${cut.sessionId}`, { places });
    expect(await firstDifference(messages.slice(0, cut.messages), fork.messages)).toBeNull();
    expect(cut.messages).toBeGreaterThan(messages.findIndex(({ id }) => id === at));
  } catch (error) {
    if (!isContinuoError(error, "invalid")) throw error;
    const instead = messages.findIndex(({ id }) => id === error.details.instead);
    expect(messages[instead]?.role).toBe("tool");
    expect(instead).toBeGreaterThan(messages.findIndex(({ id }) => id === at));
  }
}
