/**
 * The parts of a client that only an agent, or a participant with a workspace, has: the session on the server, the
 * answers to inputs, and the limit of a talk of agents. A page in which a person reads and writes does not load them.
 */

import { createAgentTalk, talkOf } from "./agent-talk.ts";
import { type AnswerPort, Answers } from "./answer.ts";
import type { ClientEvent } from "./events.ts";
import { ClientSession, type ClientSessionOptions } from "./session.ts";

export interface Participation {
  readonly session: ClientSession;
  readonly answers: Answers;
  /** Returns a step for each event of one `events()`; it returns `true` for a message that stays unanswered. */
  readonly limitTalk: (maxTurns: number) => (event: ClientEvent) => boolean;
}

export type ParticipationOptions = ClientSessionOptions & Omit<AnswerPort, "pass">;

export function createParticipation({ request, warn, ...port }: ParticipationOptions): Participation {
  const session = new ClientSession({ request, warn });
  return {
    session,
    answers: new Answers({ ...port, pass: (sequence) => session.commit(sequence) }),
    limitTalk: (maxTurns) => createAgentTalk(talkOf(maxTurns, { warn, claim: port.claim })),
  };
}
